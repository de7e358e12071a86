// How a person or a company of a country proves an identity, as the requirements describe it: numbers and documents.

import { countryRowOf } from '../../../../../forms/src/countries/country.ts'
import { numberKindOf } from '../../../../../forms/src/countries/number-kinds.ts'
import { shownForm } from '../../../../../forms/src/tax-numbers.ts'
import { identityRulesOf, usualFirst } from './country.rules.ts'
import { governmentIdTypes, taxIdTypes } from './papers.rules.ts'

const taxIdNotes = {
  usa: 'The only types that the provider takes in the USA.',
  named:
    'The types that the provider lists for this country, and the types that it accepts everywhere except in the USA.',
  unnamed:
    'The provider does not publish the types for this country, so all of its types are listed. A type that it does not accept is reported as the issue `tax_identification_number_not_compatible`.',
}

export function identityOfPerson(country: string) {
  const rules = identityRulesOf(country)
  const isUsa = country === 'USA'
  const note = taxIdNotes[isUsa ? 'usa' : rules.taxIdTypesNamed ? 'named' : 'unnamed']
  return {
    taxId: {
      required: true,
      types: [...rules.taxIdTypes],
      usual: usualNumbers(country, countryRowOf(country).people, rules.taxIdTypes),
      typesAreNamed: rules.taxIdTypesNamed,
      note,
    },
    photoId: {
      required: rules.photoIdRequired,
      types: photoIdTypes(country),
      nationalIdName: countryRowOf(country).identityCard ?? null,
      sides: { image_front: 'always', image_back: 'conditional' } as const,
      note: isUsa
        ? 'Advised: without one the provider allows 10,000 USD a transaction and 100,000 USD in 30 days.'
        : 'Send `image_back` for every document that has a back. You can omit `number` unless the document is also the tax ID.',
    },
    oneDocumentMayServeAsBoth: rules.oneDocumentMayServeAsBoth,
  }
}

export const identityOfBusiness = (country: string) => ({
  taxId: {
    required: true,
    types: usualFirst(taxIdTypes, countryRowOf(country).companies),
    usual: usualNumbers(country, countryRowOf(country).companies, taxIdTypes),
    typesAreNamed: false,
    note: 'The tax ID of the company. The provider does not publish the types for companies, so all of its types are listed.',
  },
  photoId: {
    required: false,
    types: [],
    nationalIdName: null,
    sides: { image_front: 'conditional', image_back: 'conditional' } as const,
    note: 'A company has none. Each of its `associated_persons` needs documents under the rules for a person of their country.',
  },
  oneDocumentMayServeAsBoth: false,
})

/** The usual kinds of number of a country that the provider takes, each with its name at home and the form it has. */
function usualNumbers(country: string, usual: readonly string[], allowed: readonly string[]) {
  return usual
    .filter((type) => allowed.includes(type))
    .map((type) => {
      const { name, forms } = numberKindOf(type, country)
      return { type, name, form: forms.length === 0 ? null : forms.map(shownForm).join(' or ') }
    })
}

/** The documents of the country come first; one that issues no identity card takes that of another country. */
function photoIdTypes(country: string): string[] {
  const { identityCard } = countryRowOf(country)
  const first = identityCard === null ? ['passport', 'drivers_license'] : ['national_id', 'passport', 'drivers_license']
  return usualFirst(governmentIdTypes, first)
}
