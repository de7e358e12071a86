// Exact decimal arithmetic for money. A Decimal is a bigint that counts units of 10^-12, so no amount becomes a float.

export type Decimal = bigint

const scale = 12
const one = 10n ** BigInt(scale)

/** Digits after the point of an amount in a stablecoin. */
const coinDecimals = 6

const pattern = /^\d{1,15}(\.\d{1,10})?$/

export const isDecimal = (text: string): boolean => pattern.test(text)

/**
 * Reads an unsigned decimal with at most 15 digits before and 10 after the point.
 * @throws RangeError for any other text
 */
export const parseDecimal = (text: string): Decimal => {
  if (!isDecimal(text)) throw new RangeError(`not a decimal: ${text}`)
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * one + BigInt(fraction.padEnd(scale, '0'))
}

/** Writes a decimal without trailing zeros, but with at least one digit after the point: "100.0". */
export const formatDecimal = (value: Decimal): string => {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -scale)}.${fraction === '' ? '0' : fraction}`
}

const round = (value: Decimal, decimals = coinDecimals): Decimal => {
  const unit = 10n ** BigInt(scale - decimals)
  return ((value + unit / 2n) / unit) * unit
}

/** Multiplies two unsigned decimals and rounds half up to six digits after the point. */
export const multiply = (a: Decimal, b: Decimal): Decimal => round((a * b) / one)

/** Takes a percentage of an unsigned amount and rounds once, half up to `decimals` digits after the point. */
export const percentOf = (amount: Decimal, percent: Decimal, decimals: number): Decimal =>
  round((amount * percent) / (one * 100n), decimals)

/** Divides two unsigned decimals and rounds half up to six digits after the point. */
export const divide = (a: Decimal, b: Decimal): Decimal => round((a * one) / b)

export const smaller = (a: Decimal, b: Decimal): Decimal => (a < b ? a : b)
