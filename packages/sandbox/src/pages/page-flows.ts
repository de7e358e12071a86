// What the hosted pages need from the emulator's state. The pages see nothing else of it.

export type TosSession = {
  /** Who is asked to accept, when the link was made for a known customer. */
  email: string | null
  accepted: boolean
}

export type KycSession = {
  fullName: string | null
  email: string | null
  type: 'individual' | 'business'
  tosAccepted: boolean
  /** Where the terms are accepted first, when they are not accepted yet. */
  tosUrl: string | null
  /** The provider's KYC status, e.g. `not_started`, `under_review`, `approved`. */
  status: string
  redirectUri: string | null
}

/** What a person can make happen at the end of the hosted KYC page. */
export type KycOutcome =
  | 'approve'
  | 'reject'
  | 'review'
  | 'request_document'
  | 'request_questionnaire'
  | 'request_ubo'
  | 'pause'
  | 'offboard'
  | 'restrict_deposits'
  | 'revoke_endorsement'

export type ClockView = { now: string; offsetMs: number }

export type PageFlows = {
  clock(): ClockView
  /** Moves the sandbox's time forward. Throws a Refusal when it is too far ahead already. */
  advanceClock(byMs: number): void
  tosSession(token: string): TosSession | undefined
  /** Accepting twice yields the same id. `undefined` for an unknown token. */
  acceptTos(token: string): { signedAgreementId: string } | undefined
  kycSession(token: string): KycSession | undefined
  /** Returns false for an unknown token or when the terms are not accepted yet. */
  submitKyc(token: string, outcome: KycOutcome): boolean
}
