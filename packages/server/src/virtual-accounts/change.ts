// Changes of an open virtual account: payout destination, fee, deactivation and reactivation. One at a time per
// account, because the provider's response to one change would overwrite the result of another. A deployment may delay
// new destinations, so that the owner of a stolen key sees the event before the money moves.
// Above the usual length: a delayed change and an immediate change are the same change.

import { isDeepStrictEqual } from 'node:util'
import { fail } from '../platform/errors.ts'
import { type Actor, actorOf } from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import type { HeldKey, RequestScope } from '../platform/http/scope.ts'
import { transactionUnlessBusy } from '../platform/postgres/lock-order.ts'
import { wakeOnCommit } from '../platform/postgres/notify.ts'
import type { Tx } from '../platform/postgres/query.ts'
import type { JsonObject } from '../platform/values/json.ts'
import {
  beginOperation,
  handToResume,
  isCallUnderWay,
  isOperationOpen,
  mayStillArrive,
  type Operation,
  performOperation,
  unreadableCode,
} from '../provider/operations/operations.ts'
import { type Account, type AccountChange, ProviderError, type Write } from '../provider/port.ts'
import { auditDestination, isSameDestination } from './destination-audit.ts'
import * as pending from './pending-destination.store.ts'
import type { OpensAccounts } from './ports.ts'
import {
  accountOf,
  accountRejection,
  changeInProgress,
  emitUpdated,
  feeRulesOf,
  lockedAccount,
  reportMismatch,
  requireChangeable,
  requireCoin,
  requireNotSuspended,
  type VirtualAccount,
  type VirtualAccountView,
  virtualAccountView,
} from './service.ts'
import { learningFromRefusal, lookForApprovalOf } from './standing/ask-provider.ts'
import {
  followFacts,
  type LockedAccount,
  lockAccountAndUser,
  newDetailsIn,
  providerStatusIn,
} from './standing/follow.ts'
import * as store from './store.ts'
import {
  type Destination,
  type DestinationInput,
  goesElsewhere,
  keepsOldTarget,
  learnedAddress,
  upstreamDestination,
} from './terms/destination.rules.ts'
import {
  creationOnlyFaults,
  isCoinRefused,
  isOtherFee,
  readDestination,
  readFees,
  refuseViolations,
  requireMemoAgain,
  shownFeeConfig,
  type Violation,
} from './terms/terms.rules.ts'

/**
 * Changes the payout destination, the fee, or the metadata. The destination must be complete, so that a rail cannot
 * keep another's address. Omitted parts are not sent to the provider, so that they cannot undo a concurrent change.
 * @throws ApiError as creation, and `virtual_account_not_found`, `account_state_conflict`, `virtual_account_suspended`,
 * `account_change_in_progress`, `not_offered`
 */
export async function updateVirtualAccount(
  deps: OpensAccounts,
  { business, held }: RequestScope,
  id: string,
  change: {
    destination?: DestinationInput
    developer_fee_percent?: unknown
    fee_config?: JsonObject
    metadata?: Metadata
  },
): Promise<VirtualAccountView> {
  const current = await deps.db.read((query) => accountOf(query, business, id))
  const violations: Violation[] = []
  const { metadata } = change
  const fees: WantedChange = readFees(feeRulesOf(deps), change, violations)
  const changesFees = Object.keys(fees).length > 0
  let destination: Destination | undefined
  if (change.destination) {
    const read = readDestination(deps.config.rails, current.sourceCurrency, change.destination, violations)
    const { sourceCurrency: _, travelRuleData: __, ...wanted } = read
    violations.push(...creationOnlyFaults(change.destination))
    requireMemoAgain(current, wanted, violations)
    destination = wanted
  }
  refuseViolations(violations)
  const { canChange } = deps.provider.traits
  if ((destination && !canChange.destination) || (changesFees && !canChange.fee)) throw fail('not_offered')
  if (destination === undefined && metadata !== undefined && !changesFees)
    return await changeMetadata(deps, held, current, metadata)
  const isCanceled = destination !== undefined && !changesFees && isSameDestination(current, destination)
  if (!isCanceled) await requirePayable(deps, current)
  const by = actorOf(business)
  if (destination === undefined || deps.config.destinationChangeDelayMinutes === 0) {
    const wanted = { ...(destination && { destination }), ...fees, ...(metadata && { metadata }) }
    return await changeAccount(deps, held, current, 'virtual_account.update', wanted, by)
  }
  // The response is that of the destination change, which comes last.
  if (changesFees) await changeAccount(deps, null, current, 'virtual_account.update', fees, by)
  if (metadata !== undefined) await changeMetadata(deps, null, current, metadata)
  return await scheduleDestination(deps, held, current, destination, by)
}

