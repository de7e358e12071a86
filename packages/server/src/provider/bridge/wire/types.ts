// What Bridge's responses and events are read as, and what its operations are sent.

import type { JsonObject } from '../../../platform/values/json.ts'

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
