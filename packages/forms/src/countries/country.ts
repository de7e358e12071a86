// One country as forms need it: its addresses, and the numbers and documents that are usual there. Loads the whole table (80 kB):
// a page is sent the part of its own country.

import type { AddressForm } from '../addresses.ts'
import addresses from './addresses.gen.json' with { type: 'json' }
import { type CountryRow, countryRows } from './country-rows.ts'

const forms = addresses as unknown as Readonly<Record<string, AddressForm>>

/** @param code alpha-3, upper case; what is known of no country has a city and nothing else */
export const addressFormOf = (code: string | undefined): AddressForm => forms[code ?? ''] ?? { city: 'city' }

/** What every country has that the table does not name: the documents that the provider takes from everybody. */
const unknown: CountryRow = {
  people: ['passport', 'national_id', 'other'],
  companies: ['tin', 'other'],
  source: 'all',
  identityCard: undefined,
}

export const countryRowOf = (code: string | undefined): CountryRow => countryRows.get(code ?? '') ?? unknown
