// The contract with a payment provider: the operations of an adapter, and their failures. An adapter translates one
// provider's wire format into these terms; nothing outside `provider/` knows that format. How to write one:
// /docs/guides/write-a-provider-adapter.
// Above the usual length: it is the whole contract with a provider, which is read as a whole.

import type { KeyObject } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Json, JsonObject } from '../platform/values/json.ts'
import type { FiatCurrency, RailTable } from '../platform/values/rails.ts'
import type { DepositActivity } from './activity.ts'

/**
 * A provider. A part that is null does not exist at this provider: the caller rejects requests that need the part,
 * before anything is sent. Every method that returns a promise rejects only with a `ProviderError`. IDs are opaque
 * strings.
 */
export type Provider = {
  /** The kind in `platform/config.ts`, which is stored with each row. */
  readonly kind: string
  readonly traits: Traits
  /** Currencies with their bank rails, chains with their coins. The operator can add more (`RAILS`). */
  readonly offer: RailTable
  /** Null: the provider takes every field of our form. */
  readonly form: KycForm | null
  readonly customers: Customers
  readonly accounts: Accounts
  readonly deposits: Deposits
  readonly events: Events
  readonly terms: Terms | null
  readonly hostedKyc: HostedKyc | null
  readonly informationRequests: InformationRequests | null
  /** The provider's log of the events that it has sent. */
  readonly record: EventRecord | null
  /** Manages webhook endpoints by API. Null: a person registers the endpoint, and its key is configured. */
  readonly endpoints: Endpoints | null
  readonly occupations: { list(): Promise<Occupation[]> } | null
  /** Functions of the provider's own test environment; null for a provider without one. */
  readonly testing: Testing | null
  /** Makes the cheapest call that needs a valid key. */
  ping(): Promise<void>
}

// Traits ----------------------------------------------------------------------------------------------------------------

/** The writes at the provider, by the type of object. Stored with each operation. */
export type WriteKind =
  | 'tos_link.create'
  | 'customer.create'
  | 'customer.update'
  | 'associated_person.create'
  | 'kyc_link.create'
  | 'virtual_account.create'
  | 'virtual_account.update'
  | 'virtual_account.deactivate'
  | 'virtual_account.reactivate'

/**
 * How a write with an unknown outcome may be retried.
 * - `same_key`: retry with the same key; an account only until the key expires (`keyLifeMs`; null: never), then only
 * read
 * - `read_first`: read; write again only if nothing shows the write, and the earlier request can no longer arrive.
 * Links to terms and changes of a customer cannot be read, and are sent again
 * - `harmless`: a retry has no further effect
 */
export type Repeat = 'same_key' | 'read_first' | 'harmless'

/** Properties of a provider that are not operations. */
export type Traits = {
  readonly repeats: Readonly<Record<WriteKind, Repeat>>
  /** How long the provider remembers the key of a write; null: without limit. */
  readonly keyLifeMs: number | null
  /** Whether accounts can have a fee in percent. */
  readonly fee: 'percent' | null
  /** Properties of an open account that can be changed. */
  readonly canChange: { readonly destination: boolean; readonly fee: boolean }
  /** Whether the provider takes travel-rule data with a new account. */
  readonly travelRule: boolean
  /** Origins of the provider's pages, for a content security policy. The first has the terms of new end-users. */
  readonly pageOrigins: readonly [string, ...string[]]
  /** Most objects per second that each reconciliation run reads. */
  readonly readsPerSecond: number
}

/**
 * `key` was committed before the call. Where the provider supports keys, a retry with the same key has no further
 * effect.
 */
export type Write = { key: string }

export type PageQuery = { limit?: number; startingAfter?: string }

// End-users -------------------------------------------------------------------------------------------------------------

/** The provider's decision about an end-user: each status of our API, and `unknown` for a status that is new to us. */
export type Verdict =
  | 'not_started'
  | 'under_review'
  | 'approved'
  | 'rejected'
  | 'action_required'
  | 'paused'
  | 'offboarded'
  | 'unknown'

export type KnownVerdict = Exclude<Verdict, 'unknown'>

/** `active`: an account may be opened. `inactive`: not requested, or not available. `revoked`: withdrawn. */
export type RailState = 'inactive' | 'pending' | 'active' | 'action_required' | 'revoked'

