// Virtual accounts: bank details whose deposits become crypto transfers to a wallet.

import type { Business } from '../domain/business.ts'
import { makeId } from '../domain/ids.ts'
import type { JsonObject } from '../domain/json.ts'
import { parseFeePercent } from '../domain/money.ts'
import { checkPair, defaultRails, type FiatCurrency } from '../domain/rails.ts'
import { checkWalletAddress } from '../domain/wallet-address.ts'
import { type ApiError, type ErrorCode, fail } from '../errors.ts'
import type { ProviderError, ProviderVirtualAccount } from '../provider/port.ts'
import type { Tx } from '../store/db.ts'
import type { EndUserRow } from '../store/end-users.ts'
import { hurryUnrouted } from '../store/events.ts'
import { handToResume, type OperationRow } from '../store/operations.ts'
import type { Page, PageRequest } from '../store/paging.ts'
import * as store from '../store/virtual-accounts.ts'
import type { Deps } from './deps.ts'
import { endUserOf, nextActionFor } from './onboarding.ts'
import { appendOwnEvent } from './own-events.ts'
import { beginUpstream, performUpstream, providerRejection } from './upstream.ts'
import { virtualAccountView } from './views.ts'

export type VirtualAccountView = ReturnType<typeof virtualAccountView>

export type NewVirtualAccount = {
  externalUserId: string
  source: { currency: string }
  destination: { payment_rail: string; currency: string; address: string; blockchain_memo?: string }
  developer_fee_percent?: unknown
  onPendingKyc?: 'reject' | 'wait'
}

type CheckedRoute = {
  sourceCurrency: FiatCurrency
  destinationPaymentRail: string
  destinationCurrency: string
  destinationAddress: string
  destinationMemo: string | null
  developerFeePercent: string
}

/**
 * Creates an account. With `onPendingKyc: "wait"` an end-user who is not approved yet gets a `pending` account, which
 * is opened by itself once KYC is approved.
 * @throws ApiError 400 (`unsupported_currency`, `unsupported_payment_rail`, `invalid_destination_address`,
 *   `invalid_developer_fee_percent`), `holder_not_found`, `kyc_not_approved`, `rail_not_enabled`, `tos_not_accepted`,
 *   `provider_rejected`, `provider_unavailable`, `provider_timeout`
 */
export async function createVirtualAccount(
  deps: Deps,
  business: Business,
  input: NewVirtualAccount,
): Promise<VirtualAccountView> {
  const route = checkedRoute(deps, input)
  const wait = input.onPendingKyc === 'wait'
  const id = makeId('virtualAccount', deps.randomBytes(16))
  const begun = await deps.db.transaction(async (tx) => {
    const user = await endUserOf(tx, business, input.externalUserId)
    const refusal = railRefusal(deps, user, route.sourceCurrency)
    if (refusal && !wait) throw refusal
    await store.insertVirtualAccount(tx, {
      ...route,
      businessId: business.id,
      id,
      endUserId: user.id,
      waitingForKyc: refusal !== null,
    })
    return refusal ? null : await beginCreation(deps, tx, business.id, id)
  })
  if (begun !== null) return await completeCreation(deps, begun, 'remove')
  return virtualAccountView(await deps.db.read((query) => store.getVirtualAccount(query, business.id, id)))
}

async function beginCreation(deps: Deps, tx: Tx, businessId: string, accountId: string): Promise<OperationRow> {
  const intent = { businessId, kind: 'virtual_account.create', subjectId: accountId, request: { accountId } } as const
  const begun = await beginUpstream(deps, tx, intent)
  if (typeof begun === 'string') throw fail('account_change_in_progress', { retryAfterSeconds: 2 })
  return begun.operation
}

/**
 * Opens the account at the provider, now or as a repeat under the same key.
 * @param onRefusal what becomes of the row when the provider refuses: `remove` where the caller is told in the same
 *   breath, `fail` where it is not, so that it finds out
 */
