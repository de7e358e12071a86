// What the provider's requirement names, issue codes and rejection reasons mean: who can do something about one, and
// how. Every list is open: a word that is new to us is answered by the provider's hosted page, which asks for itself.

/**
 * How a requirement is met: by properties of the submit-kyc body, by the Terms of Service page, on the provider's
 * hosted page, by the provider's own review, or by nobody.
 */
export type Remedy = { by: 'fields'; fields: readonly string[] } | { by: 'terms' | 'hosted' | 'review' | 'nobody' }

const send = (...fields: string[]): Remedy => ({ by: 'fields', fields })
const terms: Remedy = { by: 'terms' }
const hosted: Remedy = { by: 'hosted' }
const review: Remedy = { by: 'review' }
const nobody: Remedy = { by: 'nobody' }

const identity = send('identifying_information')
const documents = send('documents')
const people = send('associated_persons')
const birthDate = send('birth_date')
const residence = send('residential_address')

const requirementRemedies: ReadonlyMap<string, Remedy> = new Map(
  Object.entries({
    terms_of_service_v1: terms,
    terms_of_service_v2: terms,
    tos_acceptance: terms,
    tos_v2_acceptance: terms,
    first_name: send('first_name'),
    last_name: send('last_name'),
    transliterated_first_name: send('transliterated_first_name'),
    transliterated_middle_name: send('transliterated_middle_name'),
    transliterated_last_name: send('transliterated_last_name'),
    email_address: send('email'),
    date_of_birth: birthDate,
    min_age_18: birthDate,
    min_age_60: birthDate,
    place_of_birth: send('place_of_birth'),
    nationality: send('nationalities'),
    employment_status: send('employment_status'),
    address_of_residence: residence,
    tax_identification_number: identity,
    government_id_verification: identity,
    government_id_reliance: identity,
    government_id_rejection_checks_passed: identity,
    government_id_review_checks_passed: identity,
    id_front_photo: identity,
    id_back_photo: identity,
    proof_of_address: documents,
    proof_of_address_document: documents,
    kyc_with_proof_of_address: documents,
    gov_id_address_to_residential_address_match: documents,
    sof_individual_primary_purpose: send('account_purpose'),
    source_of_funds_questionnaire: send(
      'account_purpose',
      'source_of_funds',
      'employment_status',
      'most_recent_occupation',
      'expected_monthly_payments_usd',
      'acting_as_intermediary',
    ),
    minimal_source_of_funds_data: send('account_purpose', 'source_of_funds'),
    business_name: send('business_legal_name'),
    business_type: send('business_type'),
    business_description: send('business_description'),
    business_industry: send('business_industry'),
    business_website: send('primary_website'),
    is_dao: send('is_dao'),
    has_material_intermediary_ownership: send('has_material_intermediary_ownership'),
    address_of_incorporation: send('registered_address'),
    address_of_operation: send('physical_address'),
    business_formation_document: documents,
    business_formation_document_verification: documents,
    business_ownership_document: documents,
    control_person: people,
    beneficial_owner: people,
    associated_persons: people,
    control_person_ownership_attestation: people,
    associated_person_relationship: people,
    has_control: people,
    has_title: people,
    selfie_verification: hosted,
    selfie_document_in_persona: hosted,
    kyc_approval: hosted,
    sanctions_screen: review,
    pep_screen: review,
    blocklist_lookup: review,
    adverse_media_screen: review,
    post_processing: review,
    kyb_review: review,
    manual_government_id_review: review,
    manual_business_ein_verification_review: review,
    manual_business_registry_verification_review: review,
    manual_business_website_verification_review: review,
    manual_business_formation_document_verification_review: review,
    // Another endorsement comes first; what that one needs is listed under it.
    has_base: review,
    has_sepa: review,
  }),
)

export function remedyOfRequirement(requirement: string): Remedy {
  return requirementRemedies.get(requirement) ?? hosted
}

type Issue = { reason: string; remedy: Remedy }

