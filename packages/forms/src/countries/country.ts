// One country as forms need it: addresses, and the usual numbers and documents. Loads the whole table (80 kB), so a page gets
// only the part of its country.

import type { AddressForm } from '../addresses.ts'
import addresses from './addresses.gen.json' with { type: 'json' }
import { type CountryRow, countryRows } from './country-rows.ts'

const forms = addresses as unknown as Readonly<Record<string, AddressForm>>

/** @param code alpha-3, upper case; what is known of no country has a city and nothing else */
export const addressFormOf = (code: string | undefined): AddressForm => forms[code ?? ''] ?? { city: 'city' }

/** The defaults of a country that is not in the table: the documents that the provider accepts from everyone. */
const unknown: CountryRow = {
  people: ['passport', 'national_id', 'other'],
  companies: ['tin', 'other'],
  source: 'all',
  identityCard: undefined,
}

export const countryRowOf = (code: string | undefined): CountryRow => countryRows.get(code ?? '') ?? unknown
