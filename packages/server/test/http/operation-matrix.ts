// What the matrix over all operations knows: real objects to name in paths, a valid body for each operation, and which
// declared errors it proves itself, so that only the others need a test in the operation's own file.

import type { ErrorCode } from '../../src/platform/errors.ts'
import { type Answer, assertDeclared, type CallOptions, codesOf, type Operation, until } from '../caller.ts'
import { kycBody, solanaWallet } from '../people.ts'
import { lastHour } from '../replay.ts'
import type { World } from '../world.ts'

/** Names of objects, as they stand in paths. */
export type Names = {
  externalUserId: string
  account: string
  deposit: string
  informationRequest: string
  event: string
  delivery: string
  apiKey: string
  webhookEndpoint: string
  replay: string
  consoleLink: string
  onboardingLink: string
  customer: string
}

/** Objects of the first business, each really there. */
export async function realNames(world: World): Promise<Names> {
  const externalUserId = await world.business.user('approved')
  const { id: account = '' } = await world.business.account(externalUserId)
  const deposit = await world.business.deposit(account, { amount: '10.00' }, 'completed')
  const informationRequest = await world.business.informationRequest({ externalUserId, depositId: deposit.id })
  const { data: events } = (await world.business.call('GET', '/v0/events?eventType=virtual_account.payment.received'))
    .body
  const event: string = events[0].id
  const delivery = await until('a delivery', async () => {
    const { data } = (await world.business.call('GET', `/v0/events/${event}/deliveries`)).body
    return data[0]?.id as string | undefined
  })
  const apiKey: string = (await world.business.call('POST', '/v0/api-keys', {})).body.data.id
  const webhookEndpoint: string = (await world.business.call('GET', '/v0/webhook-url')).body.data.id
  const replay: string = (
    await world.business.call('POST', `/v0/webhook-endpoints/${webhookEndpoint}/replay`, lastHour())
  ).body.data.id
  const consoleLink: string = (await world.business.call('POST', '/v0/console-links', { scopes: ['events:read'] })).body
    .data.id
  const onboardingLink: string = (
    await world.business.call('POST', `/v0/end-users/${await world.business.user()}/onboarding-links`, {})
  ).body.data.id
  const customer = world.business.id
  const [ofMoney, ofEvents] = [
    { account, deposit: deposit.id, informationRequest: informationRequest.id },
    { event, delivery, webhookEndpoint, replay },
  ]
  return { externalUserId, ...ofMoney, ...ofEvents, apiKey, consoleLink, onboardingLink, customer }
}

const noId = '00000000000000000000000000'
export const absentNames: Names = {
  externalUserId: 'nobody-here',
  account: `va_${noId}`,
  deposit: `dep_${noId}`,
  informationRequest: `ireq_${noId}`,
  event: `evt_${noId}`,
  delivery: `dlv_${noId}`,
  apiKey: `key_${noId}`,
  webhookEndpoint: `whe_${noId}`,
  replay: `rpl_${noId}`,
  consoleLink: `console_link_${noId}`,
  onboardingLink: `onboarding_link_${noId}`,
  customer: `biz_${noId}`,
}

const nounOfPath: readonly (readonly [start: string, noun: keyof Names])[] = [
  ['/v0/end-users/', 'externalUserId'],
  ['/v0/virtual-accounts/', 'account'],
  ['/v0/deposits/', 'deposit'],
  ['/v0/sandbox/deposits/', 'deposit'],
  ['/v0/information-requests/', 'informationRequest'],
  ['/v0/sandbox/information-requests/', 'informationRequest'],
  ['/v0/sandbox/inboxes/', 'webhookEndpoint'],
  ['/v0/events/', 'event'],
  ['/v0/deliveries/', 'delivery'],
  ['/v0/api-keys/', 'apiKey'],
  ['/v0/console-links/', 'consoleLink'],
  ['/v0/onboarding-links/', 'onboardingLink'],
  ['/v0/webhook-endpoints/', 'webhookEndpoint'],
  ['/v0/replays/', 'replay'],
  ['/v0/customers/', 'customer'],
  ['/v0/operator/events/', 'event'],
]

export function pathWith(operation: Operation, text: string): string {
  return operation.path.replace(/\{\w+\}/, text)
}

/** Of operations that cannot be asked without one. */
const queries: Readonly<Record<string, string>> = {
  getKycRequirements: '?country=USA',
  listCompletedDeposits: '?day=2026-01-31',
  sumCompletedDeposits: '?day=2026-01-31',
}

export function pathOf(operation: Operation, names: Names): string {
  if (!operation.path.includes('{')) return operation.path + (queries[operation.id] ?? '')
  return pathWith(operation, names[nounOf(operation)]).replace('/api-keys/{id}', `/api-keys/${names.apiKey}`)
}

/** What the operation's path names. Only of those with a place in it. */
export function nounOf(operation: Operation): keyof Names {
  const noun = nounOfPath.find(([start]) => operation.path.startsWith(start))?.[1]
  if (noun === undefined) throw new Error(`say in nounOfPath what ${operation.path} names`)
  return noun
}

