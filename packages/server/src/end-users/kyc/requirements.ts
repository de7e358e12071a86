// The requirements of a submit-kyc body, available before a submission. They are derived from the rules that validate
// the body: the form of each field, and the table of needs by country.

import { addressFormOf } from '../../../../forms/src/countries/country.ts'
import type { Core } from '../../platform/core.ts'
import { fail } from '../../platform/errors.ts'
import { isCountry, isInEea } from '../../platform/values/country-codes.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'
import { addressRulesOf, type KycType, needsOf } from './form/country.rules.ts'
import { pixelsMin } from './form/document-image.rules.ts'
import { address, associatedPersons } from './form/fields.rules.ts'
import type { Fields, FormSchema } from './form/form.rules.ts'
import { identityOfBusiness, identityOfPerson } from './form/identity.rules.ts'
import { businessDocumentPurposes, fileLimits, imageLimits, personDocumentPurposes } from './form/papers.rules.ts'
import { defaultEndorsementsOf, fieldsByType } from './form/submission.rules.ts'
import { questionnaireFields } from './requirements.rules.ts'

type Need = 'always' | 'conditional' | 'optional'
type Field<N extends Need> = { field: string; required: N; rule: string; allowed?: string[] }

/** Lists the requirements of a submission. @throws ApiError `invalid_query` for an unknown country */
export function kycRequirementsOf(
  { config }: Pick<Core, 'config'>,
  { country, type, rails }: { country: string; type: KycType; rails: readonly FiatCurrency[] },
) {
  if (!isCountry(country)) {
    const message = 'country must be a country code of three letters (ISO 3166-1 alpha-3).'
    throw fail('invalid_query', { message, details: [{ param: 'country', code: 'invalid_value', message }] })
  }
  const endorsements = rails.map((currency) => config.rails.fiat[currency].endorsements[0] ?? currency)
  const needs = needsOf(type, country)
  const told = (requirement: string, field: string, required: 'always' | 'conditional', special?: string) => {
    return { requirement, ...fieldOf(fieldsByType[type], field, required, special) }
  }
  // Not in the list of needs: without an agreement in the body or in store, a submission is rejected.
  const unagreed = 'when no agreement of this end-user is held yet (`tosStatus` is not `approved`)'
  const agreement = told('terms_of_service_v1', 'signed_agreement_id', 'conditional', unagreed)
  return {
    country,
    type,
    rails: [...rails],
    endorsements,
    defaultEndorsements: defaultEndorsementsOf(config.kycEndorsements, country),
    // The second version of the terms came with the EUR rails.
    termsOfService: endorsements.includes('sepa') ? ['v1' as const, 'v2' as const] : ['v1' as const],
    fields: [
      ...needs.map(({ requirement, field, required, rule }) => told(requirement, field, required, rule)),
      agreement,
    ],
    additionalForHighRisk: (type === 'individual' ? questionnaireFields : [])
      .filter((field) => !needs.some((need) => need.field === field))
      .map((field) => told('source_of_funds_questionnaire', field, 'conditional', 'when the provider asks')),
    accountFields: accountFieldsOf(country, rails),
    identityDocuments: type === 'individual' ? identityOfPerson(country) : identityOfBusiness(country),
    addressRules: addressForm(country),
    documents: {
      requiredPurposes: type === 'business' ? requiredPapers(country) : [],
      purposes: [...(type === 'business' ? businessDocumentPurposes : personDocumentPurposes)],
      types: [...fileLimits.kinds],
      bytesMax: fileLimits.bytesMax,
      note: 'One file can serve several purposes; `other` needs a `description`. The provider lists further required documents in `requirements.currentlyDue`.',
    },
    associatedPersons: type === 'individual' ? null : personsForm(country),
    images: { types: [...imageLimits.kinds], bytesMax: imageLimits.bytesMax, pixelsMin },
    notes: [...(isInEea(country) ? eeaNotes(type) : []), ...railNotes({ country, type, rails })],
  }
}

/**
 * Lists the fields that an account needs about its wallet. The provider requires them wherever it sends coins on a
 * chain.
 */
