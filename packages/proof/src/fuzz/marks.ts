// Marks in requests, unlike anything the product creates: a mark in a response is an echo. Identity data has the mark of the
// server's tests, which no response and no file of the database may repeat.

import { canaryPrefix } from '../../../server/test/canary-search.ts'

export const identityMark = canaryPrefix.toLowerCase()
/** No error, log line or metric may repeat it. A success may, if the operation returns what was sent. */
export const mark = 'zqfuzzq'

let serial = 0
export const freshMark = (): string => `${mark}${(++serial).toString(36).padStart(6, '0')}`
export const freshIdentityMark = (): string => `${identityMark}${(++serial).toString(36).padStart(6, '0')}`

/** In PostgreSQL's files. */
export const identityPattern = new RegExp(identityMark, 'gi')

/** @returns the text around the mark that `text` repeats, in any case */
export function echoIn(text: string, of: 'anything' | 'identity' = 'anything'): string | null {
  const low = text.toLowerCase()
  const marks = of === 'anything' ? [identityMark, mark] : [identityMark]
  const at = marks.map((one) => low.indexOf(one)).find((at) => at >= 0)
  return at === undefined ? null : text.slice(Math.max(0, at - 60), at + 30)
}
