// What a submit-kyc body has to hold, told before there is one. It is read off the rules that judge the body when it
// comes: the form of each field, and the table of needs by country.

import type { Deps } from '../../app/context.ts'
import { fail } from '../../platform/errors.ts'
import { isCountry } from '../../platform/values/country-codes.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'
import { businessFields } from './form/business.rules.ts'
import { addressRulesOf, identityRulesOf, type KycType, needsOf } from './form/country.rules.ts'
import { pixelsMin } from './form/document-image.rules.ts'
import type { Fields, FormSchema } from './form/form.rules.ts'
import { address, associatedPersons, fileLimits, imageLimits, individualFields } from './form/person.rules.ts'
import { defaultEndorsementsOf } from './form/submission.rules.ts'
import {
  businessDocumentPurposes,
  governmentIdTypes,
  personDocumentPurposes,
  taxIdTypes,
} from './form/vocabulary.rules.ts'
import { remedyOfRequirement } from './requirements.rules.ts'

export type KycQuestion = { country: string; type: KycType; rails: readonly FiatCurrency[] }

type Need = 'always' | 'conditional' | 'optional'
type Field<N extends Need> = { field: string; required: N; rule: string; allowed?: string[] }

/** @throws ApiError `invalid_query` for a country that is none */
export function kycRequirementsOf(deps: Deps, question: KycQuestion) {
  const { country, type, rails } = question
  if (!isCountry(country)) {
    const message = 'country must be a country code of three letters (ISO 3166-1 alpha-3).'
    throw fail('invalid_query', { message, details: [{ param: 'country', code: 'invalid_value', message }] })
  }
  const endorsements = rails.map((currency) => deps.config.rails.fiat[currency].endorsements[0] ?? currency)
  const fields = needsOf(type, country).map(({ requirement, field, required, rule }) => ({
    requirement,
    ...fieldOf(formOf(type), field, required, rule),
  }))
  return {
    country,
    type,
    rails: [...rails],
    endorsements,
    defaultEndorsements: defaultEndorsementsOf(deps.config.kycEndorsements, country),
    // The second version of the terms came with the EUR rails.
    termsOfService: endorsements.includes('sepa') ? ['v1' as const, 'v2' as const] : ['v1' as const],
    fields: [...fields, agreementOf(type)],
    additionalForHighRisk: highRiskFields(type, new Set(fields.map(({ field }) => field))),
    identityDocuments: type === 'individual' ? identityOfPerson(country) : identityOfBusiness(),
    addressRules: addressForm(country),
    documents: documentsOf(type),
    associatedPersons: type === 'individual' ? null : personsForm(),
    images: { types: [...imageLimits.kinds], bytesMax: imageLimits.bytesMax, pixelsMin },
  }
}

const formOf = (type: KycType): Fields => (type === 'business' ? businessFields : individualFields)

/** What the form of a field says in words, behind what is special about it here. */
function fieldOf<N extends Need>(form: Fields, field: string, required: N, special?: string): Field<N> {
  const [property = '', member] = field.split('.')
  const schema = member === undefined ? form[property] : form[property]?.properties?.[member]
  if (!schema) throw new Error(`${field} has no rule`)
  // What stands in a list of objects is said elsewhere in the answer, part by part.
  const isDeep = schema.items?.properties !== undefined
  const rule = special === undefined ? wordsOf(schema) : isDeep ? special : `${special}: ${wordsOf(schema)}`
  return { field, required, rule, ...(schema.enum ? { allowed: [...schema.enum] } : {}) }
}

function wordsOf(schema: FormSchema): string {
  const of = schema.items ?? schema
  const items = schema.items ? `${schema.description}, each ` : ''
  if (!of.properties) return `${items}${of.description}`
  return `${items}an object${of.required ? ` with ${of.required.join(', ')}` : ''}`
}

/** Not among what can be missing: without one, and with none held, a submission is refused. */
function agreementOf(type: KycType) {
  const special = 'when no agreement of this end-user is held yet (`tosStatus` is not `approved`)'
  return {
    requirement: 'terms_of_service_v1',
    ...fieldOf(formOf(type), 'signed_agreement_id', 'conditional', special),
  }
}