function accountFieldsOf(country: string, rails: readonly FiatCurrency[]): Field<'always' | 'conditional'>[] {
  const field = 'destination.travel_rule_data'
  const rule = 'at creation of an account that pays out to an `address`'
  if (isInEea(country)) return [{ field, required: 'always', rule }]
  const cases = [
    ...(rails.includes('eur') ? ['for every account that accepts EUR'] : []),
    'for every account that pays out EURC',
    ...(country === 'USA' ? ['for deposits above 3,000 USD'] : []),
  ]
  return [{ field, required: 'conditional', rule: `${rule}: ${cases.join(', ')}` }]
}

const eeaNotes = (type: KycType): string[] => [
  'The provider requires the fields for the European Economic Area of new customers since 2026-06-15. For an existing end-user, the date in `requirements.future[].effectiveDate` applies.',
  ...(type === 'individual'
    ? [
        'A selfie by API (`liveness_check_selfies`) does not count here. If the provider asks for a selfie, send the end-user to its hosted page: `kycLink` of `GET /v0/end-users/{externalUserId}/kyc-links`.',
      ]
    : ['`identifying_information` needs both the registry number and the tax number of the company.']),
]

/** Countries in which the provider does not offer EUR, according to its documentation. */
const withoutSepa: ReadonlySet<string> = new Set(['CAF', 'EGY', 'KWT', 'TUN'])

function railNotes({
  country,
  type,
  rails,
}: {
  country: string
  type: KycType
  rails: readonly FiatCurrency[]
}): string[] {
  const isForeignPix = rails.includes('brl') && type === 'individual' && country !== 'BRA'
  return [
    ...(isForeignPix ? ['The provider opens `brl` only to individuals who live in Brazil.'] : []),
    ...(rails.includes('eur') && withoutSepa.has(country) ? ['The provider does not open `eur` in this country.'] : []),
  ]
}

const requiredPapers = (country: string): string[] => [
  'business_formation',
  'ownership_information',
  ...(isInEea(country) ? ['evidence_of_good_standing', 'proof_of_signatory_authority'] : []),
]

/** Describes the form of a field in words, after what is special about the field here. */
function fieldOf<N extends Need>(form: Fields, field: string, required: N, special?: string): Field<N> {
  const [property = '', member] = field.split('.')
  const schema = member === undefined ? form[property] : form[property]?.properties?.[member]
  if (!schema) throw new Error(`${field} has no rule`)
  // The response describes the members of a list of objects elsewhere, part by part.
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

function addressForm(country: string) {
  const { subdivision, postal_code } = addressRulesOf(country)
  const form = addressFormOf(country)
  const { properties: members = {}, required = [] } = address
  const needed = [...required, ...(subdivision ? ['subdivision'] : []), ...(postal_code ? ['postal_code'] : [])]
  const part = (name: string): Field<Need> => fieldOf(members, name, needed.includes(name) ? 'always' : 'optional')
  return {
    subdivisionRequired: subdivision,
    postalCodeRequired: postal_code
      ? ('always' as const)
      : form.postalCode
        ? ('optional' as const)
        : ('never' as const),
    names: {
      city: form.city,
      subdivision: form.subdivision?.name ?? null,
      postal_code: form.postalCode?.name ?? null,
    },
    subdivisions: (form.subdivision?.list ?? []).map(([code, name]) => ({ code, name })),
    isSubdivisionUsual: form.subdivision?.isRequired ?? false,
    postalCodePattern: form.postalCode?.pattern ?? null,
    postalCodeExample: form.postalCode?.example ?? null,
    note: 'A physical address, not a post-office box.',
    fields: Object.keys(members).map(part),
  }
}

const { properties: personMembers = {}, required: personRequired = [] } = associatedPersons.items ?? {}

const personsForm = (country: string) => ({
  rules: [
    'At least one person has `has_control` true, and a `title`.',
    'List every owner with at least the share `ownership_threshold` (5 to 25 percent, default 25).',
    'A person’s documents and address follow the rules for an individual of the person’s own country.',
  ],
  fields: [
    ...personRequired.map((name) => fieldOf(personMembers, name, 'always')),
    fieldOf(personMembers, 'title', 'conditional', 'when `has_control` is true'),
    ...(isInEea(country)
      ? [
          ...['nationalities', 'place_of_birth', 'is_director'].map((name) => fieldOf(personMembers, name, 'always')),
          fieldOf(personMembers, 'ownership_percentage', 'conditional', 'when `has_ownership` is true'),
        ]
      : []),
  ],
})
