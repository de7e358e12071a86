// What the provider asks of a person or a company, by country: the one table behind the list of what is missing and
// behind the answer to what is needed. Words for the form of each field stand with its rule (form-rules.ts).
import { isInEea } from '../../../platform/values/country-codes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { governmentIdTypes, taxIdTypes } from './vocabulary.rules.ts'

export const kycTypes = ['individual', 'business'] as const
export type KycType = (typeof kycTypes)[number]

/** One thing that a submit-kyc body has to hold. */
export type KycNeed = {
  /** The provider's name of it. */
  requirement: string
  /** Where it stands in the body, dotted. */
  field: string
  /** Conditional: not every body of this country needs it; `rule` says which. */
  required: 'always' | 'conditional'
  /** What the form of the field does not say. */
  rule?: string
  isMet(body: JsonObject): boolean
}

/** What is needed of somebody of this country (alpha-3, upper case); undefined while no address says which. */
export function needsOf(type: KycType, country: string | undefined): KycNeed[] {
  return type === 'business' ? businessNeeds(country) : individualNeeds(country)
}

function individualNeeds(country: string | undefined): KycNeed[] {
  const inEea = country !== undefined && isInEea(country)
  return [
    given('first_name', 'first_name'),
    given('last_name', 'last_name'),
    given('email_address', 'email'),
    given('date_of_birth', 'birth_date'),
    ...addressNeeds('address_of_residence', 'residential_address', country, true),
    ...['first_name', 'middle_name', 'last_name'].map(transliteration),
    ...identityNeeds(country, inEea),
    ...(inEea ? eeaNeeds : []),
  ]
}

function businessNeeds(country: string | undefined): KycNeed[] {
  return [
    given('business_name', 'business_legal_name'),
    given('business_name', 'business_trade_name'),
    given('business_type', 'business_type'),
    given('business_description', 'business_description'),
    given('business_industry', 'business_industry', 'NAICS codes'),
    given('business_website', 'primary_website'),
    given('email_address', 'email'),
    given('is_dao', 'is_dao'),
    given('has_material_intermediary_ownership', 'has_material_intermediary_ownership'),
    ...addressNeeds('address_of_incorporation', 'registered_address', country, true),
    // May lie elsewhere, and is then judged by the country that it names.
    ...addressNeeds('address_of_operation', 'physical_address', country, false),
    taxIdNeed(taxIdTypes, 'an entry of a tax id type, with its `number`; `other` needs a `description` too'),
    {
      requirement: 'control_person',
      field: 'associated_persons',
      required: 'always',
      rule: 'at least one with `has_control` true',
      isMet: (body) => listOf(body['associated_persons']).some((person) => person['has_control'] === true),
    },
    documentNeed('business_formation_document', 'business_formation'),
    documentNeed('business_ownership_document', 'ownership_information'),
    given('minimal_source_of_funds_data', 'account_purpose'),
    given('minimal_source_of_funds_data', 'source_of_funds'),
  ]
}

const eeaNeeds: readonly KycNeed[] = [
  given('nationality', 'nationalities', 'every nationality the person has'),
  given('place_of_birth', 'place_of_birth.country'),
  given('place_of_birth', 'place_of_birth.city'),
  given('sof_individual_primary_purpose', 'account_purpose'),
  {
    requirement: 'sof_individual_primary_purpose',
    field: 'account_purpose_other',
    required: 'conditional',
    rule: 'when `account_purpose` is `other`',
    isMet: (body) => body['account_purpose'] !== 'other' || isGiven(body['account_purpose_other']),
  },
  given('employment_status', 'employment_status'),
]

// Certain to have postal codes: the area the provider's EUR rails are for, and the larger of its other markets. Its own
// list has more; elsewhere it may ask, and we do not.
const postalCodeCountries: ReadonlySet<string> = new Set(
  'ARG AUS BRA CAN CHE CHL COL GBR IND JPN KEN MEX NGA NZL PER SGP USA'.split(' '),
)

/** Whether an address in this country needs each of the parts that not every address has. */
export function addressRulesOf(country: string | undefined): { subdivision: boolean; postalCode: boolean } {
  if (country === undefined) return { subdivision: false, postalCode: false }
  return { subdivision: country === 'USA', postalCode: postalCodeCountries.has(country) || isInEea(country) }
}

/** @param isThere whether this address is what tells the country */
function addressNeeds(requirement: string, property: string, country: string | undefined, isThere: boolean): KycNeed[] {
  const part = (name: 'subdivision' | 'postal_code', rule: 'subdivision' | 'postalCode', where: string): KycNeed => {
    const needed = addressRulesOf(country)[rule]
    return {
      requirement,
      field: `${property}.${name}`,
      required: needed ? 'always' : 'conditional',
      ...(needed && isThere ? {} : { rule: where }),
      isMet(body) {
        const address = body[property]
        if (!isJsonObject(address)) return true // the address itself is what is missing
        return !addressRulesOf(codeOf(address['country']))[rule] || isGiven(address[name])
      },
    }
  }
  const subdivision = part('subdivision', 'subdivision', 'when the address is in the USA')
  return [
    ...['street_line_1', 'city', 'country'].map((name) => given(requirement, `${property}.${name}`)),
    ...(isThere && subdivision.required === 'conditional' ? [] : [subdivision]),
    part('postal_code', 'postalCode', 'when the country of the address has postal codes'),
  ]
}