export async function completeCreation(
  deps: Deps,
  operation: OperationRow,
  onRefusal: 'remove' | 'fail',
): Promise<VirtualAccountView> {
  const account = await deps.db.read((query) =>
    store.getVirtualAccount(query, operation.businessId, operation.subjectId),
  )
  const { providerCustomerId } = account
  if (providerCustomerId === null) throw new Error(`account ${account.id} has no provider customer`)
  const input = {
    sourceCurrency: account.sourceCurrency,
    destination: {
      paymentRail: account.destinationPaymentRail,
      currency: account.destinationCurrency,
      address: account.destinationAddress,
      ...(account.destinationMemo === null ? {} : { memo: account.destinationMemo }),
    },
    developerFeePercent: account.developerFeePercent,
  }
  return await performUpstream(deps, operation, {
    call: (write) => deps.provider.createVirtualAccount(providerCustomerId, input, write),
    settle: (tx, made) => openAccount(deps, tx, account, made),
    undo: async (tx, code) => {
      if (onRefusal === 'remove') await store.deletePendingAccount(tx, account.businessId, account.id)
      else await failAccount(deps, tx, account, code)
    },
    rejection: (error) => accountRejection(error, account.externalUserId, input),
  })
}

async function openAccount(deps: Deps, tx: Tx, account: store.VirtualAccountRow, made: ProviderVirtualAccount) {
  const row = await store.updateVirtualAccount(tx, account.businessId, account.id, {
    status: made.status === 'deactivated' ? 'deactivated' : 'active',
    providerVirtualAccountId: made.id,
    instructions: made.instructions,
    waitingForKyc: false,
  })
  // A deposit's event may have overtaken this answer.
  await hurryUnrouted(tx, [made.id])
  deps.wake('apply')
  return await announce(deps, tx, 'virtual_account.created', row)
}

async function failAccount(deps: Deps, tx: Tx, account: store.VirtualAccountRow, failureCode: string): Promise<void> {
  const row = await store.updateVirtualAccount(tx, account.businessId, account.id, { status: 'failed', failureCode })
  await announce(deps, tx, 'virtual_account.failed', row)
}

type AccountEvent =
  | 'virtual_account.created'
  | 'virtual_account.updated'
  | 'virtual_account.deactivated'
  | 'virtual_account.reactivated'
  | 'virtual_account.failed'

async function announce(
  deps: Deps,
  tx: Tx,
  type: AccountEvent,
  row: store.VirtualAccountRow,
): Promise<VirtualAccountView> {
  const view = virtualAccountView(row)
  const owner = {
    businessId: row.businessId,
    endUserId: row.endUserId,
    virtualAccountId: row.id,
    externalUserId: row.externalUserId,
  }
  await appendOwnEvent(deps, tx, type, owner, view)
  return view
}

/** Starts the accounts that waited for this end-user's approval; the resume loop opens them. */
export async function startWaitingAccounts(deps: Deps, tx: Tx, user: EndUserRow): Promise<void> {
  for (const account of await store.listWaitingAccounts(tx, user.businessId, user.id)) {
    if (railRefusal(deps, user, account.sourceCurrency)) continue
    await store.updateVirtualAccount(tx, account.businessId, account.id, { waitingForKyc: false })
    const operation = await beginCreation(deps, tx, account.businessId, account.id)
    await handToResume(tx, operation)
  }
  deps.wake('resume')
}

/** @throws ApiError `virtual_account_not_found` */
export async function getVirtualAccount(deps: Deps, business: Business, id: string): Promise<VirtualAccountView> {
  return virtualAccountView(await deps.db.read((query) => accountOf(query, business, id)))
}

export async function listVirtualAccounts(
  deps: Deps,
  business: Business,
  filter: store.VirtualAccountFilter,
  page: PageRequest,
): Promise<Page<store.VirtualAccountRow>> {
  return await deps.db.read((query) => store.listVirtualAccounts(query, business.id, filter, page))
}

