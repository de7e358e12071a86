// Phone numbers, as people write and paste them, in the form of E.164. Loads the number plans of the world (43 kB gzip).

import {
  type CountryCode,
  parsePhoneNumberFromString as parsePhoneNumber,
  validatePhoneNumberLength,
} from 'libphonenumber-js/min'
import { broken, type Reading, type Rule } from './reading.ts'
import { cleanText } from './text.ts'

const rules: Readonly<Record<string, Rule>> = {
  INVALID_COUNTRY: 'phoneCountryCode',
  TOO_SHORT: 'phoneTooShort',
  TOO_LONG: 'phoneTooLong',
}

/**
 * @param country alpha-2, whose numbers may be written as they are dialed at home
 * @returns the number in international form: a trunk prefix as in `+44 (0)20` is dropped
 */
export function readPhone(text: string, country?: string): Reading {
  const written = cleanText(text)
  if (!/^[+\d\s()./-]+$/.test(written)) return broken('phone')
  // The international prefix of most of the world, where the country does not say which one is dialed.
  const dialed = country === undefined ? written.replace(/^00/, '+') : written
  const options = { extract: false, ...(country && { defaultCountry: country as CountryCode }) }
  // Numbers of a new range are not in the plans yet: the length decides, not the range.
  const wrong = validatePhoneNumberLength(dialed, options)
  if (wrong !== undefined) return broken(rules[wrong] ?? 'phone')
  const number = parsePhoneNumber(dialed, options)
  return number ? { value: number.number } : broken('phone')
}
