// Virtual accounts: bank details whose deposits become crypto transfers to a wallet. Opened here, changed in account-changes.ts.

import type { Deps } from '../app/context.ts'
import { type EndUserRow, endUserOf, lockedEndUser } from '../end-users/service.ts'
import { type BusinessEventType, emit } from '../events/emit.ts'
import { makeWaitingEventsDue } from '../events/ingest/owner.ts'
import type { Business } from '../platform/http/caller.ts'
import { storeResponse } from '../platform/http/idempotency/service.ts'
import { transactionUnlessBusy } from '../platform/postgres/lock-order.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import type { Operation } from '../provider/operations/operation.rules.ts'
import { beginOperation, handToResume, performOperation } from '../provider/operations/operations.ts'
import type { Write } from '../provider/port.ts'
import { ProviderError } from '../provider/port.ts'
import type { ProviderVirtualAccount, VirtualAccountInput } from '../provider/types.ts'
import { mismatchOf, reportMismatch } from './answer.ts'
import { changeInProgress, getAccount, lockedAccount } from './service.ts'
import * as store from './store.ts'
import {
  accountRejection,
  type Destination,
  type Fault,
  railRefusal,
  readDestination,
  readFee,
  refuseFaults,
  upstreamDestination,
} from './terms.ts'
import { virtualAccountView } from './view.ts'

export type VirtualAccountView = ReturnType<typeof virtualAccountView>

export type NewVirtualAccount = {
  externalUserId: string
  source: { currency: string }
  destination: Destination
  developer_fee_percent?: unknown
  onPendingKyc?: 'reject' | 'wait'
}

/**
 * Opens an account. With `onPendingKyc: "wait"` an end-user who is not approved yet gets a `pending` account, which
 * is opened by itself once KYC is approved.
 * @param requestKey the caller's Idempotency-Key, when its answer is not kept yet: one key makes one account
 * @throws ApiError 400 (`unsupported_currency`, `unsupported_payment_rail`, `invalid_destination_address`,
 *   `invalid_developer_fee_percent`), `holder_not_found`, `kyc_not_approved`, `rail_not_enabled`, `tos_not_accepted`,
 *   `account_change_in_progress`, `provider_rejected`, `provider_unavailable`, `provider_timeout`
 */
export async function createVirtualAccount(
  deps: Deps,
  business: Business,
  input: NewVirtualAccount,
  requestKey: string | null,
): Promise<VirtualAccountView> {
  const faults: Fault[] = []
  const terms = {
    ...readDestination(deps, input.source.currency, input.destination, faults),
    developerFeePercent: readFee(deps, input.developer_fee_percent, faults),
    requestKey,
  }
  refuseFaults(faults)
  const begun = await transactionUnlessBusy(deps, changeInProgress, async (tx) => {
    // An approval that comes between this look and our commit would not see the account that waits for it.
    const user = await lockedEndUser(tx, await endUserOf(tx, business, input.externalUserId))
    const owed = await store.lockUnansweredAccount(tx, { ...terms, businessId: business.id, endUserId: user.id })
    const begun = owed
      ? await takeUpUnanswered(deps, tx, owed)
      : await beginAccount(deps, tx, user, terms, input.onPendingKyc === 'wait')
    if ('view' in begun) await storeResponse(deps, tx, begun.view)
    return begun
  })
  return 'operation' in begun ? await completeCreation(deps, begun.operation, 'remove') : begun.view
}

type Terms = ReturnType<typeof readDestination> & { developerFeePercent: string; requestKey: string | null }
type Begun = { view: VirtualAccountView } | { operation: Operation }

async function beginAccount(deps: Deps, tx: Tx, user: EndUserRow, terms: Terms, wait: boolean): Promise<Begun> {
  const refusal = railRefusal(deps, user, terms.sourceCurrency)
  if (refusal && !wait) throw refusal
  const { businessId } = user
  const id = makeId('virtualAccount', deps.randomBytes(16))
  await store.insertVirtualAccount(tx, {
    ...terms,
    businessId,
    id,
    endUserId: user.id,
    waitingForKyc: refusal !== null,
  })
  if (refusal) return { view: virtualAccountView(await store.getVirtualAccount(tx, businessId, id)) }
  return { operation: await beginCreation(deps, tx, businessId, id) }
}

/** A repeat of a request whose answer was lost, or was that nobody knows yet, gets the account which that one began. */
async function takeUpUnanswered(deps: Deps, tx: Tx, account: store.VirtualAccountRow): Promise<Begun> {
  const { businessId, id } = account
  if (account.waitingForKyc) return { view: virtualAccountView(account) }
  if (account.status === 'pending') return { operation: await beginCreation(deps, tx, businessId, id) }
  return { view: virtualAccountView(await store.updateVirtualAccount(tx, businessId, id, { answered: true })) }
}

async function beginCreation(deps: Deps, tx: Tx, businessId: string, accountId: string): Promise<Operation> {
  const intent = { businessId, kind: 'virtual_account.create', subjectId: accountId, request: { accountId } } as const
  const begun = await beginOperation(deps, tx, intent)
  if (typeof begun === 'string') throw changeInProgress()
  return begun.operation
}

/**
 * Opens the account at the provider, now or as a repeat under the same key.
 * @param onRefusal what becomes of the row when the provider refuses: `remove` where the caller is told in the same
 *   breath, `fail` where it is not, so that it finds out
 */
