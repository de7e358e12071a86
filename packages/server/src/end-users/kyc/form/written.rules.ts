// Text that people type, read by the same readers as on the onboarding page, with each rule as the API states it.
// Typographic and invisible characters become plain ones, so that the provider gets the intended text.

import { readBirthDate } from '../../../../../forms/src/dates.ts'
import { readEmail } from '../../../../../forms/src/email.ts'
import { readLatin, readName, readStreet, streetCharsMin } from '../../../../../forms/src/names.ts'
import { readPhone } from '../../../../../forms/src/phone.ts'
import { type Broken, isBroken, type Reading, type Rule } from '../../../../../forms/src/reading.ts'
import { charsMax, cleanText } from '../../../../../forms/src/text.ts'
import { ruleOf } from '../../../platform/http/schema/validation.ts'
import { dateForm, type FormSchema, readText, type Violation } from './form.rules.ts'

/** Same text as every schema with a `minLength`. */
const tooShort = ({ min }: Values): Violation => ruleOf('minLength', { limit: min }) as Violation

type Values = NonNullable<Broken['values']>
const violations: Readonly<Record<Rule, Violation | ((values: Values) => Violation)>> = {
  required: ['missing_field', 'is required'],
  invalid: ['invalid_format', 'must not contain control characters'],
  tooLong: ['invalid_length', 'must have at most {max} characters'],
  nameTooShort: tooShort,
  latin: ['invalid_format', 'must have letters of ASCII and Latin-1 only'],
  streetTooShort: tooShort,
  email: ['invalid_format', 'must be an email address, such as ada@example.com'],
  emailComma: ['invalid_format', 'must be an email address: it has a comma where a dot belongs'],
  phone: ['invalid_format', 'must be a phone number in international form, such as +12223334444'],
  phoneCountryCode: [
    'invalid_format',
    'must be a phone number in international form, such as +12223334444: it has no country code',
  ],
  phoneTooShort: ['invalid_format', 'must be a phone number in international form: it has too few digits'],
  phoneTooLong: ['invalid_format', 'must be a phone number in international form: it has too many digits'],
  date: ['invalid_format', `must be ${dateForm}`],
  dateFuture: ['invalid_value', 'must be in the past'],
  dateTooOld: ['invalid_value', 'must not be before {year}'],
  tooYoung: ['invalid_value', 'must be at least {years} years ago'],
  subdivision: [
    'invalid_value',
    'must be the code (ISO 3166-2, without the country) or the name of a subdivision of its country',
  ],
  postalCode: ['invalid_format', 'must be a postal code of its country, such as {example}'],
  taxNumber: ['invalid_format', 'must have the form of its type: {form} (9 is a digit, A a letter, X either)'],
}

/** @returns the rule in words, with its numbers */
export function violationOf({ rule, values = {} }: Broken): Violation {
  const violation = violations[rule]
  if (typeof violation === 'function') return violation(values)
  const [code, words] = violation
  return [code, words.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')]
}

const written = (description: string, read: (text: string, nowMs: number) => Reading, maxLength: number): FormSchema =>
  readText(
    description,
    (text, nowMs) => {
      const reading = read(text, nowMs)
      if (isBroken(reading)) return violationOf(reading)
      return /[^\P{Cc}\r\n\t]/u.test(reading.value) ? violationOf({ rule: 'invalid' }) : reading.value
    },
    { maxLength },
  )

/** Text in any language, with plain characters. */
export const writtenText = (maxLength: number): FormSchema =>
  written(`text of 1 to ${maxLength} characters`, (text) => readName(text, 1), maxLength)

export const name = (charsMin: number): FormSchema =>
  written(`text of ${charsMin} to ${charsMax.text} characters`, (text) => readName(text, charsMin), charsMax.text)

export const street = written(`text of ${streetCharsMin} to ${charsMax.text} characters`, readStreet, charsMax.text)

/** The second form of a name or an address part. */
export const latinText = (maxLength: number): FormSchema =>
  written(`text of 1 to ${maxLength} characters, in letters of ASCII and Latin-1`, readLatin, maxLength)

export const email = written(`an email address of at most ${charsMax.text} characters`, readEmail, charsMax.text)

export const phone = written(
  'a phone number in international form, such as +12223334444; spaces and signs are dropped',
  (text) => readPhone(text),
  charsMax.phone,
)

/** Checked with the country of the address, where its list of subdivisions is known. */
export const subdivision = written(
  'the ISO 3166-2 code without the country prefix, or the name',
  (text) => ({ value: cleanText(text) }),
  64,
)

/** @param yearsMin 0 for any date in the past */
export function birthDate(yearsMin: number): FormSchema {
  const age = yearsMin > 0 ? `at least ${yearsMin} years ago` : 'past'
  return written(`${dateForm}, ${age}, not before 1900`, (text, nowMs) => readBirthDate(text, { yearsMin, nowMs }), 10)
}
