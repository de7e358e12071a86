// Money and percentages: decimal strings and exact arithmetic on them. No amount here is ever a float.
import { Big } from 'big.js'

/** A separate constructor, so that another user of the library cannot change its settings. */
const Decimal = Big()
// Quotients only; sums, differences and products are exact. A rate keeps ten significant digits, so 40 decimals are ample.
Decimal.DP = 40
Decimal.RM = Big.roundHalfUp
export type Decimal = Big

/** A sum of money. `value` is canonical: no exponent, at least two decimals, no further trailing zeros. */
export type Amount = { value: string; currency: string }

const integerDigitsMax = 30
/** No provider uses more decimals. An amount with more is unknown rather than rounded. */
export const fractionDigitsMax = 100
const decimalPattern = new RegExp(`^-?(0|[1-9][0-9]{0,${integerDigitsMax - 1}})(\\.[0-9]{1,${fractionDigitsMax}})?$`)

/** Null for anything but a plain decimal: no exponent, plus sign, separator, blank or leading zero. */
export function parseDecimal(text: string): Decimal | null {
  return decimalPattern.test(text) ? new Decimal(text) : null
}

const numberPattern = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$/

/**
 * Reads a number as programs write it, exactly: with a sign, an exponent, leading or trailing zeros, or blanks around
 * it.
 * @returns null for an ambiguous number, such as `1,000`, and for more digits than an amount has
 */
export function parseNumber(text: string): Decimal | null {
  const number = text.trim()
  // 400: the digits of the longest amount, with zeros around it.
  if (number.length > 400 || !numberPattern.test(number)) return null
  return parseDecimal(new Decimal(number.replace(/^\+/, '')).toFixed())
}

/** Reads a decimal from PostgreSQL. */
export function decimalOf(text: string): Decimal {
  const value = parseDecimal(text)
  if (value === null) throw new Error('not a plain decimal')
  return value
}

export const zero: Decimal = new Decimal(0)

export function sumOf(values: readonly Decimal[]): Decimal {
  return values.reduce((sum, value) => sum.plus(value), zero)
}

/** Formats a decimal as the canonical value of an amount. */
export function formatDecimal(value: Decimal): string {
  const plain = value.toFixed()
  const fractionDigits = plain.split('.')[1]?.length ?? 0
  return fractionDigits < 2 ? value.toFixed(2) : plain
}

/** @returns the smallest sum in whole cents that leaves at least `least` after a fee in percent */
export function smallestBeforePercent(least: Decimal, percent: Decimal): string {
  const whole = least.div(new Decimal(1).minus(percent.div(100)))
  return whole.round(2, Big.roundUp).toFixed(2)
}

type Coin = { peg: string; decimals: number }

const dollarCoin: Coin = { peg: 'usd', decimals: 6 }
const coins: ReadonlyMap<string, Coin> = new Map([
  ['usdb', dollarCoin],
  ['usdc', dollarCoin],
  ['usdt', dollarCoin],
  ['usdl_linea', dollarCoin],
  ['pyusd', dollarCoin],
  ['eurc', { peg: 'eur', decimals: 6 }],
])

/** Returns the fiat currency of a stablecoin. A fiat currency, and a coin that is not in the table, returns itself. */
export function pegOf(currency: string): string {
  return coins.get(currency)?.peg ?? currency
}

/** The smallest unit of a coin: 0.000001 of a stablecoin. */
export function lastDigitOf(currency: string): Decimal {
  return new Decimal(10).pow(-(coins.get(currency) ?? dollarCoin).decimals)
}

export type FeePercent = { ok: true; value: string } | { ok: false; rule: string; hint: string }

const feePercentPattern = /^(0|[1-9][0-9]?)(\.[0-9]{1,4})?$/
const feePercentRule = 'must be a decimal string from 0 up to but not including 100, with at most 4 decimals'

/**
 * Reads `developer_fee_percent`: `"0.5"` is half a percent; absent is `"0"`. The value is returned as it was sent.
 * @param capPercent a decimal string: the highest allowed percentage, inclusive
 */
export function parseFeePercent(value: unknown, capPercent?: string): FeePercent {
  if (value === undefined) return { ok: true, value: '0' }
  if (typeof value !== 'string' || !feePercentPattern.test(value)) {
    return { ok: false, rule: feePercentRule, hint: feePercentHint(value) }
  }
  if (capPercent !== undefined && exceeds(value, capPercent)) {
    return { ok: false, rule: `must not exceed ${capPercent}`, hint: 'The operator of this service caps the fee.' }
  }
  return { ok: true, value }
}

/** Names the formatting mistake without repeating the value. */
function feePercentHint(value: unknown): string {
  const example = 'Half a percent is written "0.5".'
  if (typeof value === 'number') return `Send a JSON string, not a number. ${example}`
  if (typeof value !== 'string') return `Send a JSON string. ${example}`
  if (value.includes('%')) return `Leave out the percent sign. ${example}`
  if (/^\s*[+-]/.test(value)) return `Leave out the sign; a fee cannot be negative. ${example}`
  if (/^[0-9.]+e/i.test(value)) return `Leave out the exponent. ${example}`
  if (value.includes(',')) return `Use a point as the decimal mark. ${example}`
  if (/^[0-9]{3,}/.test(value)) return `A percentage has at most two digits before the point. ${example}`
  if (/\.[0-9]{5,}$/.test(value)) return `Use at most 4 decimals. ${example}`
  return example
}

function exceeds(value: string, capPercent: string): boolean {
  const [amount, cap] = [parseDecimal(value), parseDecimal(capPercent)]
  if (cap === null) throw new RangeError('the fee cap is not a decimal string')
  return amount?.gt(cap) === true
}