export async function completeCreation(
  deps: Deps,
  operation: Operation,
  onRefusal: 'remove' | 'fail',
): Promise<VirtualAccountView> {
  const { businessId, subjectId } = operation
  const account = await getAccount(deps, businessId, subjectId)
  const { providerCustomerId } = account
  if (providerCustomerId === null) throw new Error(`account ${account.id} has no provider customer`)
  const input = {
    sourceCurrency: account.sourceCurrency,
    destination: upstreamDestination(account),
    developerFeePercent: account.developerFeePercent,
    ...(account.travelRuleData === null ? {} : { travelRuleData: account.travelRuleData }),
  }
  return await performOperation(deps, operation, {
    call: (write) => openUpstream(deps, operation, providerCustomerId, input, write),
    lock: (tx) => lockedAccount(tx, account),
    settle: (tx, made) => openAccount(deps, tx, account, made, onRefusal === 'remove'),
    undo: async (tx, code) => {
      if (onRefusal === 'remove') await store.deletePendingAccount(tx, businessId, account.id)
      else await failAccount(deps, tx, account, code)
    },
    rejection: (error) => accountRejection(error, account.externalUserId, input),
  })
}

// The provider keeps its keys 24 hours. After that a repeat would be a new request, so only reading can tell.
const providerKeyLifeMs = 24 * 3_600_000 - 600_000
const accountsReadMax = 100

async function openUpstream(
  deps: Deps,
  operation: Operation,
  customerId: string,
  input: VirtualAccountInput,
  write: Write,
): Promise<ProviderVirtualAccount> {
  const begunAt = operation.createdAt.getTime()
  if (deps.now() - begunAt < providerKeyLifeMs)
    return await deps.provider.createVirtualAccount(customerId, input, write)
  const theirs = await deps.provider.listVirtualAccounts(customerId, { limit: accountsReadMax })
  const alike = theirs.filter((made) => isAlike(made, input) && Date.parse(made.createdAt ?? '') >= begunAt - 60_000)
  const held = await deps.db.read((query) =>
    store.listHeldProviderAccounts(
      query,
      alike.map((made) => made.id),
    ),
  )
  const made = alike.find(({ id }) => !held.includes(id))
  if (!made) throw new ProviderError('rejected', { code: 'never_opened' })
  return made
}

function isAlike(made: ProviderVirtualAccount, input: VirtualAccountInput): boolean {
  const { destination, instructions } = made
  return (
    instructions.currency === input.sourceCurrency &&
    destination.paymentRail === input.destination.paymentRail &&
    destination.currency === input.destination.currency &&
    destination.address === input.destination.address &&
    destination.memo === (input.destination.memo ?? null)
  )
}

async function openAccount(
  deps: Deps,
  tx: Tx,
  account: store.VirtualAccountRow,
  made: ProviderVirtualAccount,
  answered: boolean,
): Promise<VirtualAccountView> {
  const mismatch = mismatchOf(account, made)
  const status = made.status === 'deactivated' ? 'deactivated' : 'active'
  const row = await store.updateVirtualAccount(tx, account.businessId, account.id, {
    ...(mismatch === null ? { status, instructions: made.instructions } : { status: 'failed', failureCode: mismatch }),
    // Also of one that nobody may pay into: a deposit to it must find its end-user.
    providerVirtualAccountId: made.id,
    travelRuleData: null,
    ...(answered ? { answered } : {}),
  })
  // A deposit's event may have overtaken this answer.
  await makeWaitingEventsDue(tx, [made.id])
  deps.wake('apply')
  if (mismatch !== null) reportMismatch(deps, account, made, mismatch)
  return await announce(deps, tx, mismatch === null ? 'virtual_account.created' : 'virtual_account.failed', row)
}

async function failAccount(deps: Deps, tx: Tx, account: store.VirtualAccountRow, failureCode: string): Promise<void> {
  const row = await store.updateVirtualAccount(tx, account.businessId, account.id, {
    status: 'failed',
    failureCode,
    travelRuleData: null,
  })
  await announce(deps, tx, 'virtual_account.failed', row)
}

/** Tells the account as it is now. */
export async function announce(
  deps: Deps,
  tx: Tx,
  type: BusinessEventType,
  row: store.VirtualAccountRow,
): Promise<VirtualAccountView> {
  const view = virtualAccountView(row)
  const owner = {
    businessId: row.businessId,
    endUserId: row.endUserId,
    virtualAccountId: row.id,
    externalUserId: row.externalUserId,
  }
  await emit(deps, tx, type, owner, view)
  return view
}

/**
 * Locks the accounts that wait for this end-user's approval.
 * @returns what starts them; the resume loop opens them
 */
export async function lockWaitingAccounts(deps: Deps, tx: Tx, { businessId, id }: EndUserRow) {
  const waiting = await store.lockWaitingAccounts(tx, businessId, id)
  return async (user: EndUserRow): Promise<void> => {
    for (const account of waiting) {
      if (railRefusal(deps, user, account.sourceCurrency)) continue
      await store.updateVirtualAccount(tx, businessId, account.id, { waitingForKyc: false })
      await handToResume(tx, await beginCreation(deps, tx, businessId, account.id))
    }
    deps.wake('resume')
  }
}