/**
 * A customer as the provider reports it. Times in milliseconds count from 1970.
 * - `verdict` `not_started`: the provider has decided nothing yet. `unknown`: the stored verdict stays, and no rail is
 * open
 */
export type Standing = {
  id: string
  /** Our end-user's ID; null if the provider does not return it. */
  reference: string | null
  verdict: Verdict
  /**
   * Why a `paused` customer receives no deposits. `review`: the provider examines the customer and will decide.
   * `deposits_restricted`: the provider accepts no deposits until a person settles it. Null for any other verdict.
   */
  pause: PauseReason | null
  /**
   * The state of each rail that the provider offers, given the verdict. If the customer has no verdict, the caller
   * passes the stored one.
   */
  rails(verdict: KnownVerdict): Partial<Record<FiatCurrency, RailState>>
  /** Null: not reported. Acceptance is never withdrawn. */
  hasAcceptedTerms: boolean | null
  /** Open requirements of the customer itself. */
  asks: Asks
  /** Open requirements of each person of a company, by the provider's ID of the person. */
  people: (Asks & { id: string })[]
  /** Future requirements, with their first day (yyyy-mm-dd; null: not named). */
  later: (Asks & { from: string | null })[]
  /** Rejection reasons, only those that the end-user may see. */
  reasons: string[]
  createdAtMs: number | null
  /** The provider's time of this status: of two responses the later one counts. */
  asOfMs: number | null
  /** The provider's own status, shown as `providerStatus`. */
  status: string
}

export type PauseReason = 'review' | 'deposits_restricted'

/** Names and codes are those of `catalogue.rules.ts`; a name that is new to us passes unchanged. */
export type Asks = {
  due: string[]
  /** Requirements that the provider is examining. */
  review: string[]
  wrong: { requirement: string; code: string }[]
}

/** A person of a company, if recognized. */
export type Person = { id: string; email: string | null }

/** The data of a submission, in the fields of our form. */
export type Submission = {
  body: JsonObject
  /** The agreement to the terms, possibly one that the provider already has; null: none is sent. */
  agreement: string | null
  /** Our end-user's ID. */
  reference: string
}

export type Customers = {
  create(submission: Submission, write: Write): Promise<Standing>
  /**
   * Changes a customer. For a company, changes the part that the submission names, and each person separately.
   * @param current the agreement that the provider already has
   * @returns `isAgreed`: the provider has stored the agreement with this change
   */
  change(
    id: string,
    submission: Submission,
    current: { type: 'individual' | 'business'; agreement: string | null },
    write: Write,
  ): Promise<{ standing: Standing; isAgreed: boolean }>
  read(id: string): Promise<Standing>
  /** Lists the customers with exactly this email address, ignoring case. */
  findByEmail(email: string): Promise<Standing[]>
  people: {
    list(customerId: string): Promise<Person[]>
    add(customerId: string, person: JsonObject, write: Write): Promise<Person>
    change(customerId: string, id: string, person: JsonObject): Promise<Person>
  }
}

/** Fields of our form that this provider does not accept. Pure. */
export type KycForm = {
  /** Lists problems of a body that is valid for our form. Nothing has been sent yet. */
  problems(type: 'individual' | 'business', body: JsonObject): FormProblem[]
}

export type FormProblem = { param: string; code: string; message: string }

// Terms of Service, hosted page -----------------------------------------------------------------------------------------

export type Terms = {
  createLink(write: Write): Promise<{ url: string }>
  /** For an existing customer; null: `createLink`, and a change with the new agreement. */
  linkOfCustomer: ((customerId: string) => Promise<{ url: string }>) | null
  /** Returns the link with another redirect URL; null: the link cannot be changed. */
  withReturn: ((url: string, returnTo: string) => string) | null
}

export type HostedKyc = {
  /** For a person who is new to the provider; null: only after a submission. */
  createForNew: ((page: NewHostedPage, write: Write) => Promise<HostedPage>) | null
  /**
   * For an existing customer. @param about.endorsement the approval that the end-user wants, from the table of rails
   */
  linkOfCustomer(
    customerId: string,
    about: { endorsement?: string | undefined; returnTo?: string | undefined },
  ): Promise<{ url: string }>
  /** Null: the page is not stored, and its state is that of the customer. */
  readPage: ((id: string) => Promise<HostedPage>) | null
}

