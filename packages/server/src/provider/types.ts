// What the provider tells, in words of our domain: made by the readers of `wire/`, applied by the subjects.

import type { JsonObject } from '../platform/values/json.ts'

/** What is open. `missing` is flattened: every name inside `all_of` and `any_of`. */
export type ProviderRequirements = {
  pending: string[]
  missing: string[]
  /** An issue that came as a bare word has that word as requirement and as code. */
  issues: { requirement: string; code: string }[]
}

/** An endorsement as the provider reports it. */
export type ProviderEndorsement = ProviderRequirements & {
  name: string
  /** `incomplete`, `approved`, `revoked`, or a word that is new to us. */
  status: string
  complete: string[]
  /** What is open of each person of a company, by the provider's id of the person. */
  people: ({ id: string } & ProviderRequirements)[]
  /** What the endorsement will ask for from a date on. */
  future: ({ effectiveDate: string | null } & ProviderRequirements)[]
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
  createdAtMs: number | null
  /** The provider's own time of its last change: of two answers the later one counts. Null when it does not say. */
  updatedAtMs: number | null
}

/** Where a payer sends the money of a virtual account: one normalised set of bank details, whatever the currency. */
export type DepositInstructions = {
  currency: string
  /** e.g. `ach_push`, `wire`, `fednow`, `sepa`, `spei`, `pix`, `faster_payments`, `bre_b`. Never empty. */
  paymentRails: string[]
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

export type ProviderVirtualAccount = {
  id: string
  customerId: string | null
  status: 'activated' | 'deactivated' | string
  developerFeePercent: string | null
  createdAt: string | null
  /** One normalised set of bank details, whatever the currency; absent parts are null. */
  instructions: DepositInstructions
  destination: { paymentRail: string | null; currency: string | null; address: string | null; memo: string | null }
}

export type VirtualAccountInput = {
  sourceCurrency: string
  destination: { paymentRail: string; currency: string; address: string; memo?: string }
  developerFeePercent: string
  /** As the caller wrote it. */
  travelRuleData?: JsonObject
}

export type ProviderKycLink = {
  id: string
  customerId: string | null
  kycLink: string | null
  tosLink: string | null
  kycStatus: string
  tosStatus: string
  rejectionReasons: string[]
}

/** A person of a company, as far as one is known again. */
export type ProviderPerson = { id: string; email: string | null }

/** One step of a deposit as the provider told it; a part it did not tell is null. Amounts are decimal strings. */
export type DepositActivity = {
  /** The provider's id of the activity, not of the message that carried it. */
  id: string
  /** Raw: a type that is new to us is a named outcome, not an error. */
  type: string
  occurredAtMs: number
  /** When the provider said so (the message's own time). Of two texts with one id the one said later counts. */
  toldAtMs: number
  /** Of an arrival or a return what the payer sent; of a payout what was sent on, whatever `currency` names beside it. */
  amount: string | null
  currency: string | null
  /** The step's own fees: in dollars, whatever the currency of the deposit. */
  dollars: { developerFee: string | null; exchangeFee: string | null; subtotal: string | null; gasFee: string | null }
  /** The receipt's first half, in the currency paid in. */
  paid: { initial: string | null; developerFee: string | null; exchangeFee: string | null; subtotal: string | null }
  /** The receipt's second half, in the destination's currency. */
  sent: { gasFee: string | null; final: string | null }
  exchangeRate: string | null
  destinationTxHash: string | null
  /** The bank rail the money came by. */
  paymentRail: string | null
  senderName: string | null
  references: DepositReferences
  refund: DepositRefund | null
}

/** What the payer's bank can find its payment by. */
export type DepositReferences = {
  traceNumber: string | null
  imad: string | null
  uetr: string | null
  trackingNumber: string | null
  endToEndId: string | null
}

export type DepositRefund = { code: string | null; reason: string | null; refundedAt: string | null }

/** One step of a deposit, as the provider's history and its `virtual_account.activity` events tell it. */
export type ProviderActivity = {
  id: string
  type: string
  customerId: string | null
  virtualAccountId: string | null
  depositId: string | null
  step: DepositActivity
}

/** Ids of things at the provider that an event names, by what they are: of these the provider can be asked whose they are. */
export type NamedObjects = { customers: string[]; kycLinks: string[]; accounts: string[]; activities: string[] }

/**
 * `refs`: provider ids, and ids of ours, found anywhere in the event. `externalUserId` is the caller's own id of an
 * end-user and unique only within a business.
 */
export type OwnerHints = { refs: string[]; externalUserId: string | null }

/** An event as the provider sent it, read for what we act upon. */
export type ProviderEvent = {
  /** `customer`, `kyc_link`, `virtual_account.activity` … : an open list. */
  category: string
  hints: OwnerHints
  named: NamedObjects
  customerId: string | null
  kycLinkId: string | null
  activity: ProviderActivity | null
}

/** An event out of the provider's own record. */
export type ListedEvent = {
  eventId: string
  createdAtMs: number | null
  /** As it stood in the answer, to be taken in like one that was sent to us. */
  rawBody: Buffer
}

/** Ascending, oldest first. */
export type ListedEvents = {
  events: ListedEvent[]
  /** The provider's clock, which its events use too. */
  answeredAtMs: number | null
}

export type ProviderWebhook = {
  id: string
  url: string
  status: 'active' | 'disabled' | 'deleted' | string
  /** PEM, newlines normalised. */
  publicKey: string | null
  /** Those of which it sends events; empty: of all. */
  eventCategories: string[]
}
