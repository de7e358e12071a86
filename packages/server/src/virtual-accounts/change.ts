// Changes of an open virtual account: where deposits go, the fee, stopped and taken up again. One at a time for an account,
// because the provider's answer to one would overwrite what another has just settled.

import type { Deps } from '../app/context.ts'
import { appendAudit } from '../audit/log.ts'
import type { Business } from '../platform/http/caller.ts'
import { type Actor, actorOf } from '../platform/http/caller.ts'
import { transactionUnlessBusy } from '../platform/postgres/lock-order.ts'
import type { Tx } from '../platform/postgres/query.ts'
import type { Operation } from '../provider/operations/operation.rules.ts'
import { beginOperation, isCallUnderWay, isOperationOpen, performOperation } from '../provider/operations/operations.ts'
import { ProviderError } from '../provider/port.ts'
import { goesElsewhere, reportMismatch } from './answer.ts'
import { auditDestination, scheduleDestination } from './destination-changes.ts'
import { announce, type VirtualAccountView } from './open.ts'
import { endDestination, savePendingDestination } from './pending-destinations.store.ts'
import { accountOf, changeInProgress, getAccount, lockedAccount } from './service.ts'
import * as store from './store.ts'
import {
  accountRejection,
  type CheckedDestination,
  type Destination,
  type Fault,
  readDestination,
  readFee,
  refuseFaults,
  requireChangeable,
  requireMemoAgain,
  upstreamDestination,
} from './terms.ts'
import { virtualAccountView } from './view.ts'

export type AccountChange = { destination?: Destination; developer_fee_percent?: unknown }

/**
 * Changes where deposits go, or the fee. The whole destination is given, so that a rail can not keep another's address;
 * what is not given is not sent either, so that it can not undo a change that came between.
 * @throws ApiError as creation, and `virtual_account_not_found`, `account_state_conflict`, `account_change_in_progress`
 */
export async function updateVirtualAccount(
  deps: Deps,
  business: Business,
  id: string,
  change: AccountChange,
): Promise<VirtualAccountView> {
  const current = await deps.db.read((query) => accountOf(query, business, id))
  const wanted = wantedChange(deps, current, change)
  const { destination, ...rest } = wanted
  if (destination === undefined || deps.config.destinationChangeDelayMinutes === 0)
    return await changeAccount(deps, current, 'virtual_account.update', wanted, actorOf(business))
  if (rest.developerFeePercent !== undefined)
    // The answer to the request is the destination's, which is still to come.
    await changeAccount({ ...deps, heldKey: null }, current, 'virtual_account.update', rest, actorOf(business))
  return await scheduleDestination(deps, current, destination, actorOf(business))
}

function wantedChange(deps: Deps, current: store.VirtualAccountRow, change: AccountChange): WantedChange {
  const faults: Fault[] = []
  const wanted: WantedChange = {}
  if (change.destination !== undefined) {
    const { sourceCurrency: _, ...destination } = readDestination(
      deps,
      current.sourceCurrency,
      change.destination,
      faults,
    )
    requireMemoAgain(current, destination, faults)
    wanted.destination = destination
  }
  if (change.developer_fee_percent !== undefined)
    wanted.developerFeePercent = readFee(deps, change.developer_fee_percent, faults)
  refuseFaults(faults)
  return wanted
}

/** Stops, or takes up again, the acceptance of deposits. @throws ApiError as `updateVirtualAccount` */
export async function switchVirtualAccount(
  deps: Deps,
  business: Business,
  id: string,
  to: 'active' | 'deactivated',
): Promise<VirtualAccountView> {
  const current = await deps.db.read((query) => accountOf(query, business, id))
  if (current.status === to) return virtualAccountView(current)
  const kind = to === 'active' ? 'virtual_account.reactivate' : 'virtual_account.deactivate'
  return await changeAccount(deps, current, kind, {}, actorOf(business))
}

export type ChangeKind = 'virtual_account.update' | 'virtual_account.deactivate' | 'virtual_account.reactivate'

export type WantedChange = { destination?: CheckedDestination; developerFeePercent?: string }

/** What an operation keeps, to be sent again, and who wanted it. */
type ChangeRequest = WantedChange & { actor?: string; requestId?: string | null }

async function changeAccount(
  deps: Deps,
  seen: store.VirtualAccountRow,
  kind: ChangeKind,
  wanted: WantedChange,
  by: Actor,
): Promise<VirtualAccountView> {
  const { businessId, id } = seen
  // Most of those who come too early are told so without a transaction.
  if (await isCallUnderWay(deps, businessId, id)) throw changeInProgress()
  const operation = await transactionUnlessBusy(deps, changeInProgress, async (tx) => {
    requireChangeable(await lockedAccount(tx, seen))
    const begun = await beginChange(deps, tx, { businessId, id }, kind, wanted, by)
    if (begun === null) throw changeInProgress()
    // What waited is overtaken by what counts at once.
    if (wanted.destination && seen.pendingDestination) await savePendingDestination(tx, businessId, id, null)
    return begun
  })
  return await completeChange(deps, operation)
}

