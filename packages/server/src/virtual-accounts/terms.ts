// The way an account's money takes: whether currency, rail, wallet address and fee of a request go together, whether the
// end-user is approved for it, and what a refusal of the provider means to the caller.

import type { Deps } from '../app/context.ts'
import { type EndUserRow, nextActionFor } from '../end-users/service.ts'
import { type ApiError, type ErrorCode, fail } from '../platform/errors.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { parseFeePercent } from '../platform/values/money.ts'
import { chainOf, checkPair, type FiatCurrency } from '../platform/values/rails.ts'
import { providerRejection } from '../provider/operations/rejection.ts'
import type { ProviderError } from '../provider/port.ts'
import type { VirtualAccountInput } from '../provider/types.ts'
import type { VirtualAccountRow } from './store.ts'
import { checkWalletAddress } from './wallet-address.rules.ts'

/** As callers write it. */
export type Destination = {
  payment_rail: string
  currency: string
  address: string
  blockchain_memo?: string
  travel_rule_data?: JsonObject
}

/** As accounts keep it. */
export type CheckedDestination = {
  destinationPaymentRail: string
  destinationCurrency: string
  destinationAddress: string
  destinationMemo: string | null
  /** For the provider only: forgotten once it was told. */
  travelRuleData?: JsonObject | null
}

const travelRuleBytesMax = 4_096

/** What is wrong with a request: collected, so that a caller is told everything at once. */
export type Fault = { code: ErrorCode; param: string; message: string }

/** @throws ApiError when there are any: with the first one's code, and all of them in `details` */
export function refuseFaults(faults: readonly Fault[]): void {
  const [first] = faults
  if (first) throw fail(first.code, { message: first.message, details: [...faults] })
}

/**
 * Whether money paid in this currency can go there. What is given back counts only when nothing was added to `faults`:
 * `unsupported_currency`, `unsupported_payment_rail`, `invalid_destination_address`.
 */
export function readDestination(
  deps: Deps,
  currency: string,
  destination: Destination,
  faults: Fault[],
): Required<CheckedDestination> & { sourceCurrency: FiatCurrency } {
  const { payment_rail: paymentRail, address: given, blockchain_memo: memo } = destination
  const { rails } = deps.config
  const pair = checkPair(rails, { sourceCurrency: currency, paymentRail, currency: destination.currency })
  if (!pair.ok) faults.push(...pair.faults.map(({ code, param, message }) => ({ code, param, message })))
  // Of a rail that is wrong nothing more can be said.
  const isRailWrong = !pair.ok && pair.faults.some(({ param }) => param === 'destination.payment_rail')
  const address =
    isRailWrong || !chainOf(rails, paymentRail) ? null : checkWalletAddress(paymentRail, given, memo, rails)
  if (address?.ok === false)
    faults.push({
      code: 'invalid_destination_address',
      param: address.param,
      message: `${address.param} ${address.rule}.`,
    })
  if (Buffer.byteLength(JSON.stringify(destination.travel_rule_data ?? null)) > travelRuleBytesMax) {
    const param = 'destination.travel_rule_data'
    faults.push({ code: 'invalid_length', param, message: `${param} must not exceed ${travelRuleBytesMax} bytes.` })
  }
  return {
    sourceCurrency: pair.ok ? pair.sourceCurrency : 'usd',
    destinationPaymentRail: paymentRail,
    destinationCurrency: destination.currency,
    destinationAddress: address?.ok ? address.address : given,
    destinationMemo: memo ?? null,
    travelRuleData: destination.travel_rule_data ?? null,
  }
}

/**
 * The provider merges a change into what it has, so a memo that is not sent again would stay with the new address, and
 * the money with whoever that memo means: `invalid_destination_address`.
 */
export function requireMemoAgain(held: CheckedDestination, wanted: CheckedDestination, faults: Fault[]): void {
  const keepsRail = held.destinationPaymentRail === wanted.destinationPaymentRail
  if (held.destinationMemo === null || wanted.destinationMemo !== null || !keepsRail) return
  const param = 'destination.blockchain_memo'
  const message = `${param} is required: the account has one, which would stay.`
  faults.push({ code: 'invalid_destination_address', param, message })
}

/** @returns the fee as it was sent; "0" when none was. Adds `invalid_developer_fee_percent` */
export function readFee(deps: Deps, value: unknown, faults: Fault[]): string {
  const fee = parseFeePercent(value, deps.config.developerFeePercentMax)
  if (fee.ok) return fee.value
  const param = 'developer_fee_percent'
  faults.push({ code: 'invalid_developer_fee_percent', param, message: `${param} ${fee.rule}. ${fee.hint}` })
  return '0'
}

export function upstreamDestination(destination: CheckedDestination): VirtualAccountInput['destination'] {
  return {
    paymentRail: destination.destinationPaymentRail,
    currency: destination.destinationCurrency,
    address: destination.destinationAddress,
    ...(destination.destinationMemo === null ? {} : { memo: destination.destinationMemo }),
  }
}

/** Why this end-user can not have an account in this currency yet; null when nothing stands in the way. */
export function railRefusal(deps: Deps, user: EndUserRow, currency: FiatCurrency): ApiError | null {
  const rail = user.rails[currency] ?? 'inactive'
  if (user.kycStatus === 'approved' && rail === 'active' && user.providerCustomerId !== null) return null
  const action = nextActionFor(user, deps.now(), null, { currency })
  return fail(user.kycStatus === 'approved' ? 'rail_not_enabled' : 'kyc_not_approved', {
    facts: { externalUserId: user.externalUserId },
    details: [
      {
        param: 'kycStatus',
        code: user.kycStatus,
        message: `The end-user's kycStatus is ${user.kycStatus}; ${currency} is ${rail}.`,
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

/** The provider's verdict may be newer than ours: its event about the end-user is then still on its way. */
export function accountRejection(error: ProviderError, externalUserId: string, sent: JsonObject): ApiError {
  const code = refusalCodes[error.code ?? '']
  if (code === undefined) return providerRejection(error, sent)
  const message = 'The provider does not hold this end-user approved for this account.'
  const details = [{ param: 'externalUserId', code, message }]
  return fail(code, { facts: { externalUserId }, details, cause: error })
}

/** @throws ApiError `account_state_conflict` */
export function requireChangeable(account: Pick<VirtualAccountRow, 'status'>): void {
  if (account.status === 'pending' || account.status === 'failed') throw stateConflict(account)
}

export function stateConflict(account: Pick<VirtualAccountRow, 'status'>): ApiError {
  const message = `The virtual account is ${account.status}.`
  return fail('account_state_conflict', { details: [{ param: 'status', code: account.status, message }] })
}
