// One business as a test sees it: its calls, its end-users in each state, their accounts and deposits, its endpoints and events.

import { Webhook } from 'standardwebhooks'
import { type Answer, type Caller, callerOf, dataOf, until } from './caller.ts'
import { company, freshUserId, kycBody, solanaWallet, userPath } from './people.ts'
import { freshEventId, type Provider } from './provider.ts'
import { openReceiver, type Received, type Receiver } from './receiver.ts'

type Json = Record<string, unknown>

/** `submitted` waits for no decision. */
export type UserState = 'new' | 'terms' | 'submitted' | 'approved'

/** `mail`: a suffix of the email address, which decides the emulator's verdict. `endorsements`: all that the body asks for. */
export type Submission = { mail?: string; endorsements?: string[] }

export type AccountRequest = {
  externalUserId: string
  source: { currency: string }
  destination: Record<string, unknown>
  developer_fee_percent?: unknown
  metadata?: Record<string, string>
  onPendingKyc?: string
}

export type DepositOrder = { amount: string; outcome?: string; paymentRail?: string; senderName?: string }
export type Deposit = Json & { id: string; status: string }
export type ForwardedEvent = { event_id: string; event_type: string; external_user_id: string }
export type DeliveredEvent = { eventType: string; payload: { data: Json } }

export type InformationRequest = {
  id: string
  externalUserId: string
  depositId: string | null
  state: string
  deadline: string
  openedAt: string | null
  closedAt: string | null
}

export type Business = Caller & {
  id: string
  apiKey: string
  /** Creates an end-user. @returns its externalUserId */
  user(state?: UserState, submission?: Submission): Promise<string>
  /** Creates an end-user that is a company. @returns its externalUserId, and the body that submits its KYC */
  company(suffix?: string): Promise<{ user: string; body: ReturnType<typeof company> }>
  /** Creates a Terms-of-Service link, and accepts it as the page does. @returns the ID of the signed agreement */
  acceptTerms(externalUserId: string): Promise<string>
  /** Accepts the terms and submits the KYC of Ada. */
  submit(externalUserId: string, submission?: Submission): Promise<void>
  /**
   * Waits until an end-user has this KYC status. Where that is an approval, no rail is pending any longer.
   * @param rails that must be active
   * @returns the end-user
   */
  reached(externalUserId: string, kycStatus: string, rails?: readonly string[]): Promise<Answer['body']>
  /** @returns the provider's ID of an end-user's customer */
  customerOf(externalUserId: string): Promise<string>
  /** Opens an account. @param terms changes the body: dollars to a wallet on Solana */
  account(externalUserId: string, terms?: Partial<AccountRequest>): Promise<Record<string, string> & { id: string }>
  /** Lists the accounts of an end-user, newest first. */
  accounts(externalUserId: string): Promise<Record<string, string>[]>
  accountReached(id: string, status: string): Promise<Record<string, string>>
  /** Simulates a deposit, and waits until it has this status. */
  deposit(accountId: string, order: DepositOrder, status: string): Promise<Deposit>
  /** Opens a request for information by the sandbox, and waits until the business sees it. */
  informationRequest(order: Json & { externalUserId: string }): Promise<InformationRequest>
  informationRequestReached(id: string, state: string): Promise<InformationRequest>
  /** Creates a further webhook endpoint with its own receiver. @param settings of the body, except the URL */
  endpoint(settings?: Json, reply?: Receiver['reply']): Promise<Endpoint>
  /** Points the webhook URL at a new receiver. */
  receive(reply?: Receiver['reply']): Promise<Receiver & { secret: string }>
  /** Lists the events of this type about this object, oldest first. */
  events(type: string, objectId: string): Promise<Answer['body'][]>
  /** Waits until events of these types about an end-user were delivered. @returns all its events, oldest first */
  deliveredEvents(externalUserId: string, types: readonly string[]): Promise<DeliveredEvent[]>
}

