// The way an account's money takes: whether currency, rail, wallet address and fee of a request go together, whether the
// end-user is approved for it, and what a refusal of the provider means to the caller.

import type { JsonObject } from '../domain/json.ts'
import { parseFeePercent } from '../domain/money.ts'
import { checkPair, defaultRails, type FiatCurrency } from '../domain/rails.ts'
import { checkWalletAddress } from '../domain/wallet-address.ts'
import { type ApiError, type ErrorCode, fail } from '../errors.ts'
import type { ProviderError, VirtualAccountInput } from '../provider/port.ts'
import type { EndUserRow } from '../store/end-users.ts'
import type { Deps } from './deps.ts'
import { nextActionFor } from './onboarding.ts'
import { providerRejection } from './upstream.ts'

/** As callers write it. */
export type Destination = { payment_rail: string; currency: string; address: string; blockchain_memo?: string }

/** As accounts keep it. */
export type CheckedDestination = {
  destinationPaymentRail: string
  destinationCurrency: string
  destinationAddress: string
  destinationMemo: string | null
}

/** @throws ApiError `unsupported_currency`, `unsupported_payment_rail`, `invalid_destination_address` */
export function checkedDestination(
  currency: string,
  destination: Destination,
): CheckedDestination & { sourceCurrency: FiatCurrency } {
  const pair = checkPair(defaultRails, {
    sourceCurrency: currency,
    paymentRail: destination.payment_rail,
    currency: destination.currency,
  })
  if (!pair.ok) throw fieldFault(pair.code, pair.param, pair.message)
  const address = checkWalletAddress(destination.payment_rail, destination.address, destination.blockchain_memo)
  if (!address.ok) throw fieldFault('invalid_destination_address', address.param, `${address.param} ${address.rule}.`)
  return {
    sourceCurrency: pair.sourceCurrency,
    destinationPaymentRail: destination.payment_rail,
    destinationCurrency: destination.currency,
    destinationAddress: address.address,
    destinationMemo: destination.blockchain_memo ?? null,
  }
}

/**
 * The provider merges a change into what it has, so a memo that is not sent again would stay with the new address, and
 * the money with whoever that memo means.
 * @throws ApiError `invalid_destination_address`
 */
export function requireMemoAgain(held: CheckedDestination, wanted: CheckedDestination): void {
  const keepsRail = held.destinationPaymentRail === wanted.destinationPaymentRail
  if (held.destinationMemo === null || wanted.destinationMemo !== null || !keepsRail) return
  const param = 'destination.blockchain_memo'
  throw fieldFault('invalid_destination_address', param, `${param} is required: the account has one, which would stay.`)
}

/** @returns the fee as it was sent; "0" when none was. @throws ApiError `invalid_developer_fee_percent` */
export function checkedFee(deps: Deps, value: unknown): string {
  const fee = parseFeePercent(value, deps.config.developerFeePercentMax)
  if (fee.ok) return fee.value
  const param = 'developer_fee_percent'
  throw fieldFault('invalid_developer_fee_percent', param, `${param} ${fee.rule}. ${fee.hint}`)
}

function fieldFault(code: ErrorCode, param: string, message: string): ApiError {
  return fail(code, { message, details: [{ param, code, message }] })
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
