// The provider's requirements for an individual or a company, by country: the one table behind the list of missing data
// and behind `GET /v0/kyc-requirements`. fields.rules.ts describes the form of each field.

import { addressFormOf, countryRowOf } from '../../../../../forms/src/countries/country.ts'
import { needsLatin } from '../../../../../forms/src/names.ts'
import { isInEea } from '../../../platform/values/country-codes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { governmentIdTypes, taxIdTypes } from './papers.rules.ts'

export const kycTypes = ['individual', 'business'] as const
export type KycType = (typeof kycTypes)[number]

/** One requirement of a submit-kyc body. */
type KycNeed = {
  /** The provider's name of it. */
  requirement: string
  /** The place in the body: a property, or a property and a member (`place_of_birth.city`). */
  field: string
  /** `conditional`: not every body of this country needs the field; `rule` says which. */
  required: 'always' | 'conditional'
  /** A rule beyond the form of the field. */
  rule: string | undefined
  isMet(body: JsonObject): boolean
}

/**
 * Lists the needs of an individual or company in a country.
 * @param country alpha-3, upper case; undefined while no address has a country
 */
export function needsOf(type: KycType, country: string | undefined): KycNeed[] {
  if (type === 'business') return businessNeeds(country)
  const inEea = country !== undefined && isInEea(country)
  const { taxIdTypes, photoIdRequired } = identityRulesOf(country)
  const documents = inEea
    ? '; the number of a passport or national id does not replace it, and `issuing_country` is the country of residence'
    : ''
  const taxIdRule = `a tax id: an entry of one of the types in \`identityDocuments\`, with its \`number\`; \`other\` needs a \`description\` too${documents}`
  return [
    given('first_name', 'first_name'),
    given('last_name', 'last_name'),
    given('email_address', 'email'),
    given('date_of_birth', 'birth_date'),
    ...addressNeeds('address_of_residence', 'residential_address', country, true),
    ...['first_name', 'middle_name', 'last_name'].map(transliteration),
    addressTransliteration('residential_address'),
    taxIdNeed(taxIdTypes, taxIdRule),
    ...(photoIdRequired ? [photoIdNeed] : []),
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
    // This address may be in another country, whose rules then apply.
    ...addressNeeds('address_of_operation', 'physical_address', country, false),
    ...['business_legal_name', 'business_trade_name'].map(transliteration),
    ...['registered_address', 'physical_address'].map(addressTransliteration),
    taxIdNeed(taxIdTypes, 'an entry of a tax id type, with its `number`; `other` needs a `description` too'),
    entry(
      'control_person',
      'associated_persons',
      'at least one with `has_control` true',
      (person) => person['has_control'] === true,
    ),
    documentNeed('business_formation_document', 'business_formation'),
    documentNeed('business_ownership_document', 'ownership_information'),
    given('minimal_source_of_funds_data', 'account_purpose'),
    given('minimal_source_of_funds_data', 'source_of_funds'),
    ...(country !== undefined && isInEea(country) ? eeaBusinessNeeds : []),
  ]
}

// The provider publishes no requirement names for these, so they are named after the property or the purpose.
const eeaBusinessNeeds: readonly KycNeed[] = [
  given('incorporation_date', 'incorporation_date'),
  given(
    'has_foreign_tax_registration',
    'has_foreign_tax_registration',
    'when true, `identifying_information` has a tax entry for each of these countries',
  ),
  documentNeed('evidence_of_good_standing', 'evidence_of_good_standing'),
  documentNeed('proof_of_signatory_authority', 'proof_of_signatory_authority'),
]

const eeaNeeds: readonly KycNeed[] = [
  given('nationality', 'nationalities', 'every nationality the person has'),
  given('place_of_birth', 'place_of_birth.country'),
  given('place_of_birth', 'place_of_birth.city', 'advised: European law requires it from 2027 on', () => false),
  given('sof_individual_primary_purpose', 'account_purpose'),
  given(
    'sof_individual_primary_purpose',
    'account_purpose_other',
    'when `account_purpose` is `other`',
    ({ account_purpose }) => account_purpose === 'other',
  ),
  given('employment_status', 'employment_status'),
]

/** Returns whether an address in this country needs each of the optional parts. */
export function addressRulesOf(country: string | undefined): { subdivision: boolean; postal_code: boolean } {
  if (country === undefined) return { subdivision: false, postal_code: false }
  const { postalCode } = addressFormOf(country)
  return { subdivision: country === 'USA', postal_code: postalCode?.isRequired === true || isInEea(country) }
}

