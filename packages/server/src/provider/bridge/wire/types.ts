// Types of Bridge's responses and events after reading, and of requests to Bridge.

import type { JsonObject } from '../../../platform/values/json.ts'

/** Times in milliseconds count from 1970. */
export type ProviderCustomer = {
  id: string
  /** Raw: the provider's list grows. */
  status: string
  /** `individual`, `business`; null if not reported. */
  type: string | null
  hasAcceptedTos: boolean
  endorsements: ProviderEndorsement[]
  /** Only what may be shown to the end-user. */
  rejectionReasons: string[]
  /** Our end-user's ID. */
  clientReferenceId: string | null
  createdAtMs: number | null
  /** The provider's own time of its last change: of two responses the later one counts. */
  updatedAtMs: number | null
}

/** Open requirements. `pending` and `missing` are flattened: every name inside `all_of` and `any_of`. */
export type ProviderRequirements = {
  pending: string[]
  missing: string[]
  /** For an issue that is a plain word, requirement and code are both that word. */
  issues: { requirement: string; code: string }[]
}

/** An endorsement from the provider, with the open requirements of the customer itself. */
export type ProviderEndorsement = ProviderRequirements & {
  name: string
  /** `incomplete`, `approved`, `revoked`, or an unknown word. */
  status: string
  complete: string[]
  /** Open requirements of each person of a company, by the provider's ID of the person. */
  people: (ProviderRequirements & { id: string })[]
  /** Future requirements of the endorsement, with their date. */
  future: (ProviderRequirements & { effectiveDate: string | null })[]
}

/** A person of a company, if recognized. */
export type ProviderPerson = { id: string; email: string | null }

/** Both links lead to web pages; null: missing, or not a web page. */
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
  /** `activated`, `deactivated`, or an unknown word. */
  status: string
  developerFeePercent: string | null
  /** Unchanged. Only some customers of the provider have fees per rail. */
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

/** `unreadable`: how many other accounts of the response cannot be read. */
export type ListedVirtualAccounts = { accounts: ProviderVirtualAccount[]; unreadable: number }

/** Deposit instructions: one set of bank details for any currency; absent parts are null. */
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

/** Our webhook endpoint at the provider. */
export type ProviderWebhook = {
  id: string
  url: string
  /** `active`, `disabled`, `deleted`, or an unknown word. */
  status: string
  /** PEM. */
  publicKey: string | null
  /** The event categories that the endpoint receives; empty: all. */
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
  /** Not together with `feeConfig`. */
  developerFeePercent?: string
  /** Unchanged from the caller. */
  feeConfig?: JsonObject
  /** Unchanged from the caller. */
  travelRuleData?: JsonObject
}