/** @returns null when another change of the account is under way */
export async function beginChange(
  deps: Deps,
  tx: Tx,
  { businessId, id }: { businessId: string; id: string },
  kind: ChangeKind,
  wanted: WantedChange,
  by: Actor,
): Promise<Operation | null> {
  if (await isOperationOpen(tx, { businessId, subjectId: id }, kind)) return null
  const fingerprints = deps.secrets.fingerprints(kind, JSON.stringify(wanted))
  const request = { ...wanted, actor: by.name, requestId: by.requestId }
  const begun = await beginOperation(deps, tx, { businessId, kind, subjectId: id, fingerprints, request })
  return typeof begun === 'string' ? null : begun.operation
}

const changeEvents = {
  'virtual_account.update': 'virtual_account.updated',
  'virtual_account.deactivate': 'virtual_account.deactivated',
  'virtual_account.reactivate': 'virtual_account.reactivated',
} as const satisfies Record<ChangeKind, string>

/** Makes the change at the provider, now or as a repeat. */
export async function completeChange(deps: Deps, operation: Operation): Promise<VirtualAccountView> {
  const { businessId, subjectId } = operation
  const account = await getAccount(deps, businessId, subjectId)
  const { providerCustomerId: customer, providerVirtualAccountId: id } = account
  if (customer === null || id === null) throw new Error(`account ${account.id} is not open at the provider`)
  const kind = operation.kind as ChangeKind // the resume loop calls this for these kinds only
  // One that was begun before audit entries came names nobody.
  const { actor = 'causeway', requestId = null, ...wanted } = (operation.request ?? {}) as ChangeRequest // written by beginChange, in this shape
  const by: Actor = { name: actor, requestId }
  const { destination, ...fee } = wanted
  const { travelRuleData: _, ...kept } = destination ?? {}
  const upstream = upstreamChange(wanted)
  return await performOperation(deps, operation, {
    call: async (write) => {
      if (kind === 'virtual_account.deactivate')
        return await deps.provider.deactivateVirtualAccount(customer, id, write)
      if (kind === 'virtual_account.reactivate')
        return await deps.provider.reactivateVirtualAccount(customer, id, write)
      const made = await deps.provider.updateVirtualAccount(customer, id, upstream)
      if (!destination || !goesElsewhere(destination, made.destination)) return made
      // The old destination stays shown: the next reading of the account tells what the provider made of it.
      reportMismatch(deps, account, made, 'destination_mismatch')
      throw new ProviderError('rejected', { code: 'destination_mismatch' })
    },
    lock: (tx) => lockedAccount(tx, account),
    settle: async (tx, made, before) => {
      const status = made.status === 'deactivated' ? 'deactivated' : 'active'
      const wasWaiting = destination !== undefined && (await endDestination(tx, businessId, subjectId))
      const row = await store.updateVirtualAccount(tx, businessId, subjectId, { ...kept, ...fee, status })
      // A request whose answer was lost, made once more: the provider has it as it was, and it has been told.
      if (!wasWaiting && showsTheSame(before, row)) return virtualAccountView(row)
      const view = await announce(deps, tx, changeEvents[kind], row)
      if (destination) await auditDestination(deps, tx, account, 'changed', by, destination)
      if (kind !== 'virtual_account.update')
        await appendAudit(deps, tx, by, { businessId, action: changeEvents[kind], subjectId })
      return view
    },
    undo: async (tx) => {
      if (!destination) return
      // Nobody waits for the answer to a change that had waited itself.
      if (await endDestination(tx, businessId, subjectId))
        await announce(deps, tx, 'virtual_account.updated', await store.getVirtualAccount(tx, businessId, subjectId))
      await auditDestination(deps, tx, account, 'refused', by, destination)
    },
    rejection: (error) => accountRejection(error, account.externalUserId, upstream),
  })
}

function showsTheSame(before: store.VirtualAccountRow, after: store.VirtualAccountRow): boolean {
  const shown = (row: store.VirtualAccountRow) => JSON.stringify({ ...virtualAccountView(row), updatedAt: null })
  return shown(before) === shown(after)
}

function upstreamChange(wanted: WantedChange) {
  const { destination, developerFeePercent } = wanted
  return {
    ...(destination === undefined ? {} : { destination: upstreamDestination(destination) }),
    ...(destination?.travelRuleData ? { travelRuleData: destination.travelRuleData } : {}),
    ...(developerFeePercent === undefined ? {} : { developerFeePercent }),
  }
}
