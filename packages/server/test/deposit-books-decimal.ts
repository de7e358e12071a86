// Exact decimals for the oracle of deposits: units of 10^-40 in a bigint. Shares no code with the server.

const places = 40
export const one = 10n ** BigInt(places)

/** Reads a plain decimal. */
export function dec(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}

/** Writes a decimal with at least `digitsMin` decimals and no further trailing zeros. */
export function show(value: bigint, digitsMin = 2): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(digitsMin, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -places)}${fraction && '.'}${fraction}`
}

/** Rounds half up to so many decimals. */
export function roundTo(value: bigint, decimals: number): bigint {
  const step = 10n ** BigInt(places - decimals)
  return ((value + step / 2n) / step) * step
}

export const times = (left: bigint, right: bigint): bigint => (left * right) / one

/** Divides, and rounds half up to ten significant digits. */
export function quotient(value: bigint, by: bigint): bigint {
  const exact = (value * one) / by
  const magnitude = exact.toString().length
  return roundTo(exact, places + 10 - magnitude)
}
