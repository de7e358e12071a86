// The stored rows of customers: the customer with its persons, KYC links, agreements, and sessions of hosted pages.

export const customerTypes = ['individual', 'business'] as const
export type CustomerType = (typeof customerTypes)[number]

export const endorsementNames = [
  'base',
  'cards',
  'cop',
  'faster_payments',
  'pix',
  'pix_onramp',
  'pix_offramp',
  'sepa',
  'spei',
] as const
export type EndorsementName = (typeof endorsementNames)[number]

export type Endorsement = { name: EndorsementName; status: 'incomplete' | 'approved' | 'revoked' }

export const decisions = [
  'approve',
  'reject',
  'review',
  'request_document',
  'request_questionnaire',
  'request_ubo',
  'request_owner_document',
  'pause',
  'offboard',
  'restrict_deposits',
  'announce_requirements',
  'revoke_endorsement',
] as const
export type Decision = (typeof decisions)[number]

export type CustomerStatus =
  | 'not_started'
  | 'incomplete'
  | 'awaiting_questionnaire'
  | 'awaiting_ubo'
  | 'under_review'
  | 'active'
  | 'rejected'
  | 'paused'
  | 'offboarded'
  | 'deposits_restricted'

export type RejectionReason = { developer_reason: string; reason: string; created_at: string }

/** The name of a problem, or a field with its problem. */
type Issue = string | Record<string, string>

export type Customer = {
  id: string
  type: CustomerType
  /** The legal name of a business. */
  firstName: string | null
  middleName: string | null
  lastName: string | null
  email: string | null
  clientReferenceId: string | null
  status: CustomerStatus
  /** Names of the requirements whose data was supplied; the data itself is not stored. */
  facts: string[]
  /** The country of residence, only as precise as the requirements need it. */
  residence: 'usa' | 'elsewhere' | null
  endorsements: Endorsement[]
  /** Wire names of requirements asked of this customer in addition to those of every customer. */
  wanted: string[]
  /** Requirements that apply from a future day (yyyy-mm-dd). */
  announced: { effectiveOn: string; needs: string[] } | null
  issues: Issue[]
  rejectionReasons: RejectionReason[]
  persons: AssociatedPerson[]
  /** A task for the provider's decision is scheduled. */
  deciding: boolean
  /** The decision chosen on the hosted KYC page. */
  hostedOutcome: Decision | null
  /** A decision was made before, so the magic value of the email no longer counts. */
  judged: boolean
  createdAt: string
  updatedAt: string
}

/** A person behind a business. Of identity data only the names of the supplied fields are stored, in `items`. */
export type AssociatedPerson = {
  id: string
  email: string
  firstName: string
  lastName: string
  hasOwnership: boolean
  hasControl: boolean
  isSigner: boolean
  title: string | null
  attestedOwnershipStructureAt: string | null
  relationshipEstablishedAt: string | null
  items: string[]
  /** Requirements asked of this person alone. */
  wanted: string[]
  /** Unix milliseconds. */
  createdAt: number
  updatedAt: number
}

export type KycLink = {
  id: string
  type: CustomerType
  email: string
  fullName: string | null
  endorsements: EndorsementName[]
  customerId: string | null
  termsAccepted: boolean
  tosNonce: string
  kycNonce: string
  createdAt: string
}

/** A `signed_agreement_id` that the terms page issued. */
export type Agreement = { id: string }

/** A session of a hosted page, behind one link. */
export type Session = {
  /** SHA-256 of the token. */
  id: string
  nonce: string
  page: 'tos' | 'kyc'
  email: string | null
  customerId: string | null
  kycLinkId: string | null
  /** The endorsement that the KYC page was opened for, if it was opened for one. */
  endorsement: EndorsementName | null
  redirectUri: string | null
  /** Nonce of the terms page that belongs to a KYC page. */
  tosNonce: string | null
  /** Set when the terms are accepted for the first time. */
  agreementId: string | null
}