export async function accountOf(query: Parameters<typeof store.findVirtualAccount>[0], business: Business, id: string) {
  const row = await store.findVirtualAccount(query, business.id, id)
  if (!row) throw fail('virtual_account_not_found', { param: 'id' })
  return row
}

export type AccountChange = { destination?: NewVirtualAccount['destination']; developer_fee_percent?: unknown }

/**
 * Changes where deposits go, or the fee. The whole destination is given, so that a rail can not keep another's address.
 * @throws ApiError as creation, and `virtual_account_not_found`, `account_state_conflict`, `account_change_in_progress`
 */
export async function updateVirtualAccount(
  deps: Deps,
  business: Business,
  id: string,
  change: AccountChange,
): Promise<VirtualAccountView> {
  const current = await deps.db.read((query) => accountOf(query, business, id))
  const route = checkedRoute(deps, {
    externalUserId: current.externalUserId,
    source: { currency: current.sourceCurrency },
    destination: change.destination ?? destinationOf(current),
    developer_fee_percent: change.developer_fee_percent ?? current.developerFeePercent,
  })
  return await changeAccount(deps, current, 'virtual_account.update', {
    destinationPaymentRail: route.destinationPaymentRail,
    destinationCurrency: route.destinationCurrency,
    destinationAddress: route.destinationAddress,
    destinationMemo: route.destinationMemo,
    developerFeePercent: route.developerFeePercent,
  })
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
  return await changeAccount(
    deps,
    current,
    to === 'active' ? 'virtual_account.reactivate' : 'virtual_account.deactivate',
    {},
  )
}

type ChangeKind = 'virtual_account.update' | 'virtual_account.deactivate' | 'virtual_account.reactivate'

async function changeAccount(
  deps: Deps,
  account: store.VirtualAccountRow,
  kind: ChangeKind,
  request: Record<string, string | null>,
) {
  if (account.status === 'pending' || account.status === 'failed') throw stateConflict(account)
  const fingerprint = deps.secrets.fingerprint(kind, JSON.stringify(request))
  const begun = await deps.db.transaction((tx) =>
    beginUpstream(deps, tx, { businessId: account.businessId, kind, subjectId: account.id, fingerprint, request }),
  )
  if (typeof begun === 'string') throw fail('account_change_in_progress', { retryAfterSeconds: 2 })
  return await completeChange(deps, begun.operation)
}

const changeEvents = {
  'virtual_account.update': 'virtual_account.updated',
  'virtual_account.deactivate': 'virtual_account.deactivated',
  'virtual_account.reactivate': 'virtual_account.reactivated',
} as const

/** Makes the change at the provider, now or as a repeat. */
export async function completeChange(deps: Deps, operation: OperationRow): Promise<VirtualAccountView> {
  const account = await deps.db.read((query) =>
    store.getVirtualAccount(query, operation.businessId, operation.subjectId),
  )
  const { providerCustomerId: customer, providerVirtualAccountId: id } = account
  if (customer === null || id === null) throw new Error(`account ${account.id} is not open at the provider`)
  const kind = operation.kind as ChangeKind
  const wanted = (operation.request ?? {}) as store.VirtualAccountChange // written by changeAccount, in this shape
  return await performUpstream(deps, operation, {
    call: (write) => {
      if (kind === 'virtual_account.deactivate') return deps.provider.deactivateVirtualAccount(customer, id, write)
      if (kind === 'virtual_account.reactivate') return deps.provider.reactivateVirtualAccount(customer, id, write)
      return deps.provider.updateVirtualAccount(customer, id, upstreamChange(wanted))
    },
    settle: async (tx, made) => {
      const status = made.status === 'deactivated' ? 'deactivated' : 'active'
      const row = await store.updateVirtualAccount(tx, account.businessId, account.id, { ...wanted, status })
      return await announce(deps, tx, changeEvents[kind], row)
    },
    rejection: (error) => accountRejection(error, account.externalUserId, { ...operation.request }),
  })
}

