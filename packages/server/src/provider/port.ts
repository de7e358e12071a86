// What the services need from the payment provider, in words of our domain. `client.ts` speaks the wire behind it.

import type { JsonObject } from '../platform/values/json.ts'
import type {
  ListedEvents,
  ProviderActivity,
  ProviderCustomer,
  ProviderEvent,
  ProviderKycLink,
  ProviderPerson,
  ProviderVirtualAccount,
  ProviderWebhook,
  VirtualAccountInput,
} from './types.ts'

/** A write carries a key that was committed before the call; repeating the call with it repeats nothing. */
export type Write = { idempotencyKey: string }

export type WebhookChange = { url?: string; status?: 'active' | 'disabled'; eventCategories?: string[] }

export type PageQuery = { limit?: number; startingAfter?: string }

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
    change: Partial<Omit<VirtualAccountInput, 'sourceCurrency'>>,
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
