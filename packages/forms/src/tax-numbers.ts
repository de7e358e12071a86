// Tax and company numbers: whether one has the form of its kind. Check digits are left to the provider: a wrong refusal here
// would stop a person who has typed the right number.

import { broken, type Reading } from './reading.ts'
import { cleanText } from './text.ts'

/** The placeholder that a page shows for a form: 9 for a digit, A for a letter, X for either. */
export const shownForm = (form: string): string => form.replace(/[dax]/g, (sign) => ({ d: '9', a: 'A' })[sign] ?? 'X')

const signs = /[\s.,/()-]/g
// An RFC of Mexico can hold Ñ and &.
const classes: Readonly<Record<string, string>> = { d: '\\d', a: '[A-ZÑ&]', x: '[A-ZÑ&\\d]' }

function fits(number: string, form: string): boolean {
  const pattern = [...form.replace(signs, '')].map((sign) => classes[sign] ?? sign).join('')
  return new RegExp(`^${pattern}$`).test(number.replace(signs, '').toUpperCase())
}

/**
 * @param kind what the number is called, and the forms that it has; without forms any text is a number
 * @returns the number as it was written, in plain signs
 */
export function readTaxNumber(text: string, kind: { name: string; forms: readonly string[] }): Reading {
  const value = cleanText(text)
  if (value === '') return broken('required')
  if (kind.forms.length === 0 || kind.forms.some((form) => fits(value, form))) return { value }
  const shown = [...new Set(kind.forms.map(shownForm))]
  return broken('taxNumber', { name: kind.name, form: shown.join(' · ') })
}
