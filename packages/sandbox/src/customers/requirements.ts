// What the provider asks of a customer before it grants an endorsement, and which of it a submission supplies. Of the
// data itself only these names are kept: no number, date, address or image outlives the request.
import { type JsonObject, listOf, objectOf, textOf } from '../platform/fields.ts'
import { photoIdTypes } from './form/vocabulary.ts'
import type { CustomerType, EndorsementName } from './rows.ts'

/** Where a customer lives, as coarsely as the rules need it. */
export type Residence = 'usa' | 'elsewhere'

type Subject = {
  type: CustomerType
  residence: Residence | null
  facts: readonly string[]
  /** What was asked of this customer alone. */
  wanted: readonly string[]
}

const individualNeeds = [
  'first_name',
  'last_name',
  'email_address',
  'address_of_residence',
  'date_of_birth',
  'tax_identification_number',
]

const businessNeeds = [
  'business_name',
  'business_type',
  'business_description',
  'email_address',
  'address_of_incorporation',
  'address_of_operation',
  'tax_identification_number',
  'business_formation_document',
  'control_person',
]

/** What a questionnaire asks for. */
export const questionnaireNeeds: Record<CustomerType, string[]> = {
  individual: ['source_of_funds_questionnaire', 'sof_individual_primary_purpose'],
  business: ['source_of_funds_questionnaire'],
}

/** What a question about the owners of a business asks for. */
export const ownerNeeds = ['associated_person_relationship']

/** What is asked of an owner who is to hand in one more document. */
export const ownerDocumentNeeds = ['proof_of_address']

/** What the provider looks into by itself once the data is complete. */
export const checksOf = (type: CustomerType): string[] =>
  type === 'individual'
    ? ['sanctions_screen', 'pep_screen', 'blocklist_lookup', 'min_age_18']
    : ['sanctions_screen', 'adverse_media_screen', 'blocklist_lookup', 'kyb_review']

/** Everything the customer must supply for the endorsement, the terms included. */
export const needsOf = (subject: Subject, endorsement: EndorsementName): string[] => {
  const needs = ['terms_of_service_v1']
  if (endorsement === 'sepa') needs.push('terms_of_service_v2')
  if (subject.type === 'business') return [...needs, ...businessNeeds, ...subject.wanted]
  // Inside the USA a tax number alone is enough; everywhere else a photo id comes on top.
  if (subject.residence !== 'usa') needs.push('government_id_verification')
  return [...needs, ...individualNeeds, ...subject.wanted]
}

export const missingOf = (subject: Subject, endorsement: EndorsementName): string[] =>
  needsOf(subject, endorsement).filter((need) => !subject.facts.includes(need))

/** The names of everything a body supplies. */
export const factsIn = (type: CustomerType, given: JsonObject): string[] => {
  const supplied = type === 'individual' ? individualFacts(given) : businessFacts(given)
  if (textOf(given, 'email')) supplied.push('email_address')
  return supplied
}

/** Every fact there is, which is what a finished hosted verification amounts to. */
export const allFacts = (type: CustomerType): string[] =>
  type === 'individual' ? [...individualNeeds, 'government_id_verification'] : businessNeeds

/** Both versions: the page shows the current terms, which include the older ones. */
export const termsFacts = ['terms_of_service_v1', 'terms_of_service_v2']

const individualFacts = (given: JsonObject): string[] => {
  const papers = identificationsIn(given)
  const residence = objectOf(given, 'residential_address')
  const isTaxId = ({ type, number }: Identification) =>
    number !== '' &&
    (!photoIdTypes.includes(type) || ((type === 'passport' || type === 'national_id') && !inUsa(residence)))
  return named({
    first_name: textOf(given, 'first_name') !== undefined,
    last_name: textOf(given, 'last_name') !== undefined,
    address_of_residence: residence !== undefined,
    date_of_birth: textOf(given, 'birth_date') !== undefined,
    tax_identification_number: papers.some(isTaxId),
    government_id_verification: papers.some(({ type, hasImage }) => hasImage && photoIdTypes.includes(type)),
    proof_of_address: documentPurposesIn(given).includes('proof_of_address'),
    selfie_verification: listOf(given, 'liveness_check_selfies').length > 0,
    source_of_funds_questionnaire: hasAll(given, individualQuestions),
    sof_individual_primary_purpose: hasAll(given, ['account_purpose']),
  })
}

/** What is known of a person behind a business. */
export const personItemsIn = (person: JsonObject): string[] => {
  const supplied = individualFacts(person)
  return [
    ...individualNeeds.filter((need) => need === 'email_address' || supplied.includes(need)),
    ...named({
      has_control: person['has_control'] === true,
      has_title: textOf(person, 'title') !== undefined,
      proof_of_address: supplied.includes('proof_of_address'),
    }),
  ]
}

/** The fields that the provider requires of customers of higher risk, the account's purpose aside. */
const individualQuestions = [
  'source_of_funds',
  'employment_status',
  'expected_monthly_payments_usd',
  'most_recent_occupation',
  'acting_as_intermediary',
]
const businessQuestions = ['account_purpose', 'source_of_funds']

const hasAll = (given: JsonObject, fields: string[]): boolean =>
  fields.every((field) => given[field] !== undefined && given[field] !== null)

const businessFacts = (given: JsonObject): string[] =>
  named({
    business_name: textOf(given, 'business_legal_name') !== undefined,
    business_type: textOf(given, 'business_type') !== undefined,
    business_description: textOf(given, 'business_description') !== undefined,
    address_of_incorporation: objectOf(given, 'registered_address') !== undefined,
    address_of_operation: objectOf(given, 'physical_address') !== undefined,
    tax_identification_number: identificationsIn(given).some(({ number }) => number !== ''),
    business_formation_document: documentPurposesIn(given).includes('business_formation'),
    control_person: listOf(given, 'associated_persons').some(
      (person) => (person as JsonObject)['has_control'] === true,
    ),
    associated_person_relationship: listOf(given, 'associated_persons').length > 0,
    source_of_funds_questionnaire: hasAll(given, businessQuestions),
  })

const named = (held: Record<string, boolean>): string[] => Object.keys(held).filter((name) => held[name])

type Identification = { type: string; number: string; hasImage: boolean }

const identificationsIn = (given: JsonObject): Identification[] =>
  (listOf(given, 'identifying_information') as JsonObject[]).map((paper) => ({
    type: textOf(paper, 'type') ?? '',
    number: textOf(paper, 'number') ?? '',
    hasImage: textOf(paper, 'image_front') !== undefined,
  }))

const documentPurposesIn = (given: JsonObject): unknown[] =>
  (listOf(given, 'documents') as JsonObject[]).flatMap((document) => listOf(document, 'purposes'))

const inUsa = (address: JsonObject | undefined): boolean =>
  address !== undefined && textOf(address, 'country')?.toUpperCase() === 'USA'

/** Undefined when the body says nothing about it. */
export const residenceIn = (given: JsonObject): Residence | undefined => {
  const address = objectOf(given, 'residential_address') ?? objectOf(given, 'registered_address')
  if (!address) return undefined
  return inUsa(address) ? 'usa' : 'elsewhere'
}