/** @param tellsCountry whether `country` is the country of this address */
function addressNeeds(
  requirement: string,
  property: string,
  country: string | undefined,
  tellsCountry: boolean,
): KycNeed[] {
  const rules = addressRulesOf(country)
  const part = (name: keyof typeof rules, condition: string): KycNeed => {
    // Without an address, the needs of its other parts are unmet.
    const isNeeded = ({ [property]: address }: JsonObject) =>
      isJsonObject(address) && addressRulesOf(codeOf(address['country']))[name]
    const rule = rules[name] && tellsCountry ? undefined : condition
    const need = given(requirement, `${property}.${name}`, rule, isNeeded)
    return rules[name] ? { ...need, required: 'always' } : need
  }
  return [
    ...['street_line_1', 'city', 'country'].map((name) => given(requirement, `${property}.${name}`)),
    ...(tellsCountry && !rules.subdivision ? [] : [part('subdivision', 'when the address is in the USA')]),
    part('postal_code', 'when the country of the address has postal codes'),
  ]
}

/** A name outside Latin-1 is also required in Latin letters. */
function transliteration(name: string): KycNeed {
  const field = `transliterated_${name}`
  return given(field, field, `when \`${name}\` has letters beyond Latin-1`, ({ [name]: value }) => {
    return typeof value === 'string' && needsLatin(value)
  })
}

function addressTransliteration(name: string): KycNeed {
  const field = `transliterated_${name}`
  return given(field, field, `when a part of \`${name}\` has letters beyond Latin-1`, ({ [name]: address }) => {
    return isJsonObject(address) && Object.values(address).some((part) => typeof part === 'string' && needsLatin(part))
  })
}

// The known part of the provider's table of countries. `passport`, `national_id` and `other` are added to these.
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

/**
 * Returns how a person of a country proves an identity. In the USA, by a tax ID (ssn or itin) alone. Elsewhere, by a
 * tax ID and a photo ID, where a passport or national ID with number and front image is both. In the EEA the number of
 * a passport or national ID does not replace the tax ID.
 * @returns `taxIdTypes`: types of which one, with `number`, proves the tax ID; `taxIdTypesNamed`: whether the provider
 * names these types for the country, rather than allowing all types
 */
export function identityRulesOf(country: string | undefined) {
  if (country === 'USA')
    return {
      taxIdTypes: ['ssn', 'itin'],
      taxIdTypesNamed: true,
      photoIdRequired: false,
      oneDocumentMayServeAsBoth: false,
    }
  const named = namedTaxIdTypes[country ?? '']
  const both = country === undefined || !isInEea(country)
  const documents = both ? ['passport', 'national_id'] : []
  const types = [...(named === undefined ? taxIdTypes : [...named, 'other']), ...documents]
  return {
    taxIdTypes: usualFirst(types, countryRowOf(country).people),
    taxIdTypesNamed: named !== undefined,
    photoIdRequired: true,
    oneDocumentMayServeAsBoth: both,
  }
}

/** @returns each kind once, the usual ones in front */
export function usualFirst(kinds: readonly string[], usual: readonly string[]): string[] {
  return [...new Set([...usual.filter((kind) => kinds.includes(kind)), ...kinds])]
}

const photoIdNeed = entry(
  'government_id_verification',
  'identifying_information',
  'a photo id: an entry of a government id type, with `image_front`, and `image_back` if it has a back; `number` is optional',
  ({ type, image_front }) => typeof type === 'string' && governmentIdTypes.includes(type) && isGiven(image_front),
)

function taxIdNeed(types: readonly string[], rule: string): KycNeed {
  return entry(
    'tax_identification_number',
    'identifying_information',
    rule,
    ({ type, number }) => typeof type === 'string' && types.includes(type) && isGiven(number),
  )
}

function documentNeed(requirement: string, purpose: string): KycNeed {
  return entry(
    requirement,
    'documents',
    `a document with \`${purpose}\` among its \`purposes\``,
    ({ purposes }) => Array.isArray(purposes) && purposes.includes(purpose),
  )
}

/** A need that one entry of a list meets. */
function entry(requirement: string, field: string, rule: string, fits: (entry: JsonObject) => boolean): KycNeed {
  const isMet = ({ [field]: list }: JsonObject) => Array.isArray(list) && list.filter(isJsonObject).some(fits)
  return { requirement, field, required: 'always', rule, isMet }
}

/** @param isNeeded omitted if every body needs the field */
function given(requirement: string, field: string, rule?: string, isNeeded?: (body: JsonObject) => boolean): KycNeed {
  const [property = '', member] = field.split('.')
  const isThere = ({ [property]: value }: JsonObject) =>
    member === undefined ? isGiven(value) : isJsonObject(value) && isGiven(value[member])
  const isMet = (body: JsonObject) => isNeeded?.(body) === false || isThere(body)
  return { requirement, field, required: isNeeded ? 'conditional' : 'always', rule, isMet }
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

/** Reads a country code of a body: alpha-3, upper case. */
export function codeOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value.toUpperCase() : undefined
}
