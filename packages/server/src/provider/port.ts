// The provider in our own words: what an adapter does for the service, and how it fails. An adapter translates one provider's wire
// into these words; nothing outside `provider/` knows that wire. How to write one: /docs/guides/write-a-provider-adapter.
// Above the usual length: it is the whole contract with a provider, which is read as a whole.

import type { KeyObject } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Json, JsonObject } from '../platform/values/json.ts'
import type { FiatCurrency, RailTable } from '../platform/values/rails.ts'
import type { DepositActivity } from './activity.ts'

/**
 * A provider. A part that is null does not exist at this provider: the caller refuses what needs the part, before anything is
 * sent. Every method that returns a promise rejects with a `ProviderError` and with nothing else. IDs are opaque strings.
 */
export type Provider = {
  /** The kind of `platform/config.ts` that is stored with each row. */
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
  /** The provider's own record of the events that it has sent. */
  readonly record: EventRecord | null
  /** Manages webhook endpoints by API. Null: a person registers our endpoint, and its key is configured. */
  readonly endpoints: Endpoints | null
  readonly occupations: { list(): Promise<Occupation[]> } | null
  /** What the provider's own test environment can do; null for a provider without one. */
  readonly testing: Testing | null
  /** Makes the cheapest call that needs a valid key. */
  ping(): Promise<void>
}

// Traits ----------------------------------------------------------------------------------------------------------------

/** The writes at the provider, by the object that each is about. Stored with each operation. */
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
 * How a write with an unknown outcome may be repeated.
 * - `same_key`: repeat with the same key; an account only until the key expires (`keyLifeMs`; null: never), then only read
 * - `read_first`: read; write again only if nothing shows the write, and the request before can no longer arrive. Links to terms and
 *   changes of a customer cannot be read, and are sent again
 * - `harmless`: a repeat has no further effect
 */
export type Repeat = 'same_key' | 'read_first' | 'harmless'

/** Properties of a provider that are no operation. */
export type Traits = {
  readonly repeats: Readonly<Record<WriteKind, Repeat>>
  /** How long the provider remembers the key of a write; null: for ever. */
  readonly keyLifeMs: number | null
  /** Whether accounts can have a fee in percent. */
  readonly fee: 'percent' | null
  /** What can be changed about an open account. */
  readonly canChange: { readonly destination: boolean; readonly fee: boolean }
  /** Whether the provider takes travel-rule data with a new account. */
  readonly travelRule: boolean
  /** Where the provider's pages are, for a content security policy. The first has the terms of new end-users. */
  readonly pageOrigins: readonly [string, ...string[]]
  /** Most objects per second that each walk reads to compare our state with the provider's. */
  readonly readsPerSecond: number
}

/** `key` was committed before the call; repeating the call with it repeats nothing, where the provider has keys. */
export type Write = { key: string }

export type PageQuery = { limit?: number; startingAfter?: string }

// End-users -------------------------------------------------------------------------------------------------------------

/** What the provider has decided about an end-user. Each status of our API, and `unknown` for a status that is new to us. */
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

/** `active`: an account may be opened. `inactive`: not asked for, or not to be had. `revoked`: taken back. */
export type RailState = 'inactive' | 'pending' | 'active' | 'action_required' | 'revoked'

/**
 * A customer as the provider sees it. Times in milliseconds count from 1970.
 * - `verdict` `not_started`: the provider has decided nothing yet. `unknown`: the stored verdict stays, and no rail is open
 */
export type Standing = {
  id: string
  /** Our end-user's ID; null if the provider does not return it. */
  reference: string | null
  verdict: Verdict
  /**
   * Why a `paused` customer receives no deposits. `review`: the provider examines the customer and decides by itself.
   * `deposits_restricted`: it accepts no deposits, and only a person can settle that. Null for any other verdict.
   */
  pause: PauseReason | null
  /**
   * The state of each rail that the provider offers, if `verdict` is what counts. A customer without a verdict of its own keeps
   * the stored one, which the caller passes.
   */
  rails(verdict: KnownVerdict): Partial<Record<FiatCurrency, RailState>>
  /** Null: not reported. Acceptance is never taken back. */
  hasAcceptedTerms: boolean | null
  /** What is open about the customer itself. */
  asks: Asks
  /** What is open about each person of a company, by the provider's ID of the person. */
  people: (Asks & { id: string })[]
  /** What will be asked for from a day on (yyyy-mm-dd; null: not named). */
  later: (Asks & { from: string | null })[]
  /** Why the customer was rejected: only what the end-user may see. */
  reasons: string[]
  createdAtMs: number | null
  /** The provider's time of this standing: of two responses the later one counts. */
  asOfMs: number | null
  /** The provider's own status, shown as `providerStatus`. */
  status: string
}