/** Published for persons only. */
function highRiskFields(type: KycType, needed: ReadonlySet<string>) {
  const requirement = 'source_of_funds_questionnaire'
  const remedy = remedyOfRequirement(requirement)
  if (type === 'business' || remedy.by !== 'fields') return []
  return remedy.fields
    .filter((field) => !needed.has(field))
    .map((field) => ({ requirement, ...fieldOf(individualFields, field, 'conditional', 'when the provider asks') }))
}

function identityOfPerson(country: string) {
  const rules = identityRulesOf(country)
  const isUsa = country === 'USA'
  return {
    taxId: {
      required: true,
      types: [...rules.taxIdTypes],
      typesAreNamed: rules.taxIdTypesNamed,
      note: isUsa
        ? 'The only types that the provider takes in the USA.'
        : rules.taxIdTypesNamed
          ? 'What the provider names for this country, and what it takes everywhere but in the USA.'
          : 'Which types the provider takes for this country is not published as far as we know: all of its types are listed. One that does not fit comes back as the issue `tax_identification_number_not_compatible`.',
    },
    photoId: {
      required: rules.photoIdRequired,
      types: [...governmentIdTypes],
      sides: { image_front: 'always', image_back: 'conditional' } as const,
      note: isUsa
        ? 'Advised: without one the provider allows 10,000 USD a transaction and 100,000 USD in 30 days.'
        : '`image_back` for every document that has a back; `number` may be left out unless the document is the tax id as well.',
    },
    oneDocumentMayServeAsBoth: rules.oneDocumentMayServeAsBoth,
  }
}

function identityOfBusiness() {
  return {
    taxId: {
      required: true,
      types: [...taxIdTypes],
      typesAreNamed: false,
      note: 'The tax id of the company. Which types the provider takes for each country is not published for companies: all of its types are listed.',
    },
    photoId: {
      required: false,
      types: [],
      sides: { image_front: 'conditional', image_back: 'conditional' } as const,
      note: 'A company has none. Each of its `associated_persons` has documents of its own, by the rules for a person of their country.',
    },
    oneDocumentMayServeAsBoth: false,
  }
}

function addressForm(country: string) {
  const { subdivision, postalCode } = addressRulesOf(country)
  const { properties: members = {}, required = [] } = address
  const part = (name: string): Field<Need> => {
    if (name === 'postal_code' && !postalCode)
      return fieldOf(members, name, 'conditional', 'when the country has postal codes')
    const isNeeded = required.includes(name) || name === 'postal_code' || (name === 'subdivision' && subdivision)
    return fieldOf(members, name, isNeeded ? 'always' : 'optional')
  }
  return {
    subdivisionRequired: subdivision,
    postalCodeRequired: postalCode ? ('always' as const) : ('whereTheCountryHasThem' as const),
    note: 'A physical address, not a post-office box.',
    fields: Object.keys(members).map(part),
  }
}

function documentsOf(type: KycType) {
  return {
    requiredPurposes: type === 'business' ? ['business_formation', 'ownership_information'] : [],
    purposes: [...(type === 'business' ? businessDocumentPurposes : personDocumentPurposes)],
    types: [...fileLimits.kinds],
    bytesMax: fileLimits.bytesMax,
    note: 'One file can serve several purposes; `other` needs a `description`. What else the provider wants it names in `requirements.currentlyDue`.',
  }
}

function personsForm() {
  const { properties: members = {}, required = [] } = associatedPersons.items ?? {}
  return {
    rules: [
      'At least one person has `has_control` true, and a `title`.',
      '`ownership_threshold` (5 to 25 percent, by default 25) is the share from which on an owner is listed.',
      'A person’s documents and address follow the rules for an individual of the person’s own country.',
    ],
    fields: [
      ...required.map((name) => fieldOf(members, name, 'always')),
      fieldOf(members, 'title', 'conditional', 'when `has_control` is true'),
    ],
  }
}
