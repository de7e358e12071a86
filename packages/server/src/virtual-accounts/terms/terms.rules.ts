// The terms of an account: checks that currency, rail, wallet address and fee of a request are compatible, and that the
// provider's account matches the request.

import type { EeaPresence } from '../../end-users/service.ts'
import { type ErrorCode, fail } from '../../platform/errors.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import { parseDecimal, parseFeePercent } from '../../platform/values/money.ts'
import { chainOf, checkPair, checkSource, type FiatCurrency, type RailTable } from '../../platform/values/rails.ts'
import type { Account } from '../../provider/port.ts'
import { type BankDetailsFault, bankDetailsFault } from '../bank-details.rules.ts'
import { type Destination, type DestinationInput, goesElsewhere, targetNames } from './destination.rules.ts'
import { feeConfigFaults } from './fee-config.rules.ts'
import { checkMemoOf, checkWalletAddress } from './wallet-address.rules.ts'

const travelRuleBytesMax = 4_096

/** A broken rule of a request: collected, so that the response lists all of them. */
export type Violation = { code: ErrorCode; param: string; message: string }

/** Rejects a request with violations. @throws ApiError with the code of the first, and all of them in `details` */
export function refuseViolations(violations: readonly Violation[]): void {
  const [first] = violations
  if (first) throw fail(first.code, { message: first.message, details: [...violations] })
}

/**
 * Reads the destination of a request, and whether deposits in this currency can go there.
 * @param violations gets `unsupported_currency`, `unsupported_payment_rail`, `invalid_destination_address`,
 * `missing_field`, `invalid_value`, `invalid_length`; the result is valid only if nothing was added
 */
export function readDestination(
  rails: RailTable,
  currency: string,
  input: DestinationInput,
  violations: Violation[],
): Destination & { sourceCurrency: FiatCurrency; travelRuleData: JsonObject | null } {
  const { payment_rail: paymentRail, currency: token, travel_rule_data } = input
  const isPrefunded = input.prefunded_account_id !== undefined
  violations.push(...targetFaults(input), ...(isPrefunded ? prefundedFaults(input) : []))
  const pair = isPrefunded
    ? checkSource(currency)
    : checkPair(rails, { sourceCurrency: currency, paymentRail, currency: token })
  if (!pair.ok) violations.push(...pair.faults.map(({ code, param, message }) => ({ code, param, message })))
  // An address is checked by its rail, so not if the rail is wrong.
  const isRailWrong = !pair.ok && pair.faults.some(({ param }) => param === 'destination.payment_rail')
  if (!isRailWrong && chainOf(rails, paymentRail) !== null) violations.push(...walletFaults(rails, input))
  if (Buffer.byteLength(JSON.stringify(travel_rule_data ?? null)) > travelRuleBytesMax) {
    const param = 'destination.travel_rule_data'
    violations.push({ code: 'invalid_length', param, message: `${param} must not exceed ${travelRuleBytesMax} bytes.` })
  }
  return {
    sourceCurrency: pair.ok ? pair.sourceCurrency : 'usd',
    destinationPaymentRail: paymentRail,
    destinationCurrency: token,
    destinationAddress: input.address ?? '',
    destinationWalletId: input.bridge_wallet_id ?? null,
    destinationPrefundedAccountId: input.prefunded_account_id ?? null,
    destinationMemo: input.blockchain_memo ?? null,
    travelRuleData: travel_rule_data ?? null,
  }
}

function targetFaults(input: DestinationInput): Violation[] {
  const [given, second] = targetNames.filter((name) => input[name] !== undefined)
  const param = `destination.${second ?? 'address'}`
  if (given === undefined) {
    const message =
      'One of destination.address, destination.bridge_wallet_id, destination.prefunded_account_id is required.'
    return [{ code: 'missing_field', param, message }]
  }
  if (second === undefined) return []
  return [{ code: 'invalid_value', param, message: `${param} must be left out: destination.${given} is given.` }]
}

function prefundedFaults({ payment_rail, currency, blockchain_memo }: DestinationInput): Violation[] {
  const told = (code: ErrorCode, field: string, rule: string): Violation => {
    const param = `destination.${field}`
    return { code, param, message: `${param} ${rule} for a prefunded account.` }
  }
  return [
    ...(payment_rail === 'prefunded' ? [] : [told('unsupported_payment_rail', 'payment_rail', 'must be prefunded')]),
    ...(currency === 'usd' ? [] : [told('unsupported_currency', 'currency', 'must be usd')]),
    ...(blockchain_memo === undefined ? [] : [told('invalid_value', 'blockchain_memo', 'must be left out')]),
  ]
}

function walletFaults(rails: RailTable, input: DestinationInput): Violation[] {
  const { payment_rail, address, blockchain_memo } = input
  const checked =
    address === undefined
      ? checkMemoOf(payment_rail, blockchain_memo, rails)
      : checkWalletAddress(payment_rail, address, blockchain_memo, rails)
  if (checked.ok) return []
  const { param, rule } = checked
  return [{ code: 'invalid_destination_address', param, message: `${param} ${rule}.` }]
}

/** Rejects travel-rule data if the provider does not accept it. */
export function travelRuleFaults({ travel_rule_data }: DestinationInput): Violation[] {
  if (travel_rule_data === undefined) return []
  const param = 'destination.travel_rule_data'
  const message = `${param} must be left out: the provider of this deployment does not support it.`
  return [{ code: 'unknown_field', param, message }]
}

