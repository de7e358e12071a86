// Virtual accounts for other folders: representation, look-up, locks and events of an account, and reasons to reject a
// request.

import { type EeaPresence, type EndUserRow, nextActionFor } from '../end-users/service.ts'
import type { BusinessEventType } from '../events/catalogue.rules.ts'
import { emit } from '../events/emit.ts'
import type { Core } from '../platform/core.ts'
import { type ApiError, type ErrorCode, fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { accountAnswersRefused } from '../platform/observe/metrics.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { JsonObject } from '../platform/values/json.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import { isoTime } from '../platform/values/time.ts'
import { providerRejection } from '../provider/operations/rejection.ts'
import type { Account, ProviderError, Refusal } from '../provider/port.ts'
import type { Accounts } from './ports.ts'
import { type AccountPart, firstNumbers, suspensionOf } from './standing/standing.rules.ts'
import * as store from './store.ts'
import { type Destination, destinationView } from './terms/destination.rules.ts'
import { type FeeRules, isCoinRefused, type Mismatch } from './terms/terms.rules.ts'

export type VirtualAccount = store.VirtualAccountRow

// Statements for use by other folders; all except the last cross businesses.
export const {
  findAccountOfProvider,
  findVirtualAccount,
  lockAccountOfProvider,
  listAccountsUpstream,
  lockVirtualAccount,
} = store

export type VirtualAccountView = ReturnType<typeof virtualAccountView>

/**
 * Converts an account to its API representation: the specification's nine fields, all strings, and ours. The bank
 * numbers are those of the first rail of the offer.
 */
export function virtualAccountView({ config }: Pick<Core, 'config'>, row: VirtualAccount) {
  const { instructions: bank, pendingDestination: pending, pendingDestinationAt: pendingFrom } = row
  const numbers = bank === null ? {} : firstNumbers(bank, config.rails.fiat[row.sourceCurrency].depositRails)
  return {
    id: row.id,
    bankName: bank?.bankName ?? '',
    bankAccountNumber:
      numbers.iban ?? numbers.clabe ?? numbers.accountNumber ?? numbers.pixCode ?? numbers.breBKey ?? '',
    bankRoutingNumber: numbers.bic ?? numbers.routingNumber ?? numbers.sortCode ?? '',
    beneficiaryName: bank?.beneficiaryName ?? '',
    beneficiaryAddress: bank?.beneficiaryAddress ?? '',
    destinationAddress: row.destinationAddress,
    destinationPaymentRail: row.destinationPaymentRail,
    destinationCurrency: row.destinationCurrency,
    externalUserId: row.externalUserId,
    status: row.status,
    ...(row.status === 'suspended' && row.suspendedReason !== null && { suspendedReason: row.suspendedReason }),
    sourceCurrency: row.sourceCurrency,
    developerFeePercent: row.developerFeePercent,
    ...(row.feeConfig !== null && { feeConfig: row.feeConfig }),
    metadata: row.metadata,
    destination: destinationView(row),
    ...(pending !== null && {
      pendingDestination: destinationView(pending),
      // A destination change that has been sent to the provider has no time.
      ...(pendingFrom !== null && { pendingDestinationFrom: isoTime(pendingFrom) }),
    }),
    ...(row.failureCode !== null && { failureCode: row.failureCode }),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/**
 * Finds an account of this business. An account of another business is not found. @throws ApiError
 * `virtual_account_not_found`
 */
export async function accountOf(query: Query, business: Pick<Business, 'id'>, id: string): Promise<VirtualAccount> {
  return present(await store.findVirtualAccount(query, business.id, id))
}

/**
 * Locks an account for the transaction. @throws ApiError `virtual_account_not_found` if it has been erased in the
 * meantime
 */
export async function lockedAccount(tx: Tx, { businessId, id }: Pick<VirtualAccount, 'businessId' | 'id'>) {
  return present(await store.lockVirtualAccount(tx, businessId, id))
}

function present(account: VirtualAccount | undefined): VirtualAccount {
  if (!account) throw fail('virtual_account_not_found', { param: 'id' })
  return account
}

/** Reads an account as the API shows it. @throws ApiError `virtual_account_not_found` */
export async function getVirtualAccount(deps: Core, business: Business, id: string): Promise<VirtualAccountView> {
  return virtualAccountView(deps, await deps.db.read((query) => accountOf(query, business, id)))
}

export async function listVirtualAccounts(
  deps: Core,
  business: Business,
  filter: store.VirtualAccountFilter,
  page: PageRequest,
): Promise<Page<VirtualAccountView>> {
  const { items, next } = await deps.db.read((query) => store.listVirtualAccounts(query, business.id, filter, page))
  return { items: items.map((row) => virtualAccountView(deps, row)), next }
}

/** Owner of the events about this account and its deposits. */
export function ownerOf({ businessId, endUserId, id, externalUserId }: VirtualAccount) {
  return { businessId, endUserId, virtualAccountId: id, externalUserId }
}

/** Emits the changed parts of an account. @returns the account as the API shows it */
export async function emitUpdated(deps: Core, tx: Tx, account: VirtualAccount, changed: readonly AccountPart[]) {
  const view = virtualAccountView(deps, account)
  await emit(deps, tx, 'virtual_account.updated', ownerOf(account), { ...view, changed: [...changed] })
  return view
}

/** Emits any other event about an account. @returns the account as the event and the API show it */
export async function emitAccount(
  deps: Core,
  tx: Tx,
  type: Exclude<BusinessEventType, 'virtual_account.updated'>,
  account: VirtualAccount,
) {
  const view = virtualAccountView(deps, account)
  await emit(deps, tx, type, ownerOf(account), view)
  return view
}

export function changeInProgress(): ApiError {
  return fail('account_change_in_progress', { retryAfterSeconds: 2 })
}

/** @throws ApiError `account_state_conflict` */
export function requireChangeable(account: Pick<VirtualAccount, 'status'>): void {
  if (account.status === 'pending' || account.status === 'failed') throw stateConflict(account)
}

/**
 * @throws ApiError `virtual_account_suspended` while the end-user cannot receive deposits, also if the account is
 * deactivated
 */
export function requireNotSuspended({ suspendedReason: reason }: Pick<VirtualAccount, 'suspendedReason'>): void {
  if (reason === null) return
  const message = `The provider does not accept deposits for the account: ${reason}.`
  throw fail('virtual_account_suspended', { details: [{ param: 'suspendedReason', code: reason, message }] })
}

export function stateConflict(account: Pick<VirtualAccount, 'status'>): ApiError {
  const message = `The virtual account is ${account.status}.`
  return fail('account_state_conflict', { details: [{ param: 'status', code: account.status, message }] })
}

/** @returns why this end-user cannot have an account in this currency yet; null if there is no obstacle */
export function railRefusal(deps: Core, user: EndUserRow, currency: FiatCurrency): ApiError | null {
  const { kycStatus, externalUserId } = user
  const rail = user.rails[currency] ?? 'inactive'
  if (suspensionOf(user, currency) === null && user.providerCustomerId !== null) return null
  const action = nextActionFor(deps, user, null, { currency })
  const message = `The end-user's kycStatus is ${kycStatus}; ${currency} is ${rail}.`
  return fail(kycStatus === 'approved' ? 'rail_not_enabled' : 'kyc_not_approved', {
    facts: { externalUserId },
    details: [
      { param: 'kycStatus', code: kycStatus, message },
      { param: 'nextAction', code: action.kind, message: `The next action is ${action.kind}.` },
    ],
  })
}

/** The rules for fees: the operator's, and whether the provider supports fees. */
export const feeRulesOf = ({ config, provider: { traits } }: Accounts): FeeRules => ({
  percentMax: config.developerFeePercentMax,
  isOffered: traits.fee !== null,
})

/** @throws ApiError `coin_not_available_in_region` */
export function requireCoin(
  user: EeaPresence,
  { destinationCurrency }: Pick<Destination, 'destinationCurrency'>,
): void {
  if (!isCoinRefused(user, destinationCurrency)) return
  const param = 'destination.currency'
  const message = `The provider does not offer ${destinationCurrency} to end-users in the EEA; usdc and eurc are available.`
  throw fail(coinRefusedCode, { param, message, details: [{ param, code: coinRefusedCode, message }] })
}

/** Also the `failureCode` of an account that waited for KYC. */
export const coinRefusedCode = 'coin_not_available_in_region'

const refusalCodes: Readonly<Partial<Record<Refusal, ErrorCode>>> = {
  terms_not_accepted: 'tos_not_accepted',
  kyc_not_approved: 'kyc_not_approved',
  rail_not_open: 'rail_not_enabled',
}

/** @returns the caller's error for a refusal of the provider, whose verdict may be newer than the stored one */
export function accountRejection(error: ProviderError, externalUserId: string, sent: JsonObject): ApiError {
  const code = error.refusal === null ? undefined : refusalCodes[error.refusal]
  if (code === undefined) return providerRejection(error, sent)
  const message = 'The end-user is not approved at the provider for this account.'
  const details = [{ param: 'externalUserId', code, message }]
  return fail(code, { facts: { externalUserId }, details, cause: error })
}

/** Reports to the operator that the provider has an account, or a destination, that nobody requested. */
export function reportMismatch(
  deps: Core,
  account: Pick<VirtualAccount, 'id'>,
  { id: providerAccount }: Pick<Account, 'id'>,
  code: Mismatch,
): void {
  accountAnswersRefused.inc({ code })
  deps.log.error({ account: account.id, providerAccount, code }, 'provider account differs from the request')
}