export type NewHostedPage = {
  email: string
  type: 'individual' | 'business'
  /** The approvals to request, from the table of rails. */
  endorsements: string[]
  returnTo?: string
  /** The business states that the end-user has accepted the terms. */
  termsAccepted?: true
}

/** Both links lead to web pages; null: missing, or not a web page. */
export type HostedPage = {
  id: string
  /** Null until both the terms and the verification are done. */
  customerId: string | null
  url: string | null
  termsUrl: string | null
  /**
   * The end-user's state according to the page, before there is a customer. An approval counts only with a customer.
   */
  standing: Pick<Standing, 'verdict' | 'pause' | 'hasAcceptedTerms' | 'reasons' | 'status'>
}

// Accounts --------------------------------------------------------------------------------------------------------------

/** Exactly one of `address`, `walletId` and `prefundedAccountId`; an ID names an object at the provider. */
export type Target = {
  paymentRail: string
  currency: string
  address?: string
  walletId?: string
  prefundedAccountId?: string
  memo?: string
}

export type AccountTerms = {
  /** Our account's ID, for a provider that stores it. */
  reference: string
  sourceCurrency: FiatCurrency
  destination: Target
  /** Not together with `feeConfig`. */
  developerFeePercent?: string
  /** Unchanged from the caller. */
  feeConfig?: JsonObject
  /** Unchanged from the caller. */
  travelRuleData?: JsonObject
}

export type AccountChange = Partial<Pick<AccountTerms, 'destination' | 'developerFeePercent' | 'feeConfig'>>

/** Replaces the chain of a wallet at the provider, if a response does not name the chain. */
export const walletRail = 'provider_wallet'

export type Account = {
  id: string
  customerId: string | null
  /** `unknown`: neither active nor inactive, or a status that is new to us. */
  status: 'activated' | 'deactivated' | 'unknown'
  /** Parts missing from the response are null. */
  destination: {
    /** `walletRail`: see there. */
    paymentRail: string | null
    currency: string | null
    address: string | null
    walletId: string | null
    prefundedAccountId: string | null
    memo: string | null
  }
  developerFeePercent: string | null
  /** Unchanged. */
  feeConfig: JsonObject | null
  createdAtMs: number | null
  instructions: Instructions
}

export const bankNumbers = [
  'accountNumber',
  'routingNumber',
  'iban',
  'bic',
  'clabe',
  'sortCode',
  'pixCode',
  'breBKey',
] as const
export type BankNumbers = Partial<Record<(typeof bankNumbers)[number], string>>

/**
 * Deposit instructions: the parts common to all bank rails once, and the numbers of each rail. Absent parts are null.
 */
export type Instructions = {
  currency: string
  bankName: string | null
  bankAddress: string | null
  beneficiaryName: string | null
  beneficiaryAddress: string | null
  /**
   * The numbers by bank rail, e.g. `ach_push`, `wire`, `fednow`, `sepa`, `spei`, `pix`, `faster_payments`, `bre_b`;
   * they may differ between rails of one account. `rail` null: the response names no rail, and the numbers apply to
   * every rail of the account.
   */
  rails: { rail: string | null; numbers: BankNumbers }[]
  depositMessage: string | null
}

/** Accounts that a lost `open` may have created. */
export type FoundAccounts = {
  accounts: Account[]
  /** How many further accounts of the response cannot be read. */
  unreadable: number
  /** Whether all accounts have the requested reference; else they are all accounts of the customer, newest first. */
  byReference: boolean
  /** Whether there may be more, older accounts. */
  isCut: boolean
}

export type Accounts = {
  open(customerId: string, terms: AccountTerms, write: Write): Promise<Account>
  /** Lists the accounts with this reference, normally one. If the provider stores no reference, see `FoundAccounts`. */
  findOpened(customerId: string, reference: string): Promise<FoundAccounts>
  read(customerId: string, id: string): Promise<Account>
  change(customerId: string, id: string, change: AccountChange, write: Write): Promise<Account>
  switch(customerId: string, id: string, to: 'activated' | 'deactivated', write: Write): Promise<Account>
}