/** Bodies that pass the schema; whether the operation then goes well depends on what they name. */
const bodies: Readonly<Record<string, (names: Names) => unknown>> = {
  createEndUser: () => ({ externalUserId: 'somebody-new' }),
  updateEndUser: () => ({ metadata: { plan: 'gold' } }),
  createTosLink: () => ({}),
  submitKyc: () => kycBody('11111111-2222-4333-8444-555555555555', 'ada'),
  createVirtualAccount: ({ externalUserId }) => ({
    externalUserId,
    source: { currency: 'usd' },
    destination: solanaWallet,
  }),
  updateVirtualAccount: () => ({ developer_fee_percent: '1' }),
  setWebhookUrl: () => ({ webhookUrl: 'https://hooks.example.com/in' }),
  createWebhookEndpoint: () => ({ webhookUrl: 'https://hooks.example.com/in' }),
  updateWebhookEndpoint: () => ({ description: 'The ledger' }),
  rotateWebhookSecret: () => ({}),
  testWebhookEndpoint: () => ({}),
  startReplay: () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-31T00:00:00Z' }),
  replayEvent: () => ({}),
  retryDeliveries: ({ webhookEndpoint }) => ({ filter: { webhookEndpointId: webhookEndpoint } }),
  setCustomerWebhookUrl: () => ({ webhookUrl: 'https://hooks.example.com/in' }),
  receiveProviderWebhook: () => ({ event_id: 'wh_matrix', event_type: 'customer.updated' }),
  issueApiKey: () => ({}),
  rollApiKey: () => ({}),
  createOnboardingLink: () => ({ rails: ['usd', 'cop'] }),
  setBranding: () => ({ name: 'Acme' }),
  createConsoleLink: () => ({ scopes: ['events:read'] }),
  createCustomer: () => ({ name: 'A customer' }),
  updateCustomer: () => ({ name: 'A customer' }),
  issueCustomerApiKey: () => ({}),
  simulateDeposit: ({ account }) => ({ virtualAccountId: account, amount: '1.00' }),
  simulateInformationRequest: ({ externalUserId }) => ({ externalUserId }),
  advanceInformationRequest: () => ({ to: 'in_review' }),
  advanceDeposit: () => ({ to: 'next' }),
  acceptTerms: ({ externalUserId }) => ({ externalUserId }),
  addSandboxFault: () => ({ path: '^/v0/nothing$', mode: 'status' }),
  configureSandboxInbox: () => ({}),
  moveSandboxClock: () => ({ advanceSeconds: 1 }),
  decideKyc: ({ externalUserId }) => ({ externalUserId, decision: 'approve' }),
}

export function bodyOf(operation: Operation, names: Names): unknown {
  if (operation.body === null) return undefined
  const body = bodies[operation.id]
  if (!body) throw new Error(`say in bodies what a valid body of ${operation.id} is`)
  return body(names)
}

export function credentialOf(world: World, { auth }: Operation): string | null {
  if (auth === 'none') return null
  return auth === 'operator' ? world.operator.secret : world.business.apiKey
}

type Sent = CallOptions & { path?: string; body?: unknown }

/** Sends requests that are valid but for what is given, and holds each answer against openapi.json. */
export function sender(world: World, names: Names): (operation: Operation, given?: Sent) => Promise<Answer> {
  return async (operation, given = {}) => {
    const { path = pathOf(operation, names), body, ...options } = given
    const sentBody = 'body' in given || given.raw !== undefined ? body : bodyOf(operation, names)
    const key = options.key === undefined ? credentialOf(world, operation) : options.key
    const answer = await world.business.call(operation.method, path, sentBody, { ...options, key })
    assertDeclared(operation, answer)
    return answer
  }
}

/** Whether the request names an object of a business, in its path or in its body. */
export function namesObject(operation: Operation): boolean {
  return codesOf(operation, 404).some((code) => code.endsWith('_not_found') && code !== 'route_not_found')
}

const provenCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'api_key_missing',
  'api_key_malformed',
  'api_key_invalid',
  'wrong_auth_scheme',
  'admin_secret_invalid',
  'insufficient_scope',
  'business_suspended',
  'rate_limited',
  'invalid_json',
  'json_too_deep',
  'body_required',
  'missing_field',
  'unknown_field',
  'invalid_type',
  'invalid_value',
  'invalid_format',
  'invalid_length',
  'invalid_query',
  'invalid_path',
  'invalid_cursor',
  'invalid_header',
  'payload_too_large',
  'too_many_members',
  'unsupported_media_type',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'internal_error',
  // All calls of the provider have one reader: provider-unreadable.test.ts proves it for each kind of write, and for reads.
  'provider_response_unreadable',
  'database_unavailable',
  'shutting_down',
])

/** Whether the matrix names an object that is absent or of another business, in the path or in the body. */
export function asksForAbsent(operation: Operation): boolean {
  return (
    operation.auth !== 'none' && namesObject(operation) && (operation.path.includes('{') || operation.body !== null)
  )
}

/** Whether all that this status can carry here follows from how the operation is guarded, and is so proven for all alike. */
export function isProvenByMatrix(operation: Operation, status: number): boolean {
  const codes = codesOf(operation, status)
  if (status === 404 && codes.length === 1) return asksForAbsent(operation)
  return codes.length > 0 && codes.every((code) => provenCodes.has(code))
}
