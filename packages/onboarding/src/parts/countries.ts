// The countries of the world by their names in the language of the page, which the browser knows.

import { countryCodes } from '../../../forms/src/countries/codes.ts'

export type Country = { value: string; label: string }

const known = new Map<string, readonly Country[]>()

/** @returns alpha-3 and name, in the order of the alphabet of the language */
export function countriesIn(language: string): readonly Country[] {
  const found = known.get(language)
  if (found) return found
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const order = new Intl.Collator(language)
  const countries = [...countryCodes]
    .map(([three, two]) => ({ value: three, label: names.of(two) ?? three }))
    .sort((one, other) => order.compare(one.label, other.label))
  known.set(language, countries)
  return countries
}