// Deposits --------------------------------------------------------------------------------------------------------------

/** One activity of an account, from the provider's history or events. */
export type ProviderActivity = {
  customerId: string | null
  virtualAccountId: string | null
  depositId: string | null
  /** Whether the activity is about the account itself and moves no money. */
  isAccountStep: boolean
  activity: DepositActivity
}

export type Deposits = {
  /** The newest activities of an account. */
  ofAccount(customerId: string, accountId: string, page: PageQuery): Promise<ProviderActivity[]>
  /** Activities of all accounts, newest first; at most `pageMax`. */
  ofAll: ((page: PageQuery) => Promise<ProviderActivity[]>) | null
  /** The most activities of one page. */
  pageMax: number
}

/** The provider's request for information about a customer or a deposit. Times are null if absent or not storable. */
export type ProviderInformationRequest = {
  id: string
  /** Null for an unknown word. */
  state: 'action_required' | 'in_review' | 'closed' | null
  customerId: string | null
  referentType: string | null
  depositId: string | null
  deadline: Date | null
  actionTaken: string | null
  actionAtDeadline: string | null
  /** For the operator only. */
  dashboardUrl: string | null
  openedAt: Date | null
  stateChangedAt: Date | null
  closedAt: Date | null
}

export type InformationRequests = {
  /** Requests that wait for us, of all customers, newest first; at most 100 per page. */
  listOpen(page: PageQuery): Promise<ProviderInformationRequest[]>
  read(id: string): Promise<ProviderInformationRequest>
}

// Events ----------------------------------------------------------------------------------------------------------------

/**
 * `absent`: no signature. `stale`: signed too long ago, or too far in the future, so a retry is accepted. `wrong`: the
 * signature matches no known key.
 */
export type SignatureVerdict = 'verified' | 'absent' | 'malformed' | 'stale' | 'wrong'

export type Events = {
  /** Checks form and time of the signature, before the body is read. `right`: a body may match it. */
  judge(headers: IncomingHttpHeaders, nowMs: number): Exclude<SignatureVerdict, 'verified' | 'wrong'> | 'right'
  /** Checks the signature over the unchanged bytes. */
  check(rawBody: Buffer, headers: IncomingHttpHeaders, keys: readonly KeyObject[], nowMs: number): SignatureVerdict
  /** Reads a public key in the provider's format. @throws Error that names the rule, never the text */
  readKey(text: string): KeyObject
  /** The required members, with the provider's names. Values of any type: the caller checks them. */
  envelope(body: JsonObject): { id: Member; type: Member }
  /** Never fails: an event without any known member is still an event. */
  read(body: JsonObject): EventReading
  /** The body to send to businesses: the unchanged bytes, unless they contain data that a business must not see. */
  forwarded(reading: EventReading, body: JsonObject, rawBody: Buffer): Buffer
  /** The event types that the provider sends today, for subscriptions. */
  readonly types: readonly string[]
}

/** A member of an event: its name and value. */
export type Member = { name: string; value: Json | undefined }

export type EventReading = {
  about: 'customer' | 'hosted_kyc' | 'account' | 'deposit' | 'information_request' | 'other'
  /** Encrypted at rest, because it contains names or addresses of people. */
  isAboutPeople: boolean
  hints: OwnerHints
  /** IDs that can be looked up at the provider. */
  named: { customers: string[]; hostedPages: string[]; accounts: string[]; activities: string[] }
  customerId: string | null
  activity: ProviderActivity | null
  informationRequest: ProviderInformationRequest | null
}

/** Every ID that may identify the owner of an event: IDs of the provider and of Causeway. */
export type OwnerHints = {
  refs: string[]
  /** The caller's ID of an end-user, unique only within a business. */
  externalUserId: string | null
}

/** An event of the provider's event log. `rawBody` holds the bytes of the response, because these are forwarded. */
export type ListedEvent = { eventId: string; createdAtMs: number | null; rawBody: Buffer }

/** A page of the event log, oldest event first. `answeredAtMs`: by the provider's clock. */
export type ListedEvents = { events: ListedEvent[]; answeredAtMs: number | null }