function upstreamChange(wanted: store.VirtualAccountChange) {
  return {
    destination: {
      ...(wanted.destinationPaymentRail === undefined ? {} : { paymentRail: wanted.destinationPaymentRail }),
      ...(wanted.destinationCurrency === undefined ? {} : { currency: wanted.destinationCurrency }),
      ...(wanted.destinationAddress === undefined ? {} : { address: wanted.destinationAddress }),
      ...(wanted.destinationMemo ? { memo: wanted.destinationMemo } : {}),
    },
    ...(wanted.developerFeePercent === undefined ? {} : { developerFeePercent: wanted.developerFeePercent }),
  }
}

function destinationOf(row: store.VirtualAccountRow): NewVirtualAccount['destination'] {
  return {
    payment_rail: row.destinationPaymentRail,
    currency: row.destinationCurrency,
    address: row.destinationAddress,
    ...(row.destinationMemo === null ? {} : { blockchain_memo: row.destinationMemo }),
  }
}

function checkedRoute(deps: Deps, input: NewVirtualAccount): CheckedRoute {
  const { source, destination } = input
  const pair = checkPair(defaultRails, {
    sourceCurrency: source.currency,
    paymentRail: destination.payment_rail,
    currency: destination.currency,
  })
  if (!pair.ok) throw fieldFault(pair.code, pair.param, pair.message)
  const address = checkWalletAddress(destination.payment_rail, destination.address, destination.blockchain_memo)
  if (!address.ok) throw fieldFault('invalid_destination_address', address.param, `${address.param} ${address.rule}.`)
  const fee = parseFeePercent(input.developer_fee_percent, deps.config.developerFeePercentMax)
  if (!fee.ok) {
    throw fieldFault(
      'invalid_developer_fee_percent',
      'developer_fee_percent',
      `developer_fee_percent ${fee.rule}. ${fee.hint}`,
    )
  }
  return {
    sourceCurrency: pair.sourceCurrency,
    destinationPaymentRail: destination.payment_rail,
    destinationCurrency: destination.currency,
    destinationAddress: address.address,
    destinationMemo: destination.blockchain_memo ?? null,
    developerFeePercent: fee.value,
  }
}

function fieldFault(code: ErrorCode, param: string, message: string): ApiError {
  return fail(code, { message, details: [{ param, code, message }] })
}

/** Why this end-user can not have an account in this currency yet; null when nothing stands in the way. */
function railRefusal(deps: Deps, user: EndUserRow, currency: string): ApiError | null {
  const railOpen = user.rails[currency] === 'active'
  if (user.kycStatus === 'approved' && railOpen && user.providerCustomerId !== null) return null
  const action = nextActionFor(user, deps.now(), null)
  const code = user.kycStatus === 'approved' ? 'rail_not_enabled' : 'kyc_not_approved'
  return fail(code, {
    facts: { externalUserId: user.externalUserId },
    details: [
      {
        param: 'kycStatus',
        code: user.kycStatus,
        message: `The end-user's kycStatus is ${user.kycStatus}; ${currency} is ${user.rails[currency] ?? 'inactive'}.`,
      },
      { param: 'nextAction', code: action.kind, message: `The next action is ${action.kind}.` },
    ],
  })
}

const refusalCodes: Readonly<Record<string, ErrorCode>> = {
  has_not_accepted_tos: 'tos_not_accepted',
  requires_active_kyc_status: 'kyc_not_approved',
  missing_required_endorsements: 'rail_not_enabled',
  endorsement_requirements_not_met: 'rail_not_enabled',
}

/** The provider's verdict may be newer than ours. */
function accountRejection(error: ProviderError, externalUserId: string, sent: JsonObject): ApiError {
  const code = refusalCodes[error.code ?? '']
  return code ? fail(code, { facts: { externalUserId }, cause: error }) : providerRejection(error, sent)
}

function stateConflict(account: store.VirtualAccountRow): ApiError {
  const message = `The virtual account is ${account.status}.`
  return fail('account_state_conflict', { details: [{ param: 'status', code: account.status, message }] })
}
