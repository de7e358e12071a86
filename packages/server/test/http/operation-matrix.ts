// Data of the matrix over all operations: real objects for paths, a valid body for each operation, and the declared
// errors that the matrix tests itself, so that only the others need a test in the operation's own file.

import { allOperations } from '../../src/app/operations.ts'
import type { ErrorCode } from '../../src/platform/errors.ts'
import { nounsOf } from '../../src/platform/http/operation.ts'
import { type Answer, assertDeclared, type CallOptions, codesOf, type Operation, until } from '../caller.ts'
import { lastHour } from '../replay.ts'
import { issuerUrl } from '../sign-in/issuer-metadata.ts'
import { staffOf } from '../staff.ts'
import type { World } from '../world.ts'

/** IDs of objects in paths. */
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
  staff: string
  customer: string
  issuer: string
  alertChannel: string
}

/** Objects of the first business, each really there; no staff member from outside the process. */
export async function realNames(
  world: Pick<World, 'business'> & Partial<Pick<World, 'url' | 'inside'>>,
): Promise<Names> {
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
  const alertChannel: string = (
    await world.business.call('POST', '/v0/alert-channels', { type: 'slack', url: 'http://127.0.0.1:9/' })
  ).body.data.id
  const customer = world.business.id
  const issuer = issuerUrl
  const { url, inside } = world
  const staff = url && inside ? (await staffOf({ url, inside }, { businessId: customer })).id : absentNames.staff
  const [ofMoney, ofEvents] = [
    { account, deposit: deposit.id, informationRequest: informationRequest.id },
    { event, delivery, webhookEndpoint, replay },
  ]
  return {
    externalUserId,
    ...ofMoney,
    ...ofEvents,
    apiKey,
    consoleLink,
    onboardingLink,
    staff,
    customer,
    issuer,
    alertChannel,
  }
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
  staff: `staff_${noId}`,
  customer: `biz_${noId}`,
  issuer: issuerUrl,
  alertChannel: `alc_${noId}`,
}

export function pathWith(operation: Operation, text: string): string {
  return operation.path.replace(/\{\w+\}/, text)
}

/** A day without deposits, and an agreement that nobody has signed. */
const unsigned = { day: '2026-01-31', agreement: '11111111-2222-4333-8444-555555555555' }

const declarations = new Map(allOperations.map((declared) => [declared.id, declared]))

function exampleOf(operation: Operation) {
  const declared = declarations.get(operation.id)
  if (!declared) throw new Error(`${operation.id} is not declared`)
  return declared.example ?? {}
}

export function pathOf(operation: Operation, names: Names): string {
  const nouns = nounsOf(operation.path)
  if (nouns.length > 0) return operation.path.replace(/\{\w+\}/g, () => names[nouns.shift() as keyof Names])
  const search = new URLSearchParams()
  const query = exampleOf(operation).query?.({ ...names, ...unsigned }) ?? {}
  for (const [name, value] of Object.entries(query)) search.set(name, `${value}`)
  return search.size === 0 ? operation.path : `${operation.path}?${search}`
}

/** The object in the operation's path. Only for operations with one. */
export function nounOf(operation: Operation): keyof Names {
  return nounsOf(operation.path)[0] as keyof Names
}

/** A body that passes the schema; whether the operation then goes well depends on what it names. */
export function bodyOf(operation: Operation, names: Names): unknown {
  if (operation.body === null) return undefined
  const { body } = exampleOf(operation)
  if (!body) throw new Error(`say in the declaration of ${operation.id} what a valid body is`)
  return body({ ...names, ...unsigned })
}

export function credentialOf(world: World, { auth }: Operation): string | null {
  if (auth === 'none') return null
  return auth === 'operator' ? world.operator.secret : world.business.apiKey
}

type Sent = CallOptions & { path?: string; body?: unknown }

/** Sends requests that are valid except for the given parts, and checks each response against openapi.json. */
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