export type PauseReason = 'review' | 'deposits_restricted'

/** Names and codes are those of `catalogue.rules.ts`; a name that is new to us passes unchanged. */
export type Asks = {
  due: string[]
  /** What the provider examines by itself. */
  review: string[]
  wrong: { requirement: string; code: string }[]
}

/** A person of a company, as far as one is recognized. */
export type Person = { id: string; email: string | null }

/** What a submission sends, in the fields of our form. */
export type Submission = {
  body: JsonObject
  /** The agreement to the terms, which the provider may have taken before; null: none is sent. */
  agreement: string | null
  /** Our end-user's ID. */
  reference: string
}

export type Customers = {
  create(submission: Submission, write: Write): Promise<Standing>
  /**
   * Changes a customer. A company is changed by the part that the submission names; its people are changed one by one.
   * @param current the agreement that the provider has taken before
   * @returns `isAgreed`: the provider has taken the agreement with this change
   */
  change(
    id: string,
    submission: Submission,
    current: { type: 'individual' | 'business'; agreement: string | null },
    write: Write,
  ): Promise<{ standing: Standing; isAgreed: boolean }>
  read(id: string): Promise<Standing>
  /** Lists the customers of exactly this address, in any case. */
  findByEmail(email: string): Promise<Standing[]>
  people: {
    list(customerId: string): Promise<Person[]>
    add(customerId: string, person: JsonObject, write: Write): Promise<Person>
    change(customerId: string, id: string, person: JsonObject): Promise<Person>
  }
}

/** What this provider does not take of our form. Pure. */
export type KycForm = {
  /** Lists what is wrong with a body that fits our form. Nothing has been sent yet. */
  problems(type: 'individual' | 'business', body: JsonObject): FormProblem[]
}

export type FormProblem = { param: string; code: string; message: string }

// Terms of Service, hosted page -----------------------------------------------------------------------------------------

export type Terms = {
  createLink(write: Write): Promise<{ url: string }>
  /** For a customer that exists; null: `createLink`, and a change with the new agreement. */
  linkOfCustomer: ((customerId: string) => Promise<{ url: string }>) | null
  /** Returns the link with another return address; null: the link cannot be changed. */
  withReturn: ((url: string, returnTo: string) => string) | null
}

export type HostedKyc = {
  /** For a person who is new to the provider; null: only after a submission. */
  createForNew: ((page: NewHostedPage, write: Write) => Promise<HostedPage>) | null
  /** For a customer that exists. @param about.endorsement the approval that the end-user wants, from the table of rails */
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
  /** The approvals to ask for, from the table of rails. */
  endorsements: string[]
  returnTo?: string
  /** The business states that the end-user has accepted the terms. */
  termsAccepted?: true
}

/** Both links lead to web pages; null: not named, or no web page. */
export type HostedPage = {
  id: string
  /** Null until both the terms and the verification are done. */
  customerId: string | null
  url: string | null
  termsUrl: string | null
  /** What the page says of the end-user, who has no customer yet. An approval counts only with a customer. */
  standing: Pick<Standing, 'verdict' | 'pause' | 'hasAcceptedTerms' | 'reasons' | 'status'>
}

// Accounts --------------------------------------------------------------------------------------------------------------

/** Exactly one of `address`, `walletId` and `prefundedAccountId`: an ID names what the provider keeps. */
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
  /** Not beside `feeConfig`. */
  developerFeePercent?: string
  /** As the caller wrote it. */
  feeConfig?: JsonObject
  /** As the caller wrote it. */
  travelRuleData?: JsonObject
}

