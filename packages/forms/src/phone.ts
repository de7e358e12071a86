// Phone numbers, as people write and paste them, in the form of E.164. Loads the number plans of the world (43 kB gzip).

import {
  isSupportedCountry,
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
  // No number begins with 00, so it is the international prefix, also where another one is dialed; else the country's own, as in 0011.
  const forms = [...(written.startsWith('00') ? [written.replace('00', '+')] : []), written]
  // Without a plan for the country, as for Antarctica, only international forms are read.
  const home = country !== undefined && isSupportedCountry(country) ? country : undefined
  const options = { extract: false, ...(home && { defaultCountry: home }) }
  // Numbers of a new range are not in the plans yet: the length decides, not the range.
  const problems = forms.map((form) => validatePhoneNumberLength(form, options))
  const dialed = forms[problems.indexOf(undefined)]
  if (dialed === undefined) return broken(rules[problems.at(-1) ?? ''] ?? 'phone')
  const number = parsePhoneNumber(dialed, options)
  return number ? { value: number.number } : broken('phone')
}
