// Meaning of requirement names, issue codes and rejection reasons: who can meet a requirement, and how. Names and codes
// are our terms, into which adapters translate (provider/catalogue.rules.ts). For an unknown name, the end-user is sent
// to the provider's hosted page.

import { words } from '../../platform/values/words.ts'
import { clearedBy, settledByReview } from '../../provider/catalogue.rules.ts'
import { associatedPersonFields, businessFields, individualFields } from './form/fields.rules.ts'
import { businessDocumentPurposes, governmentIdTypes, personDocumentPurposes, taxIdTypes } from './form/papers.rules.ts'

/**
 * How a requirement is met: by properties of the submit-kyc body, by the Terms of Service page, on the provider's
 * hosted page, by the provider's own review, or by nobody. `elsewhere`: the rail does not exist where the customer
 * lives.
 */
export type Remedy =
  | { by: 'fields'; fields: readonly string[] }
  | { by: 'terms' | 'hosted' | 'review' | 'nobody' | 'elsewhere' }

const send = (...fields: string[]): Remedy => ({ by: 'fields', fields })
const hosted: Remedy = { by: 'hosted' }
const review: Remedy = { by: 'review' }
const nobody: Remedy = { by: 'nobody' }

const identity = send('identifying_information')
const documents = send('documents')
const people = send('associated_persons')
const birthDate = send('birth_date')
const residence = send('residential_address')
const birthPlace = send('place_of_birth')

/** The provider's questionnaire on the source of funds, which it publishes for individuals only. */
export const questionnaireFields = words(`
  account_purpose source_of_funds employment_status most_recent_occupation expected_monthly_payments_usd
  acting_as_intermediary`)

const met = (remedy: Remedy, requirements: string) => words(requirements).map((name) => [name, remedy] as const)

const requirementRemedies: ReadonlyMap<string, Remedy> = new Map([
  ...met(
    { by: 'terms' },
    'terms_of_service_v1 terms_of_service_v2 tos_acceptance tos_v2_acceptance signed_agreement_id',
  ),
  ...met(send('email'), 'email_address'),
  ...met(birthDate, 'date_of_birth min_age_18 min_age_60'),
  ...met(birthPlace, 'birth_place country_of_birth city_of_birth'),
  ...met(send('nationalities'), 'nationality'),
  ...met(residence, 'address_of_residence'),
  ...met(
    identity,
    `tax_identification_number tax_id identification_number government_id government_id_verification government_id_reliance government_id_rejection_checks_passed
    government_id_review_checks_passed id_front_photo id_back_photo`,
  ),
  ...met(
    documents,
    `proof_of_address proof_of_address_document kyc_with_proof_of_address gov_id_address_to_residential_address_match
    business_formation_document business_formation_document_verification business_ownership_document`,
  ),
  ...met(send('account_purpose'), 'sof_individual_primary_purpose'),
  ...met(send(...questionnaireFields), 'source_of_funds_questionnaire'),
  ...met(send('account_purpose', 'source_of_funds'), 'minimal_source_of_funds_data'),
  ...met(send('business_legal_name'), 'business_name'),
  ...met(send('primary_website'), 'business_website'),
  ...met(send('registered_address'), 'address_of_incorporation'),
  ...met(send('physical_address'), 'address_of_operation'),
  ...met(
    people,
    `control_person beneficial_owner associated_persons control_person_ownership_attestation associated_person_relationship
    has_control has_title`,
  ),
  ...met(hosted, 'selfie_verification selfie_document_in_persona kyc_approval'),
])

// For a person of a company, these are properties of the person, not of the company.
const personRemedies: ReadonlyMap<string, Remedy> = new Map([
  ...met(send('title'), 'has_title'),
  ...met(send('has_control'), 'has_control control_person'),
  ...met(send('attested_ownership_structure_at'), 'control_person_ownership_attestation'),
  ...met(send('relationship_established_at'), 'associated_person_relationship'),
])

/** The subject of a requirement: the customer, or a person of a company. */
export type Subject = 'customer' | 'person'

const forms = {
  customer: { ...businessFields, ...individualFields },
  person: associatedPersonFields,
}
/** Properties that identify the customer to us; no requirement is about them. */
const ownNames: ReadonlySet<string> = new Set(['id', 'client_reference_id'])
const papers: ReadonlySet<string> = new Set(
  [...governmentIdTypes, ...taxIdTypes].filter((name) => name !== 'other' && name !== 'id'),
)
const purposes: ReadonlySet<string> = new Set(
  [...personDocumentPurposes, ...businessDocumentPurposes].filter((name) => name !== 'other'),
)

/**
 * Finds the property of the submission that a provider's name means: the property itself (`nationalities`), a member
 * (`place_of_birth.city`, `place_of_birth_city`), a missing one (`place_of_birth_missing`), or a kind of document.
 */