export type AccountChange = Partial<Pick<AccountTerms, 'destination' | 'developerFeePercent' | 'feeConfig'>>

/** Stands for the chain of a wallet that the provider keeps, where a response does not name the chain. */
export const walletRail = 'provider_wallet'

export type Account = {
  id: string
  customerId: string | null
  /** `unknown`: neither on nor off, or a status that is new to us. */
  status: 'activated' | 'deactivated' | 'unknown'
  /** A part that the response leaves out is null. */
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

/** Where a payer sends the money: what is common to all bank rails once, and the numbers of each rail. Absent parts are null. */
export type Instructions = {
  currency: string
  bankName: string | null
  bankAddress: string | null
  beneficiaryName: string | null
  beneficiaryAddress: string | null
  /**
   * The numbers by bank rail, e.g. `ach_push`, `wire`, `fednow`, `sepa`, `spei`, `pix`, `faster_payments`, `bre_b`; two rails of
   * one account may differ. `rail` null: the response names no rail, and the numbers are those of every rail of the account.
   */
  rails: { rail: string | null; numbers: BankNumbers }[]
  depositMessage: string | null
}

/** The accounts that may be the one that a lost `open` made. */
export type FoundAccounts = {
  accounts: Account[]
  /** How many more the response lists, which cannot be read. */
  unreadable: number
  /** Whether all of them have the reference that was asked for; else they are all accounts of the customer, newest first. */
  byReference: boolean
  /** Whether there may be more, which are older. */
  isCut: boolean
}

export type Accounts = {
  open(customerId: string, terms: AccountTerms, write: Write): Promise<Account>
  /** Lists the account with this reference, or more than one; where the provider stores no reference, see `FoundAccounts`. */
  findOpened(customerId: string, reference: string): Promise<FoundAccounts>
  read(customerId: string, id: string): Promise<Account>
  change(customerId: string, id: string, change: AccountChange, write: Write): Promise<Account>
  switch(customerId: string, id: string, to: 'activated' | 'deactivated', write: Write): Promise<Account>
}

// Deposits --------------------------------------------------------------------------------------------------------------

/** One activity of an account, as the provider's history and its events report it. */
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
  /** Those of all accounts, newest first; at most `pageMax`. */
  ofAll: ((page: PageQuery) => Promise<ProviderActivity[]>) | null
  /** The most activities of one page. */
  pageMax: number
}

/** A request of the provider for information about a customer or a deposit. Times are null where they are absent or cannot be stored. */
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

export type InformationRequests = {
  /** Those that wait for us, of all customers, newest first; at most 100 a page. */
  listOpen(page: PageQuery): Promise<ProviderInformationRequest[]>
  read(id: string): Promise<ProviderInformationRequest>
}

// Events ----------------------------------------------------------------------------------------------------------------

/**
 * `absent`: no signature. `stale`: signed too long ago, or too far in the future, so a repeat is accepted. `wrong`: the signature
 * fits no known key.
 */
export type SignatureVerdict = 'verified' | 'absent' | 'malformed' | 'stale' | 'wrong'

export type Events = {
  /** Judges form and time of the signature, before anything of the body is known. `right`: a body may fit it. */
  judge(headers: IncomingHttpHeaders, nowMs: number): Exclude<SignatureVerdict, 'verified' | 'wrong'> | 'right'
  /** Checks the signature over the bytes as they came. */
  check(rawBody: Buffer, headers: IncomingHttpHeaders, keys: readonly KeyObject[], nowMs: number): SignatureVerdict
  /** Reads a public key as the provider shows it. @throws Error that names the rule, never the text */
  readKey(text: string): KeyObject
  /** The members that must be there, as the provider names them. Values of any type: the caller checks them. */
  envelope(body: JsonObject): { id: Member; type: Member }
  /** Never fails: an event with nothing known in it is still an event. */
  read(body: JsonObject): EventReading
  /** The body that businesses are sent: the bytes as they came, unless they hold what a business must not see. */
  forwarded(reading: EventReading, body: JsonObject, rawBody: Buffer): Buffer
  /** The types that the provider sends today, for subscriptions. */
  readonly types: readonly string[]
}

/** A member of an event: its name, and what it holds. */
export type Member = { name: string; value: Json | undefined }