/**
 * Rejects a change of a suspended account, unless the provider has allowed deposits again without our knowledge.
 * @returns the account after the look-up
 */
async function requirePayable(deps: OpensAccounts, seen: VirtualAccount): Promise<VirtualAccount> {
  if (seen.suspendedReason === null) return seen
  await lookForApprovalOf(deps, seen)
  const account = await deps.db.read((query) => accountOf(query, { id: seen.businessId }, seen.id))
  requireNotSuspended(account)
  return account
}

type Metadata = VirtualAccount['metadata']

/** Replaces the metadata of an account, which the provider does not store. */
async function changeMetadata(
  deps: OpensAccounts,
  held: HeldKey | null,
  seen: VirtualAccount,
  metadata: Metadata,
): Promise<VirtualAccountView> {
  return await answeringTransaction(deps, held, async (tx) => {
    const account = await lockedAccount(tx, seen)
    if (isDeepStrictEqual(account.metadata, metadata)) return virtualAccountView(deps, account)
    const changed = await store.updateVirtualAccount(tx, seen.businessId, seen.id, { metadata })
    return await emitUpdated(deps, tx, changed, ['metadata'])
  })
}

/** Deactivates or reactivates an account. @throws ApiError as `updateVirtualAccount` */
export async function switchVirtualAccount(
  deps: OpensAccounts,
  { business, held }: RequestScope,
  id: string,
  to: 'active' | 'deactivated',
) {
  const seen = await deps.db.read((query) => accountOf(query, business, id))
  const current = to === 'active' ? await requirePayable(deps, seen) : seen
  if (current.status === to) return virtualAccountView(deps, current)
  const kind = to === 'active' ? 'virtual_account.reactivate' : 'virtual_account.deactivate'
  return await changeAccount(deps, held, current, kind, {}, actorOf(business))
}

const switchedTo = { 'virtual_account.deactivate': 'deactivated', 'virtual_account.reactivate': 'activated' } as const
type ChangeKind = 'virtual_account.update' | keyof typeof switchedTo
type WantedChange = {
  destination?: Destination
  developerFeePercent?: string
  feeConfig?: JsonObject
  metadata?: Metadata
}

async function changeAccount(
  deps: OpensAccounts,
  held: HeldKey | null,
  seen: VirtualAccount,
  kind: ChangeKind,
  wanted: WantedChange,
  by: Actor,
) {
  const { businessId, id } = seen
  // Rejects most premature callers without a transaction.
  if (await deps.db.read((query) => isCallUnderWay(query, businessId, id))) throw changeInProgress()
  const operation = await transactionUnlessBusy(deps, changeInProgress, async (tx) => {
    const account = await lockedAccount(tx, seen)
    requireChangeable(account)
    if (kind !== 'virtual_account.deactivate') requireNotSuspended(account)
    if (wanted.destination) requireCoin(account, wanted.destination)
    const begun = await beginChange(deps, tx, seen, kind, wanted, by)
    if (begun === null) throw changeInProgress()
    // An immediate destination change replaces a pending one.
    if (wanted.destination && seen.pendingDestination) await pending.saveDestination(tx, businessId, id, null)
    return begun
  })
  return await completeChange(deps, held, operation)
}

/** @returns null if another change of the account is in progress */
async function beginChange(
  deps: OpensAccounts,
  tx: Tx,
  { businessId, id: subjectId }: { businessId: string; id: string },
  kind: ChangeKind,
  wanted: WantedChange,
  by: Actor,
): Promise<Operation | null> {
  if (await isOperationOpen(tx, { businessId, subjectId }, kind)) return null
  const fingerprints = deps.secrets.fingerprints(kind, JSON.stringify(wanted))
  const request = { ...wanted, actor: by.name, requestId: by.requestId, person: by.person }
  const begun = await beginOperation(deps, tx, { businessId, kind, subjectId, fingerprints, request })
  return typeof begun === 'string' ? null : begun.operation
}

