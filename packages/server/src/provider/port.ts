// What the service sends to the provider and gets from it, in words of our domain, and how it fails. `client.ts` has the
// operations; the readers in `wire/` return these types.
// Above the usual length: it is the whole contract with the provider, which is read as a whole.

import type { JsonObject } from '../platform/values/json.ts'

/** A write carries a key that was committed before the call; repeating the call with it repeats nothing. */
export type Write = { idempotencyKey: string }

export type PageQuery = { limit?: number; startingAfter?: string }

/** Times in milliseconds count from 1970. */
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
  /** Our end-user's ID. */
  clientReferenceId: string | null
  createdAtMs: number | null
  /** The provider's own time of its last change: of two answers the later one counts. */
  updatedAtMs: number | null
}

/** What is open. `pending` and `missing` are flattened: every name inside `all_of` and `any_of`. */
export type ProviderRequirements = {
  pending: string[]
  missing: string[]
  /** An issue that came as a bare word has that word as requirement and as code. */
  issues: { requirement: string; code: string }[]
}

/** An endorsement as the provider reports it, with what is open of the customer itself. */
export type ProviderEndorsement = ProviderRequirements & {
  name: string
  /** `incomplete`, `approved`, `revoked`, or a word that is new to us. */
  status: string
  complete: string[]
  /** What is open of each person of a company, by the provider's id of the person. */
  people: (ProviderRequirements & { id: string })[]
  /** What the endorsement will ask for from a date on. */
  future: (ProviderRequirements & { effectiveDate: string | null })[]
}

/** A person of a company, as far as one is known again. */
export type ProviderPerson = { id: string; email: string | null }

/** Both links lead to web pages; null: not named, or no web page. */
export type ProviderKycLink = {
  id: string
  /** Null until both the terms and the verification are done. */
  customerId: string | null
  kycLink: string | null
  tosLink: string | null
  kycStatus: string
  tosStatus: string
  /** Only what may be shown to the end-user. */
  rejectionReasons: string[]
}

export type ProviderVirtualAccount = {
  id: string
  customerId: string | null
  /** `activated`, `deactivated`, or a word that is new to us. */
  status: string
  developerFeePercent: string | null
  /** Unchanged. Only some customers of the provider have fees by rail. */
  feeConfig: JsonObject | null
  createdAt: string | null
  instructions: ProviderInstructions
  destination: {
    paymentRail: string | null
    currency: string | null
    address: string | null
    bridgeWalletId: string | null
    prefundedAccountId: string | null
    memo: string | null
  }
}

/** `unreadable`: how many other accounts the response lists, which cannot be read. */
export type ListedVirtualAccounts = { accounts: ProviderVirtualAccount[]; unreadable: number }

/** Where a payer sends the money: one set of bank details, whatever the currency; absent parts are null. */
export type ProviderInstructions = {
  currency: string
  /** e.g. `ach_push`, `wire`, `fednow`, `sepa`, `spei`, `pix`, `faster_payments`, `bre_b`. Never empty; null if not named. */
  paymentRails: string[] | null
  bankName: string | null
  bankAddress: string | null
  beneficiaryName: string | null
  beneficiaryAddress: string | null
  accountNumber: string | null
  routingNumber: string | null
  iban: string | null
  bic: string | null
  clabe: string | null
  sortCode: string | null
  pixCode: string | null
  breBKey: string | null
  depositMessage: string | null
}

/** Where a payer sends the money of a virtual account. */
export type DepositInstructions = ProviderInstructions & { paymentRails: string[] }

/** One activity of an account, as the provider's history and its `virtual_account.activity` events report it. */
export type ProviderActivity = {
  customerId: string | null
  virtualAccountId: string | null
  depositId: string | null
  activity: DepositActivity
}

/**
 * What an activity says. A deposit is stored as the list of its activities. Amounts are decimal strings; a part that the provider
 * does not report is null.
 */
export type DepositActivity = {
  /** The provider's id of the activity, not of the message that carried it. */
  id: string
  /** An open list. A type that is new to us stays as it is, an absent one reads `unknown`. */
  type: string
  occurredAtMs: number
  /** The time of the report, by the provider's clock: of two reports of one activity the later one counts. */
  reportedAtMs: number
  /** Of an arrival or a refund what the payer sent; of a payout what was sent on. Its currency: see `amounts.rules.ts`. */
  amount: string | null
  currency: string | null
  /** The activity's own fees: in dollars, whatever the currency of the deposit. */
  dollars: {
    developerFee: string | null
    exchangeFee: string | null
    subtotal: string | null
    gasFee: string | null
  }
  receipt: ReceiptAmounts
  destinationTxHash: string | null
  /** The bank rail the money came by. */
  paymentRail: string | null
  senderName: string | null
  senderBic: string | null
  senderBankCode: string | null
  /** As the payer wrote it. */
  recipientName: string | null
  /** Who pays the banks' charges: `our`, `sha`, `ben`. */
  chargeBearer: string | null
  /** By these the payer's bank can find its payment. `uetr` and `omad` are deprecated. */
  references: {
    traceNumber: string | null
    trackingNumber: string | null
    imad: string | null
    endToEndId: string | null
    uetr: string | null
    omad: string | null
  }
  refund: { code: string | null; reason: string | null; refundedAt: string | null } | null
}

/**
 * The provider has two forms of a receipt, and `developerFee`, `exchangeFee` and `subtotal` are in another currency in each; only
 * together with the deposit's currencies is it known which.
 */
export type ReceiptAmounts = {
  initial: string | null
  developerFee: string | null
  exchangeFee: string | null
  preConversionSubtotal: string | null
  converted: string | null
  subtotal: string | null
  gasFee: string | null
  final: string | null
  exchangeRate: string | null
}