export type EventReading = {
  about: 'customer' | 'hosted_kyc' | 'account' | 'deposit' | 'information_request' | 'other'
  /** Sealed at rest, because it has names or addresses of people. */
  isAboutPeople: boolean
  hints: OwnerHints
  /** The ids that the provider can be asked about. */
  named: { customers: string[]; hostedPages: string[]; accounts: string[]; activities: string[] }
  customerId: string | null
  activity: ProviderActivity | null
  informationRequest: ProviderInformationRequest | null
}

/** Every id by which we may know the owner of an event, provider's or ours. */
export type OwnerHints = {
  refs: string[]
  /** The caller's own id of an end-user, unique only within a business. */
  externalUserId: string | null
}

/** An event of the provider's own record. `rawBody` holds the bytes of the response, because these are forwarded. */
export type ListedEvent = { eventId: string; createdAtMs: number | null; rawBody: Buffer }

/** A page of the record, oldest event first. `answeredAtMs`: by the provider's clock. */
export type ListedEvents = { events: ListedEvent[]; answeredAtMs: number | null }

export type EventRecord = {
  /** From the oldest, or after an event. A record that the provider does not have after all rejects with status 404. */
  list(page: PageQuery): Promise<ListedEvents>
}

/** Our webhook endpoint at the provider. */
export type Endpoint = {
  id: string
  url: string
  /** `active`, `disabled`, `deleted`, or a status that is new to us. */
  status: string
  /** PEM. */
  publicKey: string | null
  /** The categories of which the endpoint is sent events; empty: all. */
  categories: string[]
}

export type Endpoints = {
  list(): Promise<Endpoint[]>
  /** Makes an endpoint that is switched off, and is sent every event from now on. */
  create(url: string, write: Write): Promise<Endpoint>
  move(id: string, url: string): Promise<Endpoint>
  switch(id: string, to: 'active' | 'disabled'): Promise<Endpoint>
  /** Adds categories to those of the endpoint. */
  add(endpoint: Endpoint, categories: readonly string[]): Promise<Endpoint>
  /** Sends one event once more, also to an endpoint whose delivery the provider has given up: success resumes the delivery. */
  resend(id: string, eventId: string, write: Write): Promise<void>
  /** The categories of the events that change our objects, and what the events of each are about. */
  readonly needed: ReadonlyMap<string, EventReading['about']>
  /** Categories that the provider may refuse: everything else must not wait for them. */
  readonly optional: ReadonlySet<string>
}

export type Occupation = { code: string; name: string }

export type Testing = {
  /** Approves a customer with everything that was asked for. */
  approve(customerId: string, write: Write): Promise<void>
  deleteCustomer(customerId: string): Promise<void>
}

// Failures --------------------------------------------------------------------------------------------------------------

/**
 * What went wrong at the provider, in the only distinctions a caller acts upon.
 * - `unreachable`: no connection was made; nothing happened at the provider.
 * - `timeout`: no answer in time, or the connection was cut after the request was sent; a write may have happened.
 * - `unavailable`: the provider answered 5xx, 429, or something that is not HTTP; a write may have happened.
 * - `unreadable`: a success that lacks what we cannot do without. The write took effect, and only a read can show the result.
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

/** Why the provider refused, where the service acts on the reason. */
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
  /** Of HTTP. */
  readonly status: number | null
  /** The provider's own code, which the operator and the caller see. */
  readonly code: string | null
  readonly refusal: Refusal | null
  /** Field of our form → message as the provider wrote it. May hold values that were sent: never log or forward unscrubbed. */
  readonly fields: Record<string, string>
  /** What the provider said of the request as a whole. May hold values that were sent, as `fields` may. */
  readonly reason: string | null
  readonly retryAfterSeconds: number | null
  /** The hosted page that a refusal with `already_there` names. */
  readonly existingPage: HostedPage | null
  /** The ID of the object in an `unreadable` response to a write that the provider has carried out, if the response has one. */
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

  /** A write that ended so may or may not have happened: only a repeat with the same key, or a read, can tell. */
  get outcomeUnknown(): boolean {
    return this.kind === 'timeout' || this.kind === 'unavailable' || this.kind === 'unreadable'
  }
}