/** Rejects parts that the provider accepts only at creation. */
export function creationOnlyFaults(input: DestinationInput): Violation[] {
  return (['travel_rule_data', 'prefunded_account_id'] as const)
    .filter((name) => input[name] !== undefined)
    .map((name) => {
      const param = `destination.${name}`
      const message = `${param} must be left out: it is accepted only when an account is created.`
      return { code: 'invalid_value', param, message }
    })
}

/**
 * Requires a memo in a change of an account with a memo. The provider merges a change into its own data, so an omitted
 * memo would stay with the new address, and the money would go to the memo's owner.
 * @param violations gets `invalid_destination_address`
 */
export function requireMemoAgain(current: Destination, wanted: Destination, violations: Violation[]): void {
  const keepsRail = current.destinationPaymentRail === wanted.destinationPaymentRail
  if (current.destinationMemo === null || wanted.destinationMemo !== null || !keepsRail) return
  const param = 'destination.blockchain_memo'
  const message = `${param} is required: the account has one, and it cannot be removed.`
  violations.push({ code: 'invalid_destination_address', param, message })
}

/** Coins that the provider does not offer in the EEA. Its documentation on `pyusd` and `usdl_linea` is ambiguous. */
const coinsOutsideEea: ReadonlySet<string> = new Set(['usdt', 'usdb'])

/** @returns whether the provider does not offer this coin to an end-user, according to the KYC submissions */
export function isCoinRefused(user: EeaPresence, coin: string): boolean {
  return (user.residesInEea === true || user.operatesInEea === true) && coinsOutsideEea.has(coin)
}

function readFee(feePercentMax: string | undefined, value: unknown, violations: Violation[]): string {
  const fee = parseFeePercent(value, feePercentMax)
  if (fee.ok) return fee.value
  const param = 'developer_fee_percent'
  violations.push({ code: 'invalid_developer_fee_percent', param, message: `${param} ${fee.rule}. ${fee.hint}` })
  return '0'
}

/** `percentMax`: the operator's cap. `isOffered`: whether accounts at the provider can have a fee. */
export type FeeRules = { percentMax: string | undefined; isOffered: boolean }

/**
 * Reads the fees of a request, in one of their two forms.
 * @param violations gets `invalid_developer_fee_percent`, `invalid_value`, `invalid_length`
 * @returns nothing if the request names no fee
 */
export function readFees(
  { percentMax, isOffered }: FeeRules,
  { developer_fee_percent, fee_config }: { developer_fee_percent?: unknown; fee_config?: JsonObject },
  violations: Violation[],
): { developerFeePercent?: string; feeConfig?: JsonObject } {
  const percent = developer_fee_percent === undefined ? null : readFee(percentMax, developer_fee_percent, violations)
  if (fee_config !== undefined) violations.push(...feeConfigFaults(percentMax, fee_config))
  if (fee_config !== undefined && percent !== null) {
    const message = 'fee_config must be left out: developer_fee_percent is given.'
    violations.push({ code: 'invalid_value', param: 'fee_config', message })
  }
  if (!isOffered && percent !== null && parseDecimal(percent)?.eq(0) === false)
    violations.push(noFees('developer_fee_percent', 'must be 0'))
  if (!isOffered && fee_config !== undefined) violations.push(noFees('fee_config', 'must be left out'))
  return {
    ...(percent !== null && { developerFeePercent: percent }),
    ...(fee_config !== undefined && { feeConfig: fee_config }),
  }
}

function noFees(param: string, rule: string): Violation {
  const message = `${param} ${rule}: accounts at the provider of this deployment have no fee.`
  return { code: 'invalid_developer_fee_percent', param, message }
}

export type Mismatch =
  | 'customer_mismatch'
  | 'currency_mismatch'
  | 'destination_mismatch'
  | 'fee_mismatch'
  | BankDetailsFault

type Asked = Destination & {
  sourceCurrency: FiatCurrency
  developerFeePercent: string
  feeConfigAsked: JsonObject | null
  providerCustomerId: string | null
}

/**
 * Compares the provider's account with the request: a payer must never see bank details that pay out elsewhere.
 * @returns null if nothing contradicts the request and there is a number to pay to
 */
export function mismatchOf(
  asked: Asked,
  made: Pick<Account, 'customerId' | 'instructions' | 'destination' | 'developerFeePercent'>,
): Mismatch | null {
  if (made.customerId !== null && made.customerId !== asked.providerCustomerId) return 'customer_mismatch'
  if (made.instructions.currency !== asked.sourceCurrency) return 'currency_mismatch'
  if (goesElsewhere(asked, made.destination)) return 'destination_mismatch'
  // With a configuration, the provider may show another percentage.
  const hasPercent = asked.feeConfigAsked === null
  if (hasPercent && isOtherFee(asked.developerFeePercent, made.developerFeePercent)) return 'fee_mismatch'
  return bankDetailsFault(made.instructions)
}

/** @returns the fee configuration in a response, or its absence; nothing if the response names no fee at all */
export function shownFeeConfig({
  feeConfig,
  developerFeePercent,
}: Pick<Account, 'feeConfig' | 'developerFeePercent'>): { feeConfig?: JsonObject | null } {
  return feeConfig === null && developerFeePercent === null ? {} : { feeConfig }
}

/** @returns whether the provider has another fee, compared by value: the provider writes "0.0" for "0" */
export function isOtherFee(ours: string, shown: string | null): shown is string {
  const [our, their] = [parseDecimal(ours), shown === null ? null : parseDecimal(shown)]
  return their !== null && !our?.eq(their)
}
