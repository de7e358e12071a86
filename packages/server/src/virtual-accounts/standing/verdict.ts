// Makes the accounts of an end-user follow a verdict of the provider: opens accounts that wait for approval, suspends
// or resumes open accounts. The verdict is committed before, with a mark that the last page of accounts removes. One
// transaction for all accounts of an end-user would hold the event stream of the business too long.

import {
  claimAccountsDue,
  type EndUserKey,
  type EndUserRow,
  findEndUserById,
  lockEndUser,
  saveAccountsDue,
} from '../../end-users/service.ts'
import { theProvider } from '../../platform/http/caller.ts'
import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { fiatCurrencies } from '../../platform/values/rails.ts'
import { handToResume } from '../../provider/operations/operations.ts'
import { beginCreation } from '../open.ts'
import type { OpensAccounts } from '../ports.ts'
import { coinRefusedCode, emitAccount, railRefusal, type VirtualAccount } from '../service.ts'
import * as store from '../store.ts'
import { isCoinRefused } from '../terms/terms.rules.ts'
import { followFacts } from './follow.ts'
import { suspensionOf } from './standing.rules.ts'

const pageSize = 100

/**
 * Makes accounts follow the stored verdict: one page now, the others by the resume loop. After a failure the loop takes
 * over: the caller's commit stays.
 */
export async function followVerdict(deps: OpensAccounts, key: EndUserKey): Promise<void> {
  await unlessFailing(deps, key, async () => {
    const user = await deps.db.read((query) => findEndUserById(query, key.businessId, key.id))
    if (user && user.accountsDueAt !== null) await followPage(deps, user)
  })
}

const verdictsMax = 20

/** Makes accounts follow verdicts that another process has left. For the resume loop. */
export async function followDueVerdicts(deps: OpensAccounts): Promise<void> {
  const left = await deps.db.transaction((tx) => claimAccountsDue(tx, verdictsMax))
  for (const key of left) await unlessFailing(deps, key, () => followPage(deps, key))
}

async function unlessFailing(deps: OpensAccounts, { id }: EndUserKey, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (err) {
    deps.log.error({ endUser: id, err }, 'accounts not updated after a KYC decision')
  }
}

async function followPage(deps: OpensAccounts, key: EndUserKey): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const user = await lockEndUser(tx, key)
    if (!user || user.accountsDueAt === null) return
    const accounts = await store.lockAccountsBehind(tx, user, verdictOf(deps, user), pageSize)
    const waiting = accounts.filter(({ waitingForKyc }) => waitingForKyc)
    const isRefused = ({ destinationCurrency }: VirtualAccount) => isCoinRefused(user, destinationCurrency)
    for (const { businessId, id } of waiting.filter((each) => !isRefused(each))) {
      await store.updateVirtualAccount(tx, businessId, id, { waitingForKyc: false })
      await handToResume(tx, await beginCreation(deps, tx, businessId, id))
    }
    // Operations are locked before the stream, which the events of the other accounts lock.
    for (const account of waiting.filter(isRefused)) await failForCoin(deps, tx, account)
    for (const account of accounts)
      if (account.providerStatus !== null) await followFacts(deps, tx, { account, user }, {}, theProvider)
    const isLast = accounts.length < pageSize
    await saveAccountsDue(tx, user, !isLast)
    if (!isLast) await wakeOnCommit(tx, 'resume')
  })
}

function verdictOf(deps: OpensAccounts, user: EndUserRow) {
  const isApproved = user.kycStatus === 'approved'
  const openable = fiatCurrencies.filter((currency) => isApproved && railRefusal(deps, user, currency) === null)
  const stopped = fiatCurrencies.flatMap((currency) => {
    const reason = suspensionOf(user, currency)
    return reason === null ? [] : [[currency, reason] as const]
  })
  return { openable, reasons: Object.fromEntries(stopped) }
}

async function failForCoin(deps: OpensAccounts, tx: Tx, { businessId, id }: VirtualAccount): Promise<void> {
  const failed = await store.updateVirtualAccount(tx, businessId, id, {
    ...{ status: 'failed', failureCode: coinRefusedCode, waitingForKyc: false, travelRuleData: null },
  })
  await emitAccount(deps, tx, 'virtual_account.failed', failed)
}
