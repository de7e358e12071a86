// What the provider is told and what it tells, in words of our domain, and how it fails. `client.ts` has the operations; what
// the provider tells is the result of the reader in `wire/` that makes it.

import type { JsonObject } from '../platform/values/json.ts'
import type { readActivity } from './wire/activity.ts'
import type { readAssociatedPerson } from './wire/associated-person.ts'
import type { readCustomer, readKycLink } from './wire/customer.ts'
import type { readEvent } from './wire/event.ts'
import type { readEventList } from './wire/event-list.ts'
import type { readInformationRequest } from './wire/information-request.ts'
import type { readOccupations } from './wire/occupation.ts'
import type { readVirtualAccount } from './wire/virtual-account.ts'
import type { readWebhook } from './wire/webhook.ts'

/** A write carries a key that was committed before the call; repeating the call with it repeats nothing. */
export type Write = { idempotencyKey: string }

export type PageQuery = { limit?: number; startingAfter?: string }

export type ProviderCustomer = ReturnType<typeof readCustomer>
/** An endorsement as the provider reports it. */
export type ProviderEndorsement = ProviderCustomer['endorsements'][number]
/** What is open. `missing` is flattened: every name inside `all_of` and `any_of`. */
export type ProviderRequirements = Pick<ProviderEndorsement, 'pending' | 'missing' | 'issues'>
/** A person of a company, as far as one is known again. */
export type ProviderPerson = ReturnType<typeof readAssociatedPerson>
export type ProviderKycLink = ReturnType<typeof readKycLink>
export type ProviderVirtualAccount = ReturnType<typeof readVirtualAccount>
export type ProviderInstructions = ProviderVirtualAccount['instructions']
/** Where a payer sends the money of a virtual account. */
export type DepositInstructions = ProviderInstructions & { paymentRails: string[] }
/** One step of a deposit, as the provider's history and its `virtual_account.activity` events tell it. */
export type ProviderActivity = ReturnType<typeof readActivity>
export type DepositActivity = ProviderActivity['step']
export type ProviderInformationRequest = ReturnType<typeof readInformationRequest>
export type Occupation = ReturnType<typeof readOccupations>[number]
export type ProviderWebhook = ReturnType<typeof readWebhook>
export type ProviderEvent = ReturnType<typeof readEvent>
export type OwnerHints = ProviderEvent['hints']
/** A page of the provider's own record of events. */
export type ListedEvents = ReturnType<typeof readEventList>
export type ListedEvent = ListedEvents['events'][number]

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
