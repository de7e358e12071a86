// Names and addresses in the letters that the provider takes: printable ASCII and the letters of Latin-1.

import { broken, type Reading } from './reading.ts'
import { cleanText } from './text.ts'

const providerLetters = /^[ -~À-ÖØ-ßà-öø-ÿ]*$/

/** Whether a text needs a second form in Latin letters. Typographic signs alone need none: they are made plain. */
export const needsLatin = (text: string): boolean => !providerLetters.test(cleanText(text))

/** Reads the second form of a name or an address part. */
export function readLatin(text: string): Reading {
  const value = cleanText(text)
  return providerLetters.test(value) ? { value } : broken('latin')
}

/** @param charsMin 2 where the provider takes no shorter name */
export function readName(text: string, charsMin: number): Reading {
  const value = cleanText(text)
  return value.length < charsMin ? broken('nameTooShort', { min: String(charsMin) }) : { value }
}

export const streetCharsMin = 4

export function readStreet(text: string): Reading {
  const value = cleanText(text)
  return value.length < streetCharsMin ? broken('streetTooShort', { min: String(streetCharsMin) }) : { value }
}

/** Letters of Latin alphabets that are no letter with an accent. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ı: 'i', ħ: 'h', Ħ: 'H', œ: 'oe', Œ: 'OE', ŋ: 'n', Ŋ: 'N', ŧ: 't', Ŧ: 'T' },
  ...{ ə: 'e', Ə: 'E', ẞ: 'SS' },
}

const withoutAccent = (letter: string): string => plainLetters[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, '')

/** Scripts whose letters leave the vowels out: what a table makes of them is not how the name is written. */
const withoutVowels = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u

/**
 * Suggests the form in Latin letters: accents beyond Latin-1 are dropped, other scripts are transliterated.
 * @returns null where only the person knows how the name is written
 */
export async function suggestLatin(text: string): Promise<string | null> {
  const value = cleanText(text)
  if (withoutVowels.test(value)) return null
  const letters = [...value].map((letter) => (providerLetters.test(letter) ? letter : withoutAccent(letter)))
  if (providerLetters.test(letters.join(''))) return letters.join('')
  // The table of all scripts has 216 kB: it is loaded once somebody needs it.
  const { default: anyAscii } = await import('any-ascii')
  return cleanText(letters.map((letter) => (providerLetters.test(letter) ? letter : anyAscii(letter))).join('')) || null
}