/** A name beyond Latin-1 is needed in Latin letters as well. */
function transliteration(name: string): KycNeed {
  const field = `transliterated_${name}`
  return {
    requirement: field,
    field,
    required: 'conditional',
    rule: `when \`${name}\` has letters beyond Latin-1`,
    isMet(body) {
      const value = body[name]
      return typeof value !== 'string' || /^[ -~À-ÖØ-ßà-öø-ÿ]*$/.test(value) || isGiven(body[field])
    },
  }
}

export type IdentityRules = {
  /** With `number`, one of these proves the tax id. */
  taxIdTypes: readonly string[]
  /** Whether the types are those that the provider's table names for the country, or all there are. */
  taxIdTypesNamed: boolean
  photoIdRequired: boolean
  oneDocumentMayServeAsBoth: boolean
}

// As far as the provider's table of countries is known. `passport`, `national_id` and `other` go beside them.
const namedTaxIdTypes: Readonly<Record<string, readonly string[]>> = {
  ABW: ['other'],
  AFG: ['tin'],
  AGO: ['nif'],
  ALB: ['tin'],
  AND: ['other'],
  ARE: ['emirates_id'],
  ARG: ['cuil', 'cdi'],
  ARM: ['tin'],
  AUS: ['tfn'],
  AUT: ['si'],
  AZE: ['voen'],
}

const documentsAsTaxId = ['passport', 'national_id']

/**
 * In the USA a tax id (ssn or itin) alone. Elsewhere a tax id and a photo id; a passport or national id with number
 * and front image is both. In the EEA the number of a national id or passport does not stand in for the tax id.
 */
export function identityRulesOf(country: string | undefined): IdentityRules {
  if (country === 'USA') {
    return {
      taxIdTypes: ['ssn', 'itin'],
      taxIdTypesNamed: true,
      photoIdRequired: false,
      oneDocumentMayServeAsBoth: false,
    }
  }
  const named = Object.hasOwn(namedTaxIdTypes, country ?? '') ? namedTaxIdTypes[country ?? ''] : undefined
  const plain = named === undefined ? taxIdTypes : [...new Set([...named, 'other'])]
  const both = country === undefined || !isInEea(country)
  return {
    taxIdTypes: both ? [...plain, ...documentsAsTaxId] : plain,
    taxIdTypesNamed: named !== undefined,
    photoIdRequired: true,
    oneDocumentMayServeAsBoth: both,
  }
}

function identityNeeds(country: string | undefined, inEea: boolean): KycNeed[] {
  const rules = identityRulesOf(country)
  const documents = inEea ? '; the number of a passport or national id does not stand in for it' : ''
  const rule = `a tax id: an entry of one of the types in \`identityDocuments\`, with its \`number\`; \`other\` needs a \`description\` too${documents}`
  const taxId = taxIdNeed(rules.taxIdTypes, rule)
  return rules.photoIdRequired ? [taxId, photoIdNeed] : [taxId]
}

const photoIdNeed: KycNeed = {
  requirement: 'government_id_verification',
  field: 'identifying_information',
  required: 'always',
  rule: 'a photo id: an entry of a government id type, with `image_front`, and `image_back` if it has a back; `number` is optional',
  isMet: (body) =>
    listOf(body['identifying_information']).some(
      (item) => governmentIdTypes.includes(String(item['type'])) && isGiven(item['image_front']),
    ),
}

function taxIdNeed(types: readonly string[], rule: string): KycNeed {
  return {
    requirement: 'tax_identification_number',
    field: 'identifying_information',
    required: 'always',
    rule,
    isMet: (body) =>
      listOf(body['identifying_information']).some(
        (item) => types.includes(String(item['type'])) && isGiven(item['number']),
      ),
  }
}

function documentNeed(requirement: string, purpose: string): KycNeed {
  return {
    requirement,
    field: 'documents',
    required: 'always',
    rule: `a document with \`${purpose}\` among its \`purposes\``,
    isMet: (body) =>
      listOf(body['documents']).some(({ purposes }) => Array.isArray(purposes) && purposes.includes(purpose)),
  }
}

/** @param field one property, or one of an object's: `place_of_birth.city` */
function given(requirement: string, field: string, rule?: string): KycNeed {
  const [property = '', member] = field.split('.')
  const isMet = (body: JsonObject) => {
    const value = body[property]
    return member === undefined ? isGiven(value) : isJsonObject(value) && isGiven(value[member])
  }
  return { requirement, field, required: 'always', ...(rule === undefined ? {} : { rule }), isMet }
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** A country code of a body as the table has it. */
export function codeOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value.toUpperCase() : undefined
}