export type Endpoint = AsyncDisposable & {
  id: string
  secret: string
  receiver: Receiver
  /** Sends `PATCH`; fails unless the response is a success. */
  change(body: Json): Promise<Answer>
  read(): Promise<Answer['body']>
}

/** A business with one end-user, and a receiver at its webhook URL. */
export type Subscriber = Business &
  AsyncDisposable & {
    externalUserId: string
    receiver: Receiver
    secret: string
    /** Creates an event about the end-user, of a type that Causeway does not know: stored and forwarded, nothing else. */
    event(fields?: Json): ForwardedEvent
    /** Fails unless an independent verifier accepts this delivery with our secret. */
    verify(received: Received): void
  }

/** Names a business and the provider of its world; the verbs are added. */
export function businessOf({
  url,
  id,
  apiKey,
  provider,
}: {
  url: string
  id: string
  apiKey: string
  provider: Provider
}): Business {
  const { call } = callerOf(url, apiKey)
  const users = usersOf(call, provider)
  return { id, apiKey, call, ...users, ...moneyOf(call), ...hooksOf(call) }
}

/** The rails of the endorsements that Ada's body asks for. */
const allRails = ['usd', 'eur', 'mxn']

type Users = Pick<Business, 'user' | 'company' | 'acceptTerms' | 'submit' | 'reached' | 'customerOf'>

function usersOf(call: Business['call'], provider: Provider): Users {
  const create = async (body: Json): Promise<string> => {
    const externalUserId = freshUserId()
    dataOf(await call('POST', '/v0/end-users', { externalUserId, email: `${externalUserId}@example.com`, ...body }))
    return externalUserId
  }
  const acceptTerms: Business['acceptTerms'] = async (externalUserId) => {
    const link = dataOf(await call('POST', userPath(externalUserId, '/tos-link')))
    return (await provider.control('POST', '/terms/accept', { link: link.tosLink })).body.signed_agreement_id
  }
  const submit: Business['submit'] = async (externalUserId, { mail = '', endorsements } = {}) => {
    const body = kycBody(await acceptTerms(externalUserId), `${externalUserId}${mail}`)
    const submitted = endorsements ? { ...body, endorsements } : body
    dataOf(await call('POST', userPath(externalUserId, '/submit-kyc'), submitted))
  }
  const reached: Business['reached'] = (externalUserId, kycStatus, rails = []) =>
    until(`${kycStatus} of ${externalUserId}`, async () => {
      const user = dataOf(await call('GET', userPath(externalUserId)))
      const isDecided = kycStatus !== 'approved' || !Object.values(user.rails).includes('pending')
      return user.kycStatus === kycStatus && isDecided && rails.every((rail) => user.rails[rail] === 'active') && user
    })
  return {
    acceptTerms,
    submit,
    reached,
    async user(state = 'new', submission = {}) {
      const externalUserId = await create({})
      if (state === 'terms') await acceptTerms(externalUserId)
      if (state === 'submitted' || state === 'approved') await submit(externalUserId, submission)
      if (state === 'approved') await reached(externalUserId, 'approved', submission.endorsements ? [] : allRails)
      return externalUserId
    },
    async company(suffix = '') {
      const user = await create({ type: 'business' })
      return { user, body: company(await acceptTerms(user), `${user}${suffix}`) }
    },
    customerOf: async (externalUserId) => dataOf(await call('GET', userPath(externalUserId))).providerCustomerId,
  }
}

export function accountRequest(externalUserId: string, changes: Partial<AccountRequest> = {}): AccountRequest {
  return { externalUserId, source: { currency: 'usd' }, destination: solanaWallet, ...changes }
}

type Money = Pick<
  Business,
  'account' | 'accounts' | 'accountReached' | 'deposit' | 'informationRequest' | 'informationRequestReached'
>

