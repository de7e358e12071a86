// Names of requirements and codes of issues that mean the same for every provider. They are our terms, which the API shows: an
// adapter translates its provider's words into them. How an end-user meets a requirement is in end-users/kyc.

import { words } from '../platform/values/words.ts'

/** The requirements that the provider's own review settles. */
export const settledByReview: ReadonlySet<string> = new Set(
  words(`
    sanctions_screen pep_screen blocklist_lookup adverse_media_screen post_processing kyb_review manual_government_id_review
    manual_business_ein_verification_review manual_business_registry_verification_review
    manual_business_website_verification_review manual_business_formation_document_verification_review
    has_base has_sepa`),
)

/**
 * Who can clear an issue: the end-user (`sender`), the provider's own review, or nobody. `elsewhere`: the approval is not offered
 * where the customer lives.
 */
export type ClearedBy = 'sender' | 'review' | 'nobody' | 'elsewhere'

const codes = (by: ClearedBy, text: string) => words(text).map((code) => [code, by] as const)

export const issueCodes: ReadonlyMap<string, ClearedBy> = new Map([
  ...codes(
    'sender',
    `id_expired document_expired government_id_verification_failed tax_identification_number_not_compatible
    place_of_birth_missing database_check_failed_on_address database_check_failed_on_birth_date
    residence_address_invalid_city residence_address_invalid_address_line1 residence_address_invalid_address_line2
    residence_address_invalid_postal_code residence_address_invalid_subdivision_code
    business_formation_document_verification_failed business_ownership_document_verification_failed
    sole_proprietorship_too_many_ubos sole_proprietorship_ubo_missing_ownership_or_control
    customer_too_young beneficial_owner_too_young customer_over_age beneficial_owner_over_age`,
  ),
  ...codes('review', 'adverse_media_report_match watchlist_report_match'),
  ...codes('nobody', 'blocklist_check_failed customer_not_compatible developer_not_compatible'),
  ...codes('elsewhere', 'endorsement_not_available_in_customers_region'),
])

/** Returns who can clear an issue. An unknown code is cleared in the same way as its requirement. */
export function clearedBy({ requirement, code }: { requirement: string; code: string }): ClearedBy {
  return issueCodes.get(code) ?? (settledByReview.has(requirement) ? 'review' : 'sender')
}
