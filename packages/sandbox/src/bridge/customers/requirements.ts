// The requirements for each endorsement, and the requirements that a body supplies. Only the names of supplied requirements are
// stored: no number, date, address or image outlives the request.
import type { PersonForm } from './form/associated-person.ts'
import type { CustomerForm } from './form/customer-form.ts'
import { photoIdTypes } from './form/vocabulary.ts'
import type { Customer, CustomerType, EndorsementName } from './rows.ts'

type Subject = Pick<Customer, 'type' | 'residence' | 'facts' | 'wanted'>

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

/** The requirements of a questionnaire. */
export const questionnaireNeeds: Record<CustomerType, string[]> = {
  individual: ['source_of_funds_questionnaire', 'sof_individual_primary_purpose'],
  business: ['source_of_funds_questionnaire'],
}

/** The requirements of a question about the owners of a business. */
export const ownerNeeds = ['associated_person_relationship']

/** The requirements of a question for one more document of an owner. */
export const ownerDocumentNeeds = ['proof_of_address']

/** Returns the automatic checks of the provider for complete data. */
export const checksOf = (type: CustomerType): string[] =>
  type === 'individual'
    ? ['sanctions_screen', 'pep_screen', 'blocklist_lookup', 'min_age_18']
    : ['sanctions_screen', 'adverse_media_screen', 'blocklist_lookup', 'kyb_review']

/** Returns the requirements of an endorsement, the terms of service included. */
export const needsOf = (subject: Subject, endorsement: EndorsementName): string[] => {
  const needs = ['terms_of_service_v1']
  if (endorsement === 'sepa') needs.push('terms_of_service_v2')
  if (subject.type === 'business') return [...needs, ...businessNeeds, ...subject.wanted]
  // In the USA a tax number is enough. Everywhere else a photo id is required in addition.
  if (subject.residence !== 'usa') needs.push('government_id_verification')
  return [...needs, ...individualNeeds, ...subject.wanted]
}

export const missingOf = (subject: Subject, endorsement: EndorsementName): string[] =>
  needsOf(subject, endorsement).filter((need) => !subject.facts.includes(need))

/** Returns the names of the requirements that a body supplies. */
export const factsIn = (type: CustomerType, given: CustomerForm): string[] => {
  const supplied = type === 'individual' ? individualFacts(given) : businessFacts(given)
  return given.email === undefined ? supplied : [...supplied, 'email_address']
}

/** Returns every requirement of the data: a finished hosted verification supplies all of them. */
export const allFacts = (type: CustomerType): string[] =>
  type === 'individual' ? [...individualNeeds, 'government_id_verification'] : businessNeeds

/** Both versions: the page shows the current terms, which include the older version. */
export const termsFacts = ['terms_of_service_v1', 'terms_of_service_v2']

const individualFacts = (given: CustomerForm): string[] => {
  const papers = given.identifying_information ?? []
  const isForeigner = !inUsa(given.residential_address)
  const isTaxId = ({ type, number }: (typeof papers)[number]) =>
    number !== undefined &&
    (!photoIdTypes.includes(type) || ((type === 'passport' || type === 'national_id') && isForeigner))
  return named({
    first_name: given.first_name !== undefined,
    last_name: given.last_name !== undefined,
    address_of_residence: given.residential_address !== undefined,
    date_of_birth: given.birth_date !== undefined,
    tax_identification_number: papers.some(isTaxId),
    government_id_verification: papers.some(({ type, image_front }) => image_front && photoIdTypes.includes(type)),
    proof_of_address: hasDocument(given, 'proof_of_address'),
    selfie_verification: (given.liveness_check_selfies ?? []).length > 0,
    source_of_funds_questionnaire: individualQuestions.every((field) => given[field] !== undefined),
    sof_individual_primary_purpose: given.account_purpose !== undefined,
  })
}

/** Returns the names of what a body supplies about a person behind a business. */
export const personItemsIn = (person: PersonForm): string[] => {
  const supplied = individualFacts(person)
  return [
    ...individualNeeds.filter((need) => need === 'email_address' || supplied.includes(need)),
    ...named({
      has_control: person.has_control,
      has_title: person.title !== undefined,
      proof_of_address: supplied.includes('proof_of_address'),
    }),
  ]
}

/** The fields that the provider requires of customers of higher risk, besides the purpose of the account. */
const individualQuestions = [
  'source_of_funds',
  'employment_status',
  'expected_monthly_payments_usd',
  'most_recent_occupation',
  'acting_as_intermediary',
] as const

const businessFacts = (given: CustomerForm): string[] => {
  const persons = given.associated_persons ?? []
  return named({
    business_name: given.business_legal_name !== undefined,
    business_type: given.business_type !== undefined,
    business_description: given.business_description !== undefined,
    address_of_incorporation: given.registered_address !== undefined,
    address_of_operation: given.physical_address !== undefined,
    tax_identification_number: (given.identifying_information ?? []).some(({ number }) => number !== undefined),
    business_formation_document: hasDocument(given, 'business_formation'),
    control_person: persons.some(({ has_control }) => has_control),
    associated_person_relationship: persons.length > 0,
    source_of_funds_questionnaire: given.account_purpose !== undefined && given.source_of_funds !== undefined,
  })
}

const named = (held: Record<string, boolean>): string[] => Object.keys(held).filter((name) => held[name])

const hasDocument = ({ documents }: CustomerForm, purpose: string): boolean =>
  (documents ?? []).some(({ purposes }) => purposes.includes(purpose))

const inUsa = (address: { country: string } | undefined): boolean => address?.country.toUpperCase() === 'USA'

/** Returns where the customer lives, or undefined when the body has no address. */
export const residenceIn = (given: CustomerForm): 'usa' | 'elsewhere' | undefined => {
  const address = given.residential_address ?? given.registered_address
  if (!address) return undefined
  return inUsa(address) ? 'usa' : 'elsewhere'
}