export type EventRecord = {
  /** From the oldest, or after an event. Rejects with status 404 if the provider has no event log after all. */
  list(page: PageQuery): Promise<ListedEvents>
}

/** Our webhook endpoint at the provider. */
export type Endpoint = {
  id: string
  url: string
  /** `active`, `disabled`, `deleted`, or an unknown status. */
  status: string
  /** PEM. */
  publicKey: string | null
  /** The event categories that the endpoint receives; empty: all. */
  categories: string[]
}

export type Endpoints = {
  list(): Promise<Endpoint[]>
  /** Creates a disabled endpoint. The provider records every event for it from now on. */
  create(url: string, write: Write): Promise<Endpoint>
  move(id: string, url: string): Promise<Endpoint>
  switch(id: string, to: 'active' | 'disabled'): Promise<Endpoint>
  /** Adds categories to the endpoint. */
  add(endpoint: Endpoint, categories: readonly string[]): Promise<Endpoint>
  /**
   * Resends one event, also to an endpoint that the provider has disabled after failures: success resumes its
   * deliveries.
   */
  resend(id: string, eventId: string, write: Write): Promise<void>
  /** The categories of events that change our objects, with the kind of object in each. */
  readonly needed: ReadonlyMap<string, EventReading['about']>
  /** Categories that the provider may refuse. The others must not depend on them. */
  readonly optional: ReadonlySet<string>
}

export type Occupation = { code: string; name: string }

export type Testing = {
  /** Approves a customer with every requested approval. */
  approve(customerId: string, write: Write): Promise<void>
  deleteCustomer(customerId: string): Promise<void>
}

// Failures --------------------------------------------------------------------------------------------------------------

/**
 * The kinds of provider failures that callers distinguish.
 * - `unreachable`: no connection was made; nothing happened at the provider.
 * - `timeout`: no response in time, or the connection was cut after the request was sent; a write may have happened.
 * - `unavailable`: the provider returned 5xx, 429, or something that is not HTTP; a write may have happened.
 * - `unreadable`: a success without a required field. The write took effect, and only a read can show the result.
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

/** Reasons of a refusal that the service handles. */
export type Refusal =
  | 'terms_not_accepted'
  | 'agreement_invalid'
  | 'kyc_not_approved'
  | 'rail_not_open'
  | 'already_there'
  | 'frozen'
  | 'not_enabled'
  | 'limit_reached'
  | 'not_served'

type Facts = {
  status?: number | null
  code?: string | null
  refusal?: Refusal | null
  fields?: Record<string, string>
  reason?: string | null
  retryAfterSeconds?: number | null
  existingPage?: HostedPage | null
  carriedOut?: { objectId: string | null } | null
  cause?: unknown
}

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind
  /** HTTP status. */
  readonly status: number | null
  /** The provider's own code, visible to the operator and the caller. */
  readonly code: string | null
  readonly refusal: Refusal | null
  /** Field of our form → message of the provider. May contain submitted values: never log or forward unscrubbed. */
  readonly fields: Record<string, string>
  /** The provider's message about the whole request. May contain submitted values, like `fields`. */
  readonly reason: string | null
  readonly retryAfterSeconds: number | null
  /** The existing hosted page, from a refusal with `already_there`. */
  readonly existingPage: HostedPage | null
  /** The ID in an `unreadable` response to a write that the provider has carried out, if the response has an ID. */
  readonly carriedOut: { objectId: string | null } | null

  constructor(kind: ProviderErrorKind, facts: Facts = {}) {
    super(`provider ${kind}${facts.status ? ` (${facts.status})` : ''}${facts.code ? ` ${facts.code}` : ''}`, {
      cause: facts.cause,
    })
    this.name = 'ProviderError'
    this.kind = kind
    this.status = facts.status ?? null
    this.code = facts.code ?? null
    this.refusal = facts.refusal ?? null
    this.fields = facts.fields ?? {}
    this.reason = facts.reason ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.existingPage = facts.existingPage ?? null
    this.carriedOut = facts.carriedOut ?? null
  }

  /** True if a write may or may not have happened: only a retry with the same key, or a read, can show it. */
  get outcomeUnknown(): boolean {
    return this.kind === 'timeout' || this.kind === 'unavailable' || this.kind === 'unreadable'
  }
}
