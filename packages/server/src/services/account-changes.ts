// Changes of an open virtual account: where deposits go, the fee, stopped and taken up again. One at a time for an account,
// because the provider's answer to one would overwrite what another has just settled.

import type { Business } from '../domain/business.ts'
import { type ApiError, fail } from '../errors.ts'
import { type OperationRow, openOperationKinds } from '../store/operations.ts'
import * as store from '../store/virtual-accounts.ts'
import {
  accountRejection,
  type CheckedDestination,
  checkedDestination,
  checkedFee,
  type Destination,
  requireMemoAgain,
  upstreamDestination,
} from './account-route.ts'
import type { Deps } from './deps.ts'
import { beginUpstream, performUpstream } from './upstream.ts'
import { virtualAccountView } from './views.ts'
import { accountOf, announce, type VirtualAccountView } from './virtual-accounts.ts'

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
  const wanted: WantedChange = {}
  if (change.destination !== undefined) {
    const { sourceCurrency: _, ...destination } = checkedDestination(current.sourceCurrency, change.destination)
    requireMemoAgain(current, destination)
    wanted.destination = destination
  }
  if (change.developer_fee_percent !== undefined)
    wanted.developerFeePercent = checkedFee(deps, change.developer_fee_percent)
  return await changeAccount(deps, current, 'virtual_account.update', wanted)
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
  return await changeAccount(deps, current, kind, {})
}

type ChangeKind = 'virtual_account.update' | 'virtual_account.deactivate' | 'virtual_account.reactivate'

/** What an operation keeps, to be sent again. */
type WantedChange = { destination?: CheckedDestination; developerFeePercent?: string }

async function changeAccount(
  deps: Deps,
  seen: store.VirtualAccountRow,
  kind: ChangeKind,
  request: WantedChange,
): Promise<VirtualAccountView> {
  const { businessId, id } = seen
  const fingerprint = deps.secrets.fingerprint(kind, JSON.stringify(request))
  const operation = await deps.db.transaction(async (tx) => {
    const account = await store.lockVirtualAccount(tx, businessId, id)
    if (account.status === 'pending' || account.status === 'failed') throw stateConflict(account)
    const others = (await openOperationKinds(tx, businessId, id)).filter((open) => open !== kind)
    if (others.length > 0) throw changeInProgress()
    const begun = await beginUpstream(deps, tx, { businessId, kind, subjectId: id, fingerprint, request })
    if (typeof begun === 'string') throw changeInProgress()
    return begun.operation
  })
  return await completeChange(deps, operation)
}

const changeEvents = {
  'virtual_account.update': 'virtual_account.updated',
  'virtual_account.deactivate': 'virtual_account.deactivated',
  'virtual_account.reactivate': 'virtual_account.reactivated',
} as const satisfies Record<ChangeKind, string>

/** Makes the change at the provider, now or as a repeat. */
export async function completeChange(deps: Deps, operation: OperationRow): Promise<VirtualAccountView> {
  const { businessId, subjectId } = operation
  const account = await deps.db.read((query) => store.getVirtualAccount(query, businessId, subjectId))
  const { providerCustomerId: customer, providerVirtualAccountId: id } = account
  if (customer === null || id === null) throw new Error(`account ${account.id} is not open at the provider`)
  const kind = operation.kind as ChangeKind // the resume loop calls this for these kinds only
  const wanted = (operation.request ?? {}) as WantedChange // written by changeAccount, in this shape
  const upstream = upstreamChange(wanted)
  return await performUpstream(deps, operation, {
    call: (write) => {
      if (kind === 'virtual_account.deactivate') return deps.provider.deactivateVirtualAccount(customer, id, write)
      if (kind === 'virtual_account.reactivate') return deps.provider.reactivateVirtualAccount(customer, id, write)
      return deps.provider.updateVirtualAccount(customer, id, upstream)
    },
    settle: async (tx, made) => {
      const status = made.status === 'deactivated' ? 'deactivated' : 'active'
      const { destination, ...fee } = wanted
      const row = await store.updateVirtualAccount(tx, businessId, subjectId, { ...destination, ...fee, status })
      return await announce(deps, tx, changeEvents[kind], row)
    },
    rejection: (error) => accountRejection(error, account.externalUserId, upstream),
  })
}

function upstreamChange(wanted: WantedChange) {
  const { destination, developerFeePercent } = wanted
  return {
    ...(destination === undefined ? {} : { destination: upstreamDestination(destination) }),
    ...(developerFeePercent === undefined ? {} : { developerFeePercent }),
  }
}

function changeInProgress(): ApiError {
  return fail('account_change_in_progress', { retryAfterSeconds: 2 })
}

function stateConflict(account: store.VirtualAccountRow): ApiError {
  const message = `The virtual account is ${account.status}.`
  return fail('account_state_conflict', { details: [{ param: 'status', code: account.status, message }] })
}
