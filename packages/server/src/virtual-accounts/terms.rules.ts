// The terms of an account: whether currency, rail, wallet address and fee of a request go together, and whether what the
// provider tells is what was asked for.

import { type ErrorCode, fail } from '../platform/errors.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { parseDecimal, parseFeePercent } from '../platform/values/money.ts'
import { chainOf, checkPair, type FiatCurrency, type RailTable } from '../platform/values/rails.ts'
import type { ProviderVirtualAccount, VirtualAccountInput } from '../provider/port.ts'
import { type BankDetailsFault, bankDetailsFault } from './bank-details.rules.ts'
import { checkWalletAddress } from './wallet-address.rules.ts'

/** A destination as callers write it. */
export type DestinationInput = {
  payment_rail: string
  currency: string
  address: string
  blockchain_memo?: string
  travel_rule_data?: JsonObject
}

/** A destination as accounts keep it. */
export type Destination = {
  destinationPaymentRail: string
  destinationCurrency: string
  destinationAddress: string
  destinationMemo: string | null
  /** For the provider only: forgotten once the provider has it. */
  travelRuleData?: JsonObject | null
}

const travelRuleBytesMax = 4_096

/** One rule that a request breaks: collected, so that a caller is told of all at once. */
export type Violation = { code: ErrorCode; param: string; message: string }

/** Refuses a request with violations. @throws ApiError with the code of the first, and all of them in `details` */
export function refuseViolations(violations: readonly Violation[]): void {
  const [first] = violations
  if (first) throw fail(first.code, { message: first.message, details: [...violations] })
}

/**
 * Reads the destination of a request, and whether money paid in this currency can go there.
 * @param violations gets `unsupported_currency`, `unsupported_payment_rail`, `invalid_destination_address`,
 *   `invalid_length`; the result counts only when nothing was added
 */
export function readDestination(
  rails: RailTable,
  currency: string,
  { payment_rail: paymentRail, currency: token, address: given, blockchain_memo, travel_rule_data }: DestinationInput,
  violations: Violation[],
): Required<Destination> & { sourceCurrency: FiatCurrency } {
  const pair = checkPair(rails, { sourceCurrency: currency, paymentRail, currency: token })
  if (!pair.ok) violations.push(...pair.faults.map(({ code, param, message }) => ({ code, param, message })))
  // An address is checked by its rail, so not when the rail is wrong.
  const isRailWrong = !pair.ok && pair.faults.some(({ param }) => param === 'destination.payment_rail')
  const hasRail = !isRailWrong && chainOf(rails, paymentRail) !== null
  const address = hasRail ? checkWalletAddress(paymentRail, given, blockchain_memo, rails) : null
  if (address?.ok === false) {
    const { param, rule } = address
    violations.push({ code: 'invalid_destination_address', param, message: `${param} ${rule}.` })
  }
  if (Buffer.byteLength(JSON.stringify(travel_rule_data ?? null)) > travelRuleBytesMax) {
    const param = 'destination.travel_rule_data'
    violations.push({ code: 'invalid_length', param, message: `${param} must not exceed ${travelRuleBytesMax} bytes.` })
  }
  return {
    sourceCurrency: pair.ok ? pair.sourceCurrency : 'usd',
    destinationPaymentRail: paymentRail,
    destinationCurrency: token,
    destinationAddress: address?.ok ? address.address : given,
    destinationMemo: blockchain_memo ?? null,
    travelRuleData: travel_rule_data ?? null,
  }
}

/**
 * Requires a memo in a change of an account that has one. The provider merges a change into what it has, so a memo that is
 * not sent again would stay with the new address, and the money would go to whoever the memo names.
 * @param violations gets `invalid_destination_address`
 */
export function requireMemoAgain(held: Destination, wanted: Destination, violations: Violation[]): void {
  const keepsRail = held.destinationPaymentRail === wanted.destinationPaymentRail
  if (held.destinationMemo === null || wanted.destinationMemo !== null || !keepsRail) return
  const param = 'destination.blockchain_memo'
  const message = `${param} is required: the account has one, which would stay.`
  violations.push({ code: 'invalid_destination_address', param, message })
}

