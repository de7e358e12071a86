// The submit-kyc body: its form, in full, and what the provider is likely to ask for beyond it. Whether the data
// suffices is the provider's verdict; here every problem of form is found at once and none is shown with its value.
import { isInEea } from './country-codes.ts'
import { oneOf, type Problem, type Reading, readFields, report } from './form-rules.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { businessFields } from './kyc-business.ts'
import { individualFields } from './kyc-person.ts'
import { governmentIdTypes, taxIdTypes } from './kyc-vocabulary.ts'

export const kycTypes = ['individual', 'business'] as const
export type KycType = (typeof kycTypes)[number]

export type KycSubmission = { ok: true; body: JsonObject; type: KycType } | { ok: false; problems: Problem[] }

/**
 * Checks form alone. The body that comes back has its `type`, country and subdivision codes in upper case, and all
 * properties we do not know as they were sent; but not one that is a known one in camel case.
 * @param options.defaultType what a body without `type` is about; `individual` when not given
 */
export function checkKycSubmission(body: unknown, options: { nowMs: number; defaultType?: KycType }): KycSubmission {
  if (!isJsonObject(body)) {
    return { ok: false, problems: [{ param: '', code: 'invalid_type', message: 'The body must be an object.' }] }
  }
  const reading: Reading = { nowMs: options.nowMs, problems: [] }
  const given = body['type']
  const type = kycTypes.find((known) => known === given) ?? options.defaultType ?? 'individual'
  if (given !== undefined) oneOf(kycTypes)(given, 'type', reading)
  const fields = type === 'business' ? businessFields : individualFields
  refuseCamelCase(body, fields, reading)
  const read = readFields({ ...body, type }, '', fields, [], undefined, reading)
  return reading.problems.length === 0 ? { ok: true, body: read, type } : { ok: false, problems: reading.problems }
}

/** What we do not know passes through, but this would be lost on the provider without a word. */
function refuseCamelCase(body: JsonObject, fields: Readonly<Record<string, unknown>>, reading: Reading): void {
  for (const name of Object.keys(body)) {
    const meant = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (meant === name || !Object.hasOwn(fields, meant)) continue
    report(reading, name, 'unknown_field', `is not known here (did you mean \`${meant}\`?)`)
  }
}

/**
 * What the provider will probably list as missing, in its own requirement names; an agreement to the terms apart.
 * @param body one that `checkKycSubmission` let pass
 */
export function missingForApproval(body: JsonObject): string[] {
  return body['type'] === 'business' ? missingOfBusiness(body) : missingOfIndividual(body)
}

/** Requirement name → property of the body that meets it. */
const individualNeeds = {
  first_name: 'first_name',
  last_name: 'last_name',
  email_address: 'email',
  date_of_birth: 'birth_date',
  address_of_residence: 'residential_address',
}

const eeaNeeds = {
  nationality: 'nationalities',
  place_of_birth: 'place_of_birth',
  sof_individual_primary_purpose: 'account_purpose',
  employment_status: 'employment_status',
}

const businessNeeds = {
  business_name: 'business_legal_name',
  business_type: 'business_type',
  business_description: 'business_description',
  business_industry: 'business_industry',
  business_website: 'primary_website',
  email_address: 'email',
  is_dao: 'is_dao',
  address_of_incorporation: 'registered_address',
  address_of_operation: 'physical_address',
  tax_identification_number: 'identifying_information',
}

function missingOfIndividual(body: JsonObject): string[] {
  const country = member(body['residential_address'], 'country')
  const inEea = typeof country === 'string' && isInEea(country)
  return [
    ...unmet(body, individualNeeds),
    ...unmetTransliterations(body),
    ...unmetIdentification(body, country, inEea),
    ...(inEea ? unmet(body, eeaNeeds) : []),
  ]
}

/**
 * In the USA a tax id (ssn or itin) alone. Elsewhere a tax id and a photo id; a passport or national id with number
 * and front image is both. In the EEA the number of a national id or passport does not stand in for the tax id.
 */
function unmetIdentification(body: JsonObject, country: Json | undefined, inEea: boolean): string[] {
  const items = listOf(body['identifying_information'])
  const numbered = items.filter((item) => item['number'] !== undefined).map((item) => String(item['type']))
  if (country === 'USA') {
    return numbered.some((type) => type === 'ssn' || type === 'itin') ? [] : ['tax_identification_number']
  }
  const asTaxId = inEea ? taxIdTypes : [...taxIdTypes, 'passport', 'national_id']
  const isPhotoId = (item: JsonObject) =>
    governmentIdTypes.includes(String(item['type'])) && item['image_front'] !== undefined
  return [
    ...(numbered.some((type) => asTaxId.includes(type)) ? [] : ['tax_identification_number']),
    ...(items.some(isPhotoId) ? [] : ['government_id_verification']),
  ]
}

/** A name beyond Latin-1 is needed in Latin letters as well. */
function unmetTransliterations(body: JsonObject): string[] {
  return ['first_name', 'middle_name', 'last_name'].flatMap((name) => {
    const value = body[name]
    const needed = typeof value === 'string' && !/^[ -~À-ÖØ-ßà-öø-ÿ]*$/.test(value)
    return needed && body[`transliterated_${name}`] === undefined ? [`transliterated_${name}`] : []
  })
}

function missingOfBusiness(body: JsonObject): string[] {
  const people = listOf(body['associated_persons'])
  const purposes = new Set(listOf(body['documents']).flatMap((item) => item['purposes'] ?? []))
  const funded = body['account_purpose'] !== undefined && body['source_of_funds'] !== undefined
  return [
    ...unmet(body, businessNeeds),
    ...(people.some((person) => person['has_control'] === true) ? [] : ['control_person']),
    ...(purposes.has('business_formation') ? [] : ['business_formation_document']),
    ...(purposes.has('ownership_information') ? [] : ['business_ownership_document']),
    ...(funded ? [] : ['minimal_source_of_funds_data']),
  ]
}

function unmet(body: JsonObject, needs: Readonly<Record<string, string>>): string[] {
  return Object.entries(needs).flatMap(([requirement, property]) => (body[property] === undefined ? [requirement] : []))
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}
