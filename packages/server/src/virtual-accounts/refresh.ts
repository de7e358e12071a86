// Reads an open account at the provider: state, fee, destination and bank details, for events and reconciliation. The
// provider's response counts, whatever was lost in between.

import type { EventHandler } from '../events/handler.ts'
import { providerOf } from '../platform/config.ts'
import { theProvider } from '../platform/http/caller.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { isOperationOpen, readProvider } from '../provider/operations/operations.ts'
import type { Account } from '../provider/port.ts'
import type { Accounts } from './ports.ts'
import { findAccountOfProvider, type VirtualAccount } from './service.ts'
import {
  followFacts,
  type LockedAccount,
  lockAccountAndUserIfPresent,
  newDetailsIn,
  providerStatusIn,
} from './standing/follow.ts'
import * as store from './store.ts'
import { changedDestination } from './terms/destination.rules.ts'
import { isOtherFee, shownFeeConfig } from './terms/terms.rules.ts'

/** Reads the account again: an account may be changed at the provider, and the event does not contain the change. */
export const accountEvents: EventHandler<Accounts> = {
  async read(deps, { providerRefs }) {
    const account = await deps.db.read((query) => findAccountOfProvider(query, providerOf(deps.config), providerRefs))
    if (!account) return 'unknown_account'
    return (await refreshAccount(deps, account)) === 'busy' ? 'busy_account' : 'applied'
  },
}

/**
 * Reads an account at the provider and applies the response.
 * @returns `busy` if a change is in progress or happened in between: the response may be older than that change, so it
 * was dropped, and the account should be read again a little later
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function refreshAccount(
  deps: Accounts,
  { businessId, id }: Pick<VirtualAccount, 'businessId' | 'id'>,
): Promise<'read' | 'busy'> {
  const seen = await deps.db.read((query) => store.findVirtualAccount(query, businessId, id))
  const { providerCustomerId: customer = null, providerVirtualAccountId: account = null } = seen ?? {}
  if (!seen || customer === null || account === null) return 'read'
  const answer = await readProvider(() => deps.provider.accounts.read(customer, account))
  return await deps.db.transaction(async (tx) => {
    const locked = await lockAccountAndUserIfPresent(tx, seen)
    if (!locked) return 'read' // erased in the meantime
    const isChanged = locked.account.updatedAt.getTime() !== seen.updatedAt.getTime()
    if (isChanged || (await isOperationOpen(tx, { businessId, subjectId: id }))) return 'busy'
    await applyAnswer(deps, tx, locked, answer)
    return 'read'
  })
}

async function applyAnswer(deps: Accounts, tx: Tx, locked: LockedAccount, answer: Account): Promise<void> {
  const { account } = locked
  if (account.providerStatus === null || account.status === 'failed') return
  const { developerFeePercent: fee } = answer
  const changes = {
    ...providerStatusIn(answer),
    ...changedDestination(account, answer.destination),
    ...(isOtherFee(account.developerFeePercent, fee) && { developerFeePercent: fee }),
    ...shownFeeConfig(answer),
    ...newDetailsIn(deps, account, answer),
  }
  await followFacts(deps, tx, locked, changes, theProvider)
}