/** A question of the provider about a customer or a deposit. Times are null where they are absent or cannot be stored. */
export type ProviderInformationRequest = {
  id: string
  /** Null for a word that is new to us. */
  state: 'action_required' | 'in_review' | 'closed' | null
  customerId: string | null
  referentType: string | null
  depositId: string | null
  deadline: Date | null
  actionTaken: string | null
  actionAtDeadline: string | null
  /** For the operator alone. */
  dashboardUrl: string | null
  openedAt: Date | null
  stateChangedAt: Date | null
  closedAt: Date | null
}

export type Occupation = { code: string; name: string }

/** The provider's record of our webhook endpoint. */
export type ProviderWebhook = {
  id: string
  url: string
  /** `active`, `disabled`, `deleted`, or a word that is new to us. */
  status: string
  /** PEM. */
  publicKey: string | null
  /** The categories of which the endpoint is sent events; empty: all. */
  eventCategories: string[]
}

/** Every id by which we may know the owner of an event, provider's or ours. */
export type OwnerHints = {
  refs: string[]
  /** The caller's own id of an end-user, unique only within a business. */
  externalUserId: string | null
}

/** An event, as far as we act upon it. */
export type ProviderEvent = {
  /** `customer`, `kyc_link`, `virtual_account.activity` … : an open list. */
  category: string
  hints: OwnerHints
  /** The ids that the provider can be asked about. */
  named: { customers: string[]; kycLinks: string[]; accounts: string[]; activities: string[] }
  customerId: string | null
  kycLinkId: string | null
  activity: ProviderActivity | null
  informationRequest: ProviderInformationRequest | null
}

/** An event of the provider's own record. `rawBody` holds the bytes of the answer, because these are forwarded. */
export type ListedEvent = { eventId: string; createdAtMs: number | null; rawBody: Buffer }

/** A page of the provider's own record of events, oldest event first. `answeredAtMs`: by the provider's clock. */
export type ListedEvents = { events: ListedEvent[]; answeredAtMs: number | null }

export type KycLinkInput = {
  email: string
  type: 'individual' | 'business'
  fullName?: string
  endorsements?: string[]
  redirectUri?: string
  developerAcceptedTos?: true
}

export type WebhookInput = { url: string; eventEpoch: 'webhook_creation'; eventCategories?: string[] }
export type WebhookChange = { url?: string; status?: 'active' | 'disabled'; eventCategories?: string[] }

export type VirtualAccountInput = {
  sourceCurrency: string
  /** With exactly one of `address`, `bridgeWalletId`, `prefundedAccountId`. */
  destination: {
    paymentRail: string
    currency: string
    address?: string
    bridgeWalletId?: string
    prefundedAccountId?: string
    memo?: string
  }
  /** Not beside `feeConfig`. */
  developerFeePercent?: string
  /** As the caller wrote it. */
  feeConfig?: JsonObject
  /** As the caller wrote it. */
  travelRuleData?: JsonObject
}

/**
 * What went wrong upstream, in the only distinctions a caller acts upon.
 * - `unreachable`: no connection was made; nothing happened upstream.
 * - `timeout`: no answer in time, or the connection was cut after the request was sent; a write may have happened.
 * - `unavailable`: the provider answered 5xx, 429, or something that is not HTTP; a write may have happened.
 * - `unreadable`: a 2xx response that lacks what we cannot do without. No outage: a repeat gets the same response.
 * - `rejected`: the provider understood and refused (400, 403, 409, 422); nothing happened.
 * - `not_found`: 404. `unauthorized`: our key was refused; an operator must act.
 */
export type ProviderErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'unavailable'
  | 'unreadable'
  | 'rejected'
  | 'not_found'
  | 'unauthorized'

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind
  readonly status: number | null
  /** The provider's own code, e.g. `invalid_parameters`, `has_not_accepted_tos`, `duplicate_record`. */
  readonly code: string | null
  /** Field → message as the provider told it. May hold values that were sent: never log or forward unscrubbed. */
  readonly fields: Record<string, string>
  /** What the provider said of the request as a whole. May hold values that were sent, as `fields` may. */
  readonly reason: string | null
  readonly retryAfterSeconds: number | null
  /** The link the provider names in `duplicate_record` answers to KYC links. */
  readonly existingKycLink: ProviderKycLink | null
  /** The ID of the object in an `unreadable` response to a write that the provider has carried out, if the response has one. */
  readonly carriedOut: { objectId: string | null } | null

  constructor(
    kind: ProviderErrorKind,
    facts: {
      status?: number | null
      code?: string | null
      fields?: Record<string, string>
      reason?: string | null
      retryAfterSeconds?: number | null
      existingKycLink?: ProviderKycLink | null
      carriedOut?: { objectId: string | null } | null
      cause?: unknown
    } = {},
  ) {
    super(`provider ${kind}${facts.status ? ` (${facts.status})` : ''}${facts.code ? ` ${facts.code}` : ''}`, {
      cause: facts.cause,
    })
    this.name = 'ProviderError'
    this.kind = kind
    this.status = facts.status ?? null
    this.code = facts.code ?? null
    this.fields = facts.fields ?? {}
    this.reason = facts.reason ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.existingKycLink = facts.existingKycLink ?? null
    this.carriedOut = facts.carriedOut ?? null
  }

  /** A write that ended so may or may not have happened: only a repeat with the same key, or a read, can tell. */
  get outcomeUnknown(): boolean {
    return this.kind === 'timeout' || this.kind === 'unavailable' || this.kind === 'unreadable'
  }
}
