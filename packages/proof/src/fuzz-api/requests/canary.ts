// Marks in requests, unlike anything the product makes itself: a mark in an answer is an echo.

/** Stands in what an error, a log line and a metric must not repeat; a success may, where the operation returns it. */
const markPrefix = 'zqfuzzq'
/** Stands in identity data, which nothing at all may repeat. */
const identityPrefix = 'zqkycqz'

let serial = 0

export const freshMark = (): string => `${markPrefix}${(++serial).toString(36).padStart(6, '0')}`
export const freshIdentityMark = (): string => `${identityPrefix}${(++serial).toString(36).padStart(6, '0')}`

/** In PostgreSQL's files. */
export const identityPattern = new RegExp(identityPrefix, 'gi')

/** @returns the mark that `text` repeats, in any case */
export function echoIn(text: string, of: 'anything' | 'identity' = 'anything'): string | null {
  const low = text.toLowerCase()
  const prefixes = of === 'identity' ? [identityPrefix] : [identityPrefix, markPrefix]
  for (const prefix of prefixes) {
    const at = low.indexOf(prefix)
    if (at >= 0) return text.slice(Math.max(0, at - 60), at + 30)
  }
  return null
}