function propertyNamed(requirement: string, subject: Subject): string | undefined {
  const name = requirement.replace(/_(missing|invalid|required)$/, '')
  const [first = ''] = name.split(/[.[]/)
  const form = forms[subject]
  for (const each of [requirement, name, first]) if (Object.hasOwn(form, each) && !ownNames.has(each)) return each
  const owner = Object.entries(form).find(([property, { properties = {} }]) =>
    Object.keys(properties).some((member) => name === `${property}_${member}`),
  )
  if (owner) return owner[0]
  if (papers.has(name) || papers.has(name.replace(/_number$/, ''))) return 'identifying_information'
  return purposes.has(name) ? 'documents' : undefined
}

/** Returns how a requirement is met. */
export function remedyOfRequirement(requirement: string, subject: Subject = 'customer'): Remedy {
  const known = (subject === 'person' && personRemedies.get(requirement)) || requirementRemedies.get(requirement)
  if (known) return known
  if (settledByReview.has(requirement)) return review
  const property = propertyNamed(requirement, subject)
  return property === undefined ? hosted : send(property)
}

type Issue = { reason: string; remedy: Remedy }

/** @param remedy of an issue that the end-user can resolve */
const issue = (remedy: Remedy | null, reason: string, codes: string) =>
  words(codes).map((code) => [code, { reason, remedy }] as const)
const mismatch = (noun: string) => `The ${noun} does not match public records. Check it for typing errors.`
const screening = 'The provider must review a screening manually.'
const idFailed = 'The government ID could not be verified. Send clear, uncropped photos of a valid ID.'
const wrongTaxId = 'The tax identification number has the wrong form or type for the country.'
const tooYoung = 'The person is under the minimum age of 18. Only a mistyped date can be corrected.'
const overAge = 'The person is above the age from which the provider needs further details.'
const formationFailed = 'The formation document could not be verified.'
const ownershipFailed = 'The ownership document could not be verified.'
const soleOwner = 'A sole proprietorship has exactly one owner, who also controls it.'
const notInRegion = 'This rail is not available where the customer lives.'
const addressPart = (name: string) => `The ${name} of the residential address is not valid.`

const issues: ReadonlyMap<string, { reason: string; remedy: Remedy | null }> = new Map([
  ...issue(identity, 'The ID has expired. Send one that is valid.', 'id_expired'),
  ...issue(documents, 'The document has expired. Send a valid document.', 'document_expired'),
  ...issue(identity, idFailed, 'government_id_verification_failed'),
  ...issue(identity, wrongTaxId, 'tax_identification_number_not_compatible'),
  ...issue(birthPlace, 'The place of birth is required.', 'place_of_birth_missing'),
  ...issue(residence, mismatch('residential address'), 'database_check_failed_on_address'),
  ...issue(birthDate, mismatch('birth date'), 'database_check_failed_on_birth_date'),
  ...issue(residence, addressPart('city'), 'residence_address_invalid_city'),
  ...issue(residence, addressPart('first line'), 'residence_address_invalid_address_line1'),
  ...issue(residence, addressPart('second line'), 'residence_address_invalid_address_line2'),
  ...issue(residence, addressPart('postal code'), 'residence_address_invalid_postal_code'),
  ...issue(residence, addressPart('subdivision'), 'residence_address_invalid_subdivision_code'),
  ...issue(documents, formationFailed, 'business_formation_document_verification_failed'),
  ...issue(documents, ownershipFailed, 'business_ownership_document_verification_failed'),
  ...issue(people, soleOwner, 'sole_proprietorship_too_many_ubos sole_proprietorship_ubo_missing_ownership_or_control'),
  ...issue(birthDate, tooYoung, 'customer_too_young beneficial_owner_too_young'),
  ...issue(hosted, overAge, 'customer_over_age beneficial_owner_over_age'),
  ...issue(null, screening, 'adverse_media_report_match watchlist_report_match'),
  ...issue(null, 'The provider cannot accept this customer.', 'blocklist_check_failed'),
  ...issue(null, 'This kind of customer is not supported.', 'customer_not_compatible'),
  ...issue(null, 'This rail is not open to this integration.', 'developer_not_compatible'),
  ...issue(null, notInRegion, 'endorsement_not_available_in_customers_region'),
])

/** Explains an issue of a requirement. An unknown issue code has the remedy of its requirement. */
export function explainIssue(requirement: string, code: string, subject: Subject = 'customer'): Issue {
  const { reason = unexplained, remedy = null } = issues.get(code) ?? {}
  const by = clearedBy({ requirement, code })
  if (by !== 'sender') return { reason, remedy: { by } }
  return { reason, remedy: remedy ?? remedyOfRequirement(requirement, subject) }
}

const unexplained = 'The provider could not accept this item. Check it and send it again.'

type Listed = { requirement: string; code: string }

/** Returns whether one of the errors is final: no submission can resolve it. */
export function hasFinalError({ errors }: { errors: readonly Listed[] }): boolean {
  return errors.some((error) => clearedBy(error) === 'nobody')
}

/** @returns whether the provider does not offer the endorsement where the customer lives */
export const isNotOffered = (error: Listed): boolean => clearedBy(error) === 'elsewhere'

/** Lists the remedies of all due requirements and errors. */
export function remediesOf(
  lists: { currentlyDue: readonly string[]; errors: readonly Listed[] },
  subject: Subject = 'customer',
): Remedy[] {
  const ofErrors = lists.errors.map(({ requirement, code }) => explainIssue(requirement, code, subject).remedy)
  return [...lists.currentlyDue.map((name) => remedyOfRequirement(name, subject)), ...ofErrors]
}

// The published rejection reasons that a better photo or another ID resolves; all others need a person to look.
const reasonsMetByNewId: ReadonlySet<string> = new Set(
  [
    'Cannot validate ID -- upload a clear photo of the full ID',
    'Cannot validate ID - upload photo of ID is clear',
    'Cannot accept provided ID',
    'Incorrect ID type selected.',
    'Same side submitted as both front and back.',
    'No government ID found in submission.',
    'ID is expired.',
    'Inconsistent or incomplete information.',
  ].map(plain),
)

/** Returns how the reason of a rejection is resolved. */
export function remedyOfRejection(reason: string): Remedy {
  return reasonsMetByNewId.has(plain(reason)) ? identity : nobody
}

/** The provider's pages and its responses punctuate the same reason differently. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z]+/g, '')
}