function moneyOf(call: Business['call']): Money {
  const informationRequestReached: Business['informationRequestReached'] = (id, state) =>
    until(`the request in ${state}`, async () => {
      const answer = await call('GET', `/v0/information-requests/${id}`)
      return answer.status === 200 && answer.body.data.state === state && answer.body.data
    })
  return {
    async account(externalUserId, terms = {}) {
      const body = accountRequest(externalUserId, { developer_fee_percent: '0.5', ...terms })
      return dataOf(await call('POST', '/v0/virtual-accounts', body))
    },
    accounts: async (externalUserId) =>
      (await call('GET', `/v0/virtual-accounts?externalUserId=${externalUserId}`)).body.data,
    accountReached: (id, status) =>
      until(`${status} of ${id}`, async () => {
        const account = dataOf(await call('GET', `/v0/virtual-accounts/${id}`))
        return account.status === status && account
      }),
    async deposit(accountId, order, status) {
      const all = async (): Promise<Deposit[]> =>
        (await call('GET', `/v0/virtual-accounts/${accountId}/deposits?limit=100`)).body.data
      const before = new Set((await all()).map(({ id }) => id))
      dataOf(await call('POST', '/v0/sandbox/deposits', { virtualAccountId: accountId, ...order }))
      return await until(`a deposit that is ${status}`, async () =>
        (await all()).find((deposit) => !before.has(deposit.id) && deposit.status === status),
      )
    },
    informationRequestReached,
    async informationRequest(order) {
      const { id } = dataOf(await call('POST', '/v0/sandbox/information-requests', order))
      return await informationRequestReached(id, 'action_required')
    },
  }
}

type Hooks = Pick<Business, 'endpoint' | 'receive' | 'events' | 'deliveredEvents'>

function hooksOf(call: Business['call']): Hooks {
  return {
    async endpoint(settings = {}, reply) {
      const receiver = await openReceiver(reply)
      const { id, signingSecret: secret } = dataOf(
        await call('POST', '/v0/webhook-endpoints', { webhookUrl: receiver.url, ...settings }),
      )
      const path = `/v0/webhook-endpoints/${id}`
      return {
        id,
        secret,
        receiver,
        async change(body) {
          const answer = await call('PATCH', path, body)
          dataOf(answer)
          return answer
        },
        read: async () => (await call('GET', path)).body.data,
        [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
      }
    },
    async receive(reply) {
      const receiver = await openReceiver(reply)
      const { signingSecret } = dataOf(await call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url }))
      return Object.assign(receiver, { secret: signingSecret as string })
    },
    async events(type, objectId) {
      const { data } = (await call('GET', `/v0/events?eventType=${type}&limit=100`)).body
      // The payload of an event about a deleted end-user is gone.
      return data
        .filter((event: { payload: { data?: { id: string } } }) => event.payload.data?.id === objectId)
        .reverse()
    },
    deliveredEvents: (externalUserId, types) =>
      until(`events ${types.join(', ')}`, async () => {
        const query = `externalUserId=${encodeURIComponent(externalUserId)}&limit=100`
        const listed = dataOf(await call('GET', `/v0/events?${query}`))
        const own = listed.filter((event: { source: string }) => event.source === 'causeway').reverse()
        for (const type of types) {
          const event = own.find((each: { eventType: string }) => each.eventType === type)
          if (!event) return false
          const deliveries = dataOf(await call('GET', `/v0/events/${event.id}/deliveries`))
          if (!deliveries.some((delivery: { status: string }) => delivery.status === 'delivered')) return false
        }
        return own
      }),
  }
}

/** Adds an end-user and a receiver to a business that has neither. */
export async function subscribed(business: Business, reply?: Receiver['reply']): Promise<Subscriber> {
  // Before the URL is set, so that the first event of the test is the first of the endpoint.
  const externalUserId = await business.user()
  const receiver = await business.receive(reply)
  return {
    ...business,
    externalUserId,
    receiver,
    secret: receiver.secret,
    event: (fields = {}) => ({
      event_id: freshEventId(),
      event_type: 'test.happened',
      external_user_id: externalUserId,
      ...fields,
    }),
    verify: ({ headers, body }) => void new Webhook(receiver.secret).verify(body, headers as Record<string, string>),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
