// Text as phones and office programs write it, made plain: typographic signs and invisible characters become what a keyboard types.

import { broken, type Reading } from './reading.ts'

/** The characters that a text of each kind may have, as it was typed. */
export const charsMax = { text: 1_024, latinName: 256, postalCode: 64, phone: 64 } as const

export const readLength = (text: string, max: number): Reading =>
  text.length > max ? broken('tooLong', { max: String(max) }) : { value: text }

/** Apostrophes and primes that phones write for `'`. */
const apostrophes = /[\u2018\u2019\u201B\u2032\u02B9\u02BB\u02BC\u00B4\u0060\uFF07]/g
/** Hyphens, dashes and the minus sign. The soft hyphen is invisible. */
const hyphens = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g
/** Marks of direction, of line breaking and of byte order. Joiners stay: Persian and Hindi names are written with them. */
const invisible = /[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g

/** Makes one line of text plain: composed letters (NFC), plain signs, single spaces, none at the ends. */
export function cleanText(text: string): string {
  return text
    .normalize('NFC')
    .replace(invisible, '')
    .replace(apostrophes, "'")
    .replace(hyphens, '-')
    .replace(/[^\S\r\n]+/g, ' ')
    .trim()
}
