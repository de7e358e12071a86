// Addresses: which parts one has in a country, and whether a subdivision or a postal code is one of that country.

import { broken, type Reading } from './reading.ts'
import { cleanText } from './text.ts'

/** How an address of a country is written. The names choose the words of the labels. */
export type AddressForm = {
  city: string
  /**
   * Absent where an address names none, or no code is known for what it names. Codes are of ISO 3166-2, without the country;
   * `otherCodes` are those of its other levels.
   */
  subdivision?: {
    name: string
    isRequired: boolean
    list: readonly (readonly [code: string, name: string])[]
    otherCodes?: readonly string[]
  }
  /** Absent where there are no postal codes. */
  postalCode?: { name: string; isRequired: boolean; pattern?: string; example?: string }
}

/** Letters without accents, signs and case: how a name of a province is compared. */
const plain = (text: string): string =>
  cleanText(text)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/** @returns the code of the subdivision that the text names by its code or its name */
export function readSubdivision(text: string, { subdivision }: Pick<AddressForm, 'subdivision'>): Reading {
  // With the country in front, as ISO 3166-2 writes it, or without.
  const value = cleanText(text)
    .toUpperCase()
    .replace(/^[A-Z]{2}-/, '')
  if (subdivision === undefined) return /^[A-Z0-9]{1,3}$/.test(value) ? { value } : broken('subdivision')
  const found = subdivision.list.find(([code, name]) => code === value || plain(name) === plain(text))
  const code = found?.[0] ?? subdivision.otherCodes?.find((other) => other === value)
  return code === undefined ? broken('subdivision') : { value: code }
}

export function readPostalCode(text: string, { postalCode }: Pick<AddressForm, 'postalCode'>): Reading {
  const value = cleanText(text).toUpperCase()
  const { pattern, example = '' } = postalCode ?? {}
  if (pattern === undefined) return { value }
  // Written with a space or a hyphen, or without.
  const isKnown = [value, value.replace(/[ -]/g, '')].some((written) => new RegExp(`^(?:${pattern})$`).test(written))
  return isKnown ? { value } : broken('postalCode', { example })
}
