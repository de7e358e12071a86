// What people type, read by the same readers as on the onboarding page, with each rule as the API states it. Typographic signs
// and invisible characters become plain ones, so what is sent on is what was meant.

import { readBirthDate } from '../../../../../forms/src/dates.ts'
import { readEmail } from '../../../../../forms/src/email.ts'
import { readLatin, readName, readStreet } from '../../../../../forms/src/names.ts'
import { readPhone } from '../../../../../forms/src/phone.ts'
import { type Broken, isBroken, type Reading, type Rule } from '../../../../../forms/src/reading.ts'
import { cleanText } from '../../../../../forms/src/text.ts'
import { dateForm, type FormSchema, readText, type Violation } from './form.rules.ts'

const violations: Readonly<Record<Rule, Violation>> = {
  required: ['missing_field', 'is required'],
  invalid: ['invalid_format', 'must not contain control characters'],
  nameTooShort: ['invalid_length', 'must have at least {min} characters'],
  latin: ['invalid_format', 'must have letters of ASCII and Latin-1 only'],
  streetTooShort: ['invalid_length', 'must have at least {min} characters'],
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
  const [code, words] = violations[rule]
  return [code, words.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')]
}

const written = (description: string, read: (text: string, nowMs: number) => Reading, charsMax: number): FormSchema =>
  readText(
    description,
    (text, nowMs) => {
      const reading = read(text, nowMs)
      if (isBroken(reading)) return violationOf(reading)
      return /[^\P{Cc}\r\n\t]/u.test(reading.value) ? violationOf({ rule: 'invalid' }) : reading.value
    },
    { maxLength: charsMax },
  )

/** Text of one language or another, made plain. */
export const writtenText = (charsMax: number): FormSchema =>
  written(`text of 1 to ${charsMax} characters`, (text) => readName(text, 1), charsMax)

export const name = (charsMin: number): FormSchema =>
  written(`text of ${charsMin} to 1024 characters`, (text) => readName(text, charsMin), 1_024)

export const street = written('text of 4 to 1024 characters', readStreet, 1_024)

/** The second form of a name or an address part. */
export const latinText = (charsMax: number): FormSchema =>
  written(`text of 1 to ${charsMax} characters, in letters of ASCII and Latin-1`, readLatin, charsMax)

export const email = written('an email address of at most 1024 characters', readEmail, 1_024)

export const phone = written(
  'a phone number in international form, such as +12223334444; spaces and signs are dropped',
  (text) => readPhone(text),
  64,
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
