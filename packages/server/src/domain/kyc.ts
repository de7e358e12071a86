// Onboarding in our words: what the provider's customer record means for KYC status, rails, requirements and the
// one next action. A verdict is a function of the provider's latest answer, so repeated or late answers do no harm.
import type { FiatCurrency } from './rails.ts'

export type KycStatus =
  | 'not_started'
  | 'under_review'
  | 'approved'
  | 'rejected'
  | 'action_required'
  | 'paused'
  | 'offboarded'

export type TosStatus = 'pending' | 'approved' | 'expired'

export type RailStatus = 'inactive' | 'pending' | 'active' | 'action_required' | 'revoked'

/** An endorsement as the provider reports it; `missing` is flattened: every name inside `all_of` and `any_of`. */
export type ProviderEndorsement = {
  name: string
  /** `incomplete`, `approved`, `revoked`, or a word that is new to us. */
  status: string
  complete: string[]
  pending: string[]
  missing: string[]
  /** An issue that came as a bare word has that word as requirement and as code. */
  issues: { requirement: string; code: string }[]
}

/** The provider's customer in domain words: what the provider adapter hands in. */
export type ProviderCustomer = {
  id: string
  /** Raw: the provider's list grows. */
  status: string
  /** `individual`, `business`; null when the provider does not say. */
  type: string | null
  hasAcceptedTos: boolean
  endorsements: ProviderEndorsement[]
  /** Only what may be shown to the end-user. */
  rejectionReasons: string[]
  clientReferenceId: string | null
}

export type RequirementError = { requirement: string; code: string; reason: string; resubmittable: boolean }

export type Requirements = {
  currentlyDue: string[]
  pendingReview: string[]
  errors: RequirementError[]
}

export type NextActionKind =
  | 'accept_tos'
  | 'submit_kyc'
  | 'resubmit_kyc'
  | 'open_link'
  | 'wait'
  | 'contact_support'
  | 'none'

export type NextAction = {
  kind: NextActionKind
  /** The page to open: the ToS link or the hosted KYC link, when we hold one. */
  url?: string
  /** Properties of the submit-kyc body to send. */
  fields?: string[]
  /** ISO 8601 UTC: when a decision is usually there. */
  expectedBy?: string
}

export type KycView = {
  kycStatus: KycStatus
  tosStatus: TosStatus
  /** The provider's own word, kept even when it is new to us; null before there is a customer. */
  providerStatus: string | null
  rails: Record<FiatCurrency, RailStatus>
  /** Over all rails, and by rail for answers about one of them. */
  requirements: Requirements
  railRequirements: Record<FiatCurrency, Requirements>
  rejectionReasons: string[]
}
