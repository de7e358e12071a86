// Exact decimals for the verdict on money, separate from the product's own: a mistake there must not hide here.

const places = 18

/** In units of 10^-18. @throws RangeError when it is no decimal string */
export function decimalOf(text: unknown): bigint {
  const parts = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(String(text))
  if (!parts) throw new RangeError(`${String(text)} is no decimal`)
  const [, sign, whole = '', fraction = ''] = parts
  const value = BigInt(whole + fraction.padEnd(places, '0'))
  return sign ? -value : value
}