/**
 * Reads the fee of a request.
 * @param violations gets `invalid_developer_fee_percent`
 * @returns the fee as it was sent; "0" when none was
 */
export function readFee(feePercentMax: string | undefined, value: unknown, violations: Violation[]): string {
  const fee = parseFeePercent(value, feePercentMax)
  if (fee.ok) return fee.value
  const param = 'developer_fee_percent'
  violations.push({ code: 'invalid_developer_fee_percent', param, message: `${param} ${fee.rule}. ${fee.hint}` })
  return '0'
}

/** Writes a destination as the provider takes it. */
export function upstreamDestination(destination: Destination): VirtualAccountInput['destination'] {
  return {
    paymentRail: destination.destinationPaymentRail,
    currency: destination.destinationCurrency,
    address: destination.destinationAddress,
    ...(destination.destinationMemo === null ? {} : { memo: destination.destinationMemo }),
  }
}

/** Shown as the `failureCode` of the account. */
export type Mismatch =
  | 'customer_mismatch'
  | 'currency_mismatch'
  | 'destination_mismatch'
  | 'fee_mismatch'
  | BankDetailsFault

type Asked = Destination & {
  sourceCurrency: FiatCurrency
  developerFeePercent: string
  providerCustomerId: string | null
}

/**
 * Compares the provider's account with the request: a payer must never see bank details whose money goes elsewhere.
 * @returns null when nothing contradicts the request and payers have a number to pay to
 */
export function mismatchOf(
  asked: Asked,
  made: Pick<ProviderVirtualAccount, 'customerId' | 'instructions' | 'destination' | 'developerFeePercent'>,
): Mismatch | null {
  if (made.customerId !== null && made.customerId !== asked.providerCustomerId) return 'customer_mismatch'
  if (made.instructions.currency !== asked.sourceCurrency) return 'currency_mismatch'
  if (goesElsewhere(asked, made.destination)) return 'destination_mismatch'
  if (isOtherFee(asked.developerFeePercent, made.developerFeePercent)) return 'fee_mismatch'
  return bankDetailsFault(made.instructions)
}

/** @returns whether a destination of the provider contradicts ours; a part that the provider leaves out does not */
export function goesElsewhere(asked: Destination, told: ProviderVirtualAccount['destination']): boolean {
  const { paymentRail, currency, address, memo } = told
  return (
    (paymentRail !== null && paymentRail !== asked.destinationPaymentRail) ||
    (currency !== null && currency !== asked.destinationCurrency) ||
    (address !== null && !isSameAddress(address, asked.destinationAddress)) ||
    (memo !== null && memo !== asked.destinationMemo)
  )
}

/** The case of a hexadecimal address is a checksum, and XDC writes `xdc` for `0x`: the provider need keep neither. */
function isSameAddress(one: string, other: string): boolean {
  const hex = (address: string) => address.toLowerCase().replace(/^xdc/, '0x')
  return one === other || (hex(one).startsWith('0x') && hex(one) === hex(other))
}

/** @returns the destination that the provider tells, when it differs from ours: whole, for an address belongs to its rail */
export function changedDestination(
  held: Destination,
  told: ProviderVirtualAccount['destination'],
): Omit<Destination, 'travelRuleData'> | null {
  const { paymentRail, currency, address, memo } = told
  if (paymentRail === null || currency === null || address === null || !goesElsewhere(held, told)) return null
  return {
    destinationPaymentRail: paymentRail,
    destinationCurrency: currency,
    destinationAddress: address,
    destinationMemo: memo,
  }
}

/** @returns whether the provider tells another fee, by value: it writes "0.0" for "0" */
export function isOtherFee(held: string, told: string | null): told is string {
  const [before, now] = [parseDecimal(held), told === null ? null : parseDecimal(told)]
  return now !== null && !before?.eq(now)
}