const idFailed = 'The government ID could not be verified. Send clear, uncropped photos of a valid ID.'
const addressPart = (part: string): Issue => ({
  reason: `The ${part} of the residential address is not valid.`,
  remedy: residence,
})
const mismatch = (noun: string, remedy: Remedy): Issue => ({
  reason: `The ${noun} does not match public records. Check it for typing errors.`,
  remedy,
})
const tooYoung = {
  reason: 'The person is under the minimum age of 18. Only a mistyped date can be corrected.',
  remedy: birthDate,
}
const overAge = { reason: 'The person is above the age up to which no further details are asked for.', remedy: hosted }
const screening = { reason: 'A screening needs a manual review by the provider.', remedy: review }
const soleOwner = { reason: 'A sole proprietorship has exactly one owner, who also controls it.', remedy: people }

const issues: ReadonlyMap<string, Issue> = new Map(
  Object.entries({
    id_expired: { reason: 'The ID has expired. Send one that is valid.', remedy: identity },
    document_expired: { reason: 'The document has expired. Send one that is valid.', remedy: documents },
    government_id_verification_failed: { reason: idFailed, remedy: identity },
    tax_identification_number_not_compatible: {
      reason: 'The tax identification number has the wrong form or type for the country.',
      remedy: identity,
    },
    place_of_birth_missing: { reason: 'The place of birth is needed.', remedy: send('place_of_birth') },
    database_check_failed_on_address: mismatch('residential address', residence),
    database_check_failed_on_birth_date: mismatch('birth date', birthDate),
    residence_address_invalid_city: addressPart('city'),
    residence_address_invalid_address_line1: addressPart('first line'),
    residence_address_invalid_address_line2: addressPart('second line'),
    residence_address_invalid_postal_code: addressPart('postal code'),
    residence_address_invalid_subdivision_code: addressPart('subdivision'),
    business_formation_document_verification_failed: {
      reason: 'The formation document could not be verified.',
      remedy: documents,
    },
    business_ownership_document_verification_failed: {
      reason: 'The ownership document could not be verified.',
      remedy: documents,
    },
    sole_proprietorship_too_many_ubos: soleOwner,
    sole_proprietorship_ubo_missing_ownership_or_control: soleOwner,
    customer_too_young: tooYoung,
    beneficial_owner_too_young: tooYoung,
    customer_over_age: overAge,
    beneficial_owner_over_age: overAge,
    adverse_media_report_match: screening,
    watchlist_report_match: screening,
    blocklist_check_failed: { reason: 'The provider cannot accept this customer.', remedy: nobody },
    customer_not_compatible: { reason: 'This kind of customer is not supported.', remedy: nobody },
    developer_not_compatible: { reason: 'This rail is not open to this integration.', remedy: nobody },
    endorsement_not_available_in_customers_region: {
      reason: 'This rail is not available where the customer lives.',
      remedy: nobody,
    },
  }),
)

/** A code that is new to us is met as its requirement is. */
export function explainIssue(requirement: string, code: string): Issue {
  return (
    issues.get(code) ?? {
      reason: 'The provider could not accept this item. Check it and send it again.',
      remedy: remedyOfRequirement(requirement),
    }
  )
}

type Listed = { requirement: string; code: string }

/** Whether an error stands that nothing anyone sends can clear. */
export function hasFinalError({ errors }: { errors: readonly Listed[] }): boolean {
  return errors.some(({ requirement, code }) => explainIssue(requirement, code).remedy.by === 'nobody')
}

/** What could be done about everything that is due, wrong or given as a reason. */
export function remediesOf(standing: {
  requirements: { currentlyDue: readonly string[]; errors: readonly Listed[] }
  rejectionReasons: readonly string[]
}): Remedy[] {
  return [
    ...standing.requirements.currentlyDue.map(remedyOfRequirement),
    ...standing.requirements.errors.map(({ requirement, code }) => explainIssue(requirement, code).remedy),
    ...standing.rejectionReasons.map(remedyOfRejection),
  ]
}

// The published rejection reasons that a better photo or another ID settles; all others need a person to look.
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

function remedyOfRejection(reason: string): Remedy {
  return reasonsMetByNewId.has(plain(reason)) ? identity : nobody
}

/** The provider's pages and its answers punctuate the same reason differently. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim()
}
