// Money and percentages: decimal strings and exact arithmetic on them. No amount here is ever a float.

/** `units` counted in steps of 10^-scale: `1970.0` is 19700 units at scale 1. */
export type Decimal = { readonly units: bigint; readonly scale: number }

const integerDigitsMax = 30
const fractionDigitsMax = 18
const decimalPattern = new RegExp(
  `^(-?)(0|[1-9][0-9]{0,${integerDigitsMax - 1}})(?:\\.([0-9]{1,${fractionDigitsMax}}))?$`,
)

/** Null for anything but a plain decimal: no exponent, plus sign, separator, blank or leading zero. */
export function parseDecimal(text: string): Decimal | null {
  const match = decimalPattern.exec(text)
  if (match === null) return null
  const [, sign, integer = '', fraction = ''] = match
  const units = BigInt(integer + fraction)
  return { units: sign === '-' ? -units : units, scale: fraction.length }
}

/** Keeps the digits it was parsed with: `1970.0` stays `1970.0`. */
export function formatDecimal(value: Decimal): string {
  const sign = value.units < 0n ? '-' : ''
  const digits = (value.units < 0n ? -value.units : value.units).toString().padStart(value.scale + 1, '0')
  const point = digits.length - value.scale
  return sign + digits.slice(0, point) + (value.scale > 0 ? `.${digits.slice(point)}` : '')
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  return { units: unitsAt(left, scale) + unitsAt(right, scale), scale }
}

export function subtractDecimals(left: Decimal, right: Decimal): Decimal {
  return addDecimals(left, { units: -right.units, scale: right.scale })
}

/** By value, not by text: `1.50` equals `1.5`. */
export function compareDecimals(left: Decimal, right: Decimal): -1 | 0 | 1 {
  const { units } = subtractDecimals(left, right)
  if (units === 0n) return 0
  return units < 0n ? -1 : 1
}

export function isZero(value: Decimal): boolean {
  return value.units === 0n
}

function unitsAt(value: Decimal, scale: number): bigint {
  return value.units * 10n ** BigInt(scale - value.scale)
}

export type FeePercent = { ok: true; value: string } | { ok: false; rule: string; hint: string }

const feePercentPattern = /^(0|[1-9][0-9]?)(\.[0-9]{1,4})?$/
const feePercentRule = 'must be a decimal string from 0 up to but not including 100, with at most 4 decimals'

/**
 * Reads `developer_fee_percent`: `"0.5"` is half a percent; absent is `"0"`. The value is returned as it was sent.
 * @param capPercent a decimal string: the most an operator allows, itself included
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

/** Says which habit to drop, without repeating what was sent. */
function feePercentHint(value: unknown): string {
  const example = 'Half a percent is written "0.5".'
  if (typeof value === 'number') return `Send a JSON string, not a number. ${example}`
  if (typeof value !== 'string') return `Send a JSON string. ${example}`
  if (value.includes('%')) return `Leave out the percent sign. ${example}`
  if (/^\s*[+-]/.test(value)) return `Leave out the sign; a fee cannot be negative. ${example}`
  if (/^[0-9.]+e/i.test(value)) return `Leave out the exponent. ${example}`
  if (value.includes(',')) return `Use a point as the decimal mark. ${example}`
  if (/^[0-9]{3,}/.test(value)) return `A percentage has at most two digits before the point. ${example}`
  if (/\.[0-9]{5,}$/.test(value)) return `At most 4 decimals are kept. ${example}`
  return example
}

function exceeds(value: string, capPercent: string): boolean {
  const [amount, cap] = [parseDecimal(value), parseDecimal(capPercent)]
  if (cap === null) throw new RangeError('the fee cap is not a decimal string')
  return amount !== null && compareDecimals(amount, cap) > 0
}