/**
 * Schedules a new destination. The destination already in use cancels a pending one.
 * @throws ApiError `account_state_conflict`
 */
async function scheduleDestination(
  deps: OpensAccounts,
  held: HeldKey | null,
  seen: VirtualAccount,
  destination: Destination,
  by: Actor,
) {
  const { businessId, id } = seen
  const delayMinutes = deps.config.destinationChangeDelayMinutes
  const actor = { name: by.name, person: by.person }
  return await answeringTransaction(deps, held, async (tx) => {
    const account = await lockedAccount(tx, seen)
    requireChangeable(account)
    const { pendingDestination: waiting, pendingDestinationAt: waitsUntil } = account
    const isKept = isSameDestination(account, destination)
    if (!isKept) {
      requireNotSuspended(account)
      requireCoin(account, destination)
    }
    const isWaiting = waiting !== null && waitsUntil !== null && isSameDestination(waiting, destination)
    if (isWaiting || (isKept && waiting === null)) return virtualAccountView(deps, account)
    await pending.saveDestination(tx, businessId, id, isKept ? null : { destination, actor, delayMinutes })
    await wakeOnCommit(tx, 'resume')
    const view = await emitUpdated(deps, tx, await accountOf(tx, { id: businessId }, id), ['pendingDestination'])
    await auditDestination(deps, tx, account, isKept ? 'cancelled' : 'requested', by, destination)
    return view
  })
}

const dueDestinationsMax = 50

/** Begins due destination changes. For the resume loop, which completes them. */
export async function startDueDestinations(deps: OpensAccounts): Promise<void> {
  for (const account of await deps.db.read((query) => pending.listDueDestinations(query, dueDestinationsMax))) {
    const { businessId, id } = account
    await deps.db.transaction(async (tx) => {
      const due = await pending.beginDestination(tx, businessId, id)
      if (!due) return // another replica has begun it, or the business has canceled it
      const { actor, destination } = due
      const by = { ...actor, requestId: null }
      const current = await accountOf(tx, { id: businessId }, id)
      if (isCoinRefused(current, destination.destinationCurrency))
        return await dropDestination(deps, tx, current, by, destination)
      const begun = await beginChange(deps, tx, account, 'virtual_account.update', { destination }, by)
      await (begun ? handToResume(tx, begun) : pending.deferDestination(tx, businessId, id))
    })
  }
}

/** Drops a destination that the end-user can no longer have: a later KYC submission has an address in the EEA. */
async function dropDestination(
  deps: OpensAccounts,
  tx: Tx,
  account: VirtualAccount,
  by: Actor,
  destination: Destination,
) {
  const { businessId, id } = account
  await pending.endDestination(tx, businessId, id)
  await emitUpdated(deps, tx, await accountOf(tx, { id: businessId }, id), ['pendingDestination'])
  await auditDestination(deps, tx, account, 'refused', by, destination)
}

