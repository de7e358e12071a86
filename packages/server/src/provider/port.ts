// What the services need from the payment provider, in words of our domain. `client.ts` speaks the wire behind it.

import type { DepositActivity } from '../deposits/activity.rules.ts'
import type { DepositInstructions } from '../deposits/instructions.rules.ts'
import type { ProviderCustomer } from '../end-users/kyc/status.rules.ts'
import type { OwnerHints } from '../events/event.rules.ts'
import type { JsonObject } from '../platform/values/json.ts'

/** A write carries a key that was committed before the call; repeating the call with it repeats nothing. */
export type Write = { idempotencyKey: string }

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

/** An event as the provider sent it, read for what we act upon. */
export type ProviderEvent = {
  /** `customer`, `kyc_link`, `virtual_account.activity` … : an open list. */
  category: string
  hints: OwnerHints
  named: NamedObjects
  customerId: string | null
  kycLinkId: string | null
  activity: ProviderActivity | null
  /** Its number in the order of the provider's changes; many events have none. */
  sequence: number | null
}

/** An event out of the provider's own record. */
export type ListedEvent = {
  eventId: string
  sequence: number | null
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

export type WebhookChange = { url?: string; status?: 'active' | 'disabled'; eventCategories?: string[] }

export type PageQuery = { limit?: number; startingAfter?: string }

/** `stale` is worth a repeat with a fresh signature; the last two never are. */
export type SignatureVerdict = 'verified' | 'absent' | 'stale' | 'malformed' | 'wrong'

/** Every method rejects with a `ProviderError` and with nothing else. */
export type Provider = {
  createTosLink(write: Write): Promise<{ url: string }>
  getTosAcceptanceLink(customerId: string): Promise<{ url: string }>
  createCustomer(body: JsonObject, write: Write): Promise<ProviderCustomer>
  updateCustomer(customerId: string, body: JsonObject): Promise<ProviderCustomer>
  getCustomer(customerId: string): Promise<ProviderCustomer>
  findCustomersByEmail(email: string): Promise<ProviderCustomer[]>
  deleteCustomer(customerId: string): Promise<void>
  /** In the provider's own sandbox alone: approves the customer with every endorsement that was asked for. */
  simulateKycApproval(customerId: string, write: Write): Promise<void>
  listAssociatedPersons(customerId: string): Promise<ProviderPerson[]>
  createAssociatedPerson(customerId: string, person: JsonObject, write: Write): Promise<ProviderPerson>
  updateAssociatedPerson(customerId: string, personId: string, person: JsonObject): Promise<ProviderPerson>
  createKycLink(
    input: {
      email: string
      type: 'individual' | 'business'
      fullName?: string
      endorsements?: string[]
      redirectUri?: string
    },
    write: Write,
  ): Promise<ProviderKycLink>
  getKycLink(kycLinkId: string): Promise<ProviderKycLink>
  getCustomerKycLink(
    customerId: string,
    options?: { endorsement?: string; redirectUri?: string },
  ): Promise<{ url: string }>
  createVirtualAccount(customerId: string, input: VirtualAccountInput, write: Write): Promise<ProviderVirtualAccount>
  listVirtualAccounts(customerId: string, page?: PageQuery): Promise<ProviderVirtualAccount[]>
  getVirtualAccount(customerId: string, virtualAccountId: string): Promise<ProviderVirtualAccount>
  updateVirtualAccount(
    customerId: string,
    virtualAccountId: string,
    change: {
      destination?: { paymentRail?: string; currency?: string; address?: string; memo?: string }
      developerFeePercent?: string
      travelRuleData?: JsonObject
    },
  ): Promise<ProviderVirtualAccount>
  deactivateVirtualAccount(customerId: string, virtualAccountId: string, write: Write): Promise<ProviderVirtualAccount>
  reactivateVirtualAccount(customerId: string, virtualAccountId: string, write: Write): Promise<ProviderVirtualAccount>
  listActivity(customerId: string, virtualAccountId: string, page?: PageQuery): Promise<ProviderActivity[]>
  /** Of all customers, newest first. */
  listAllActivity(page?: PageQuery): Promise<ProviderActivity[]>
  createWebhook(
    input: { url: string; eventEpoch: 'webhook_creation' | 'beginning_of_time'; eventCategories?: string[] },
    write: Write,
  ): Promise<ProviderWebhook>
  listWebhooks(): Promise<ProviderWebhook[]>
  /** Reads an event's body; never fails, whatever stands in it. */
  readEvent(body: JsonObject): ProviderEvent
  /** All events of the last 90 days, to whichever endpoint they were sent or not; at most 500 a page. */
  listWebhookEvents(page?: PageQuery): Promise<ListedEvents>
  /** Sends one event once more, also to an endpoint whose delivery the provider has given up: success resumes it. */
  sendWebhookEvent(webhookId: string, eventId: string, write: Write): Promise<void>
  updateWebhook(webhookId: string, change: WebhookChange): Promise<ProviderWebhook>
  close(): Promise<void>
}

/** The emulator's own time, and how far it is ahead of the machine's. */
export type SandboxClock = { now: string; offsetSeconds: number }

/** The emulator's levers, which the real provider lacks. Rejects with a `ProviderError` and with nothing else. */
export type SandboxControl = {
  /** @returns the provider's deposit id */
  deposit(virtualAccountId: string, input: JsonObject): Promise<string>
  /** @param to `completed`, `refunded`, `refund_failed` out of a review, or `next` for whatever step is ahead */
  advanceDeposit(depositId: string, to: string): Promise<void>
  decideKyc(customerId: string, ruling: JsonObject): Promise<void>
  readClock(): Promise<SandboxClock>
  /** Everything that has become due by then has happened when this answers. */
  moveClock(seconds: number): Promise<SandboxClock>
}

/**
 * What went wrong upstream, in the only distinctions a caller acts upon.
 * - `unreachable`: no connection was made; nothing happened upstream.
 * - `timeout`: no answer in time, or the connection was cut after the request was sent; a write may have happened.
 * - `unavailable`: the provider answered 5xx, 429, or something that is not its wire; a write may have happened.
 * - `rejected`: the provider understood and refused (400, 403, 409, 422); nothing happened.
 * - `not_found`: 404. `unauthorized`: our key was refused; an operator must act.
 */
export type ProviderErrorKind = 'unreachable' | 'timeout' | 'unavailable' | 'rejected' | 'not_found' | 'unauthorized'

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

  constructor(
    kind: ProviderErrorKind,
    facts: {
      status?: number | null
      code?: string | null
      fields?: Record<string, string>
      reason?: string | null
      retryAfterSeconds?: number | null
      existingKycLink?: ProviderKycLink | null
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
  }

  /** A write that ended so may or may not have happened: only a repeat with the same key, or a read, can tell. */
  get outcomeUnknown(): boolean {
    return this.kind === 'timeout' || this.kind === 'unavailable'
  }
}