/** Makes the change at the provider, now or as a retry under the same key. @param held null in the resume loop */
export async function completeChange(
  deps: OpensAccounts,
  held: HeldKey | null,
  operation: Operation,
): Promise<VirtualAccountView> {
  const { businessId, subjectId } = operation
  const account = await deps.db.read((query) => accountOf(query, { id: businessId }, subjectId))
  const kind = operation.kind as ChangeKind // app/resume registers this function for these kinds only
  const { actor, requestId, person, ...wanted } = operation.request as WantedChange & {
    actor: string
  } & Omit<Actor, 'name'> // written by beginChange
  const by: Actor = { name: actor, requestId, person }
  const { destination, metadata, ...fees } = wanted
  const upstream = { ...(destination && { destination: upstreamDestination(destination) }), ...fees }
  const change = {
    call: (write: Write) => changeUpstream(deps, account, kind, upstream, wanted, write),
    read: () => readChanged(deps, operation, account, kind, wanted),
    lock: (tx: Tx) => lockAccountAndUser(tx, account),
    settle: async (tx: Tx, made: Account, locked: LockedAccount) => {
      const isWaited = destination !== undefined && isBegun(locked.account)
      const changes = {
        ...destination,
        ...(destination && learnedAddress(destination, made.destination)),
        ...settledFees(fees, made),
        ...(metadata && { metadata }),
        ...(isWaited && { pendingDestination: null, pendingDestinationActor: null }),
        ...providerStatusIn(made),
        ...newDetailsIn(deps, locked.account, made),
      }
      // A retry after a lost response changes nothing: the provider made the change before, and its event was emitted.
      return virtualAccountView(deps, await followFacts(deps, tx, locked, changes, by))
    },
    undo: async (tx: Tx, errorCode: string) => {
      if (!destination) return
      const isKnown = errorCode !== unreadableCode
      // No request waits for the refusal of a delayed change, so an event reports it.
      if (await pending.endDestination(tx, businessId, subjectId)) {
        const unchanged = await accountOf(tx, { id: businessId }, subjectId)
        await emitUpdated(deps, tx, unchanged, ['pendingDestination'])
      }
      await auditDestination(deps, tx, account, isKnown ? 'refused' : 'unconfirmed', by, destination)
    },
    rejection: (error: ProviderError) => accountRejection(error, account.externalUserId, upstream),
  }
  return await learningFromRefusal(deps, account, () => performOperation(deps, held, operation, change))
}

/**
 * A fee configuration replaces the percentage. After a new percentage, the provider's response shows the configuration.
 */
function settledFees({ developerFeePercent, feeConfig }: WantedChange, made: Account) {
  const percent = feeConfig === undefined ? developerFeePercent : (made.developerFeePercent ?? '0')
  return {
    ...shownFeeConfig(made),
    ...(percent !== undefined && {
      ...{ developerFeePercent: percent, feeConfig: made.feeConfig, feeConfigAsked: feeConfig ?? null },
    }),
  }
}

/** Whether a pending destination has been sent to the provider. */
const isBegun = ({ pendingDestination: waiting, pendingDestinationAt: from }: VirtualAccount) =>
  waiting !== null && from === null

async function changeUpstream(
  deps: OpensAccounts,
  account: VirtualAccount,
  kind: ChangeKind,
  upstream: AccountChange,
  wanted: WantedChange,
  write: Write,
): Promise<Account> {
  const { providerCustomerId: customer, providerVirtualAccountId: id } = account
  if (customer === null || id === null) throw new Error(`account ${account.id} is not open at the provider`)
  const { accounts } = deps.provider
  if (kind !== 'virtual_account.update') return await accounts.switch(customer, id, switchedTo[kind], write)
  const made = await accounts.change(customer, id, upstream, write)
  const mismatch = changeMismatch(account, wanted, made)
  if (mismatch === null) return made
  // The old terms stay visible: the next read of the account shows the terms at the provider.
  reportMismatch(deps, account, made, mismatch)
  throw new ProviderError('rejected', { code: mismatch })
}

function changeMismatch(account: VirtualAccount, wanted: WantedChange, made: Account) {
  const { destination, developerFeePercent: fee } = wanted
  const isElsewhere =
    destination !== undefined &&
    (goesElsewhere(destination, made.destination) || keepsOldTarget(account, destination, made.destination))
  if (isElsewhere) return 'destination_mismatch'
  return fee !== undefined && isOtherFee(fee, made.developerFeePercent) ? 'fee_mismatch' : null
}

/**
 * Reads whether the provider made a change. After an unreadable response, a missing change counts once it can no longer
 * arrive.
 */
async function readChanged(
  deps: OpensAccounts,
  operation: Operation,
  account: VirtualAccount,
  kind: ChangeKind,
  wanted: WantedChange,
): Promise<Account | undefined> {
  const { providerCustomerId: customer, providerVirtualAccountId: id } = account
  const made = await deps.provider.accounts.read(String(customer), String(id))
  const mismatch = statusMismatch(kind, made) ?? changeMismatch(account, wanted, made)
  if (mismatch === null) return made
  if (!operation.mustBeRead || (await deps.db.read((query) => mayStillArrive(deps, query, operation)))) return undefined
  throw new ProviderError('rejected', { code: mismatch })
}

function statusMismatch(kind: ChangeKind, { status }: Account) {
  if (kind === 'virtual_account.update') return null
  return status === switchedTo[kind] ? null : 'status_mismatch'
}
