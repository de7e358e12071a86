// What the contract says of every answer, and the words that the tests of the onboarding operations share.

import assert from 'node:assert/strict'
import { type Answer, type TestWorld, until } from '../test-world.ts'

const typeOfStatus: Readonly<Record<number, string>> = {
  400: 'validation_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'validation_error',
  422: 'business_rule_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'unavailable_error',
  504: 'unavailable_error',
}

export type ExpectedError = {
  status: number
  code: string
  param?: string
  /** Code by `param` of what must be among the details; `param` may be the empty one, of the body as a whole. */
  details?: Readonly<Record<string, string>>
  retryable?: boolean
  /** What must not be repeated anywhere in the answer. */
  silentOn?: readonly string[]
}

type Detail = { param: string; code: string; message: string }

/** The whole shape of an error, by the contract. @returns the error, for what is special about it */
export function assertError(
  answer: Answer,
  expected: ExpectedError,
): { message: string; resolution: string; details: Detail[] } {
  assert.equal(answer.status, expected.status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(Object.keys(answer.body), ['error'])
  const { error } = answer.body
  const optional = ['param', 'details'].filter((name) => name in error)
  assert.deepEqual(
    Object.keys(error).sort(),
    ['type', 'code', 'message', 'requestId', 'resolution', 'docUrl', 'retryable', ...optional].sort(),
  )
  assert.equal(error.code, expected.code, answer.text)
  assert.equal(error.type, typeOfStatus[expected.status])
  assert.equal(error.param, expected.param)
  assert.equal(error.requestId, answer.headers.get('x-request-id'))
  assert.match(error.requestId, /^req_[0-9a-z]{26}$/)
  assert.match(error.docUrl, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/docs/errors/${expected.code}$`))
  assert.equal(
    error.retryable,
    expected.retryable ?? (expected.status >= 429 && expected.code !== 'provider_response_unreadable'),
  )
  for (const text of [error.message, error.resolution]) assert.match(text, /^[^{}]*\S[^{}]*$/)
  const details: Detail[] = error.details ?? []
  for (const detail of details) {
    assert.deepEqual(Object.keys(detail), ['param', 'code', 'message'])
    assert.notEqual(detail.message, '')
  }
  for (const [param, code] of Object.entries(expected.details ?? {})) {
    const found = details.filter((detail) => detail.param === param).map((detail) => detail.code)
    assert.ok(found.includes(code), `no ${code} for ${param} in ${answer.text}`)
  }
  // Our own id and port are checked above; by chance they hold any three letters, and any four digits.
  const told = answer.text.replace(error.requestId, '').replace(error.docUrl, '')
  for (const value of expected.silentOn ?? []) assert.ok(!told.includes(value), `the answer repeats ${value}`)
  return { message: error.message, resolution: error.resolution, details }
}

/** A success is 200 with `data` and nothing else. @returns `data` */
// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, which assert what they find
export function dataOf(answer: Answer): any {
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['data'])
  assert.ok(answer.headers.get('x-request-id'))
  return answer.body.data
}

export const endUserMembers = [
  'id',
  'externalUserId',
  'email',
  'type',
  'metadata',
  'kycStatus',
  'providerStatus',
  'tosStatus',
  'rails',
  'requirements',
  'nextAction',
  'informationRequests',
  'providerCustomerId',
  'createdAt',
  'updatedAt',
]

/** An end-user of whom nothing is known to the provider yet. */
export function freshEndUser(given: Record<string, unknown>): Record<string, unknown> {
  return {
    email: null,
    type: 'individual',
    metadata: {},
    kycStatus: 'not_started',
    providerStatus: null,
    tosStatus: 'pending',
    rails: { usd: 'inactive', eur: 'inactive', mxn: 'inactive', brl: 'inactive', gbp: 'inactive', cop: 'inactive' },
    requirements: { currentlyDue: [], pendingReview: [], errors: [], associatedPersons: [], future: [] },
    nextAction: { kind: 'accept_tos' },
    informationRequests: [],
    providerCustomerId: null,
    ...given,
  }
}

export function userPath(externalUserId: string, rest = ''): string {
  return `/v0/end-users/${encodeURIComponent(externalUserId)}${rest}`
}

/** The same answer but for the request id: nobody can tell one from the other. */
export function assertSameAnswer(one: Answer, other: Answer): void {
  const plain = ({ status, text, headers }: Answer) => {
    const id = headers.get('x-request-id') ?? ''
    const kept = [...headers].filter(([name]) => !/^(date|x-request-id|ratelimit)$/.test(name))
    return { status, text: text.replaceAll(id, '<id>'), kept }
  }
  assert.deepEqual(plain(one), plain(other))
}

export type DeliveredEvent = { eventType: string; payload: { data: Record<string, unknown> } }

/** Waits until events of these types, of this end-user, have reached the receiver; oldest first. */
export async function deliveredEvents(
  world: TestWorld,
  externalUserId: string,
  types: readonly string[],
): Promise<DeliveredEvent[]> {
  return await until(`events ${types.join(', ')}`, async () => {
    const query = `externalUserId=${encodeURIComponent(externalUserId)}&limit=100`
    const listed = dataOf(await world.call('GET', `/v0/events?${query}`))
    const own = listed.filter((event: { source: string }) => event.source === 'causeway').reverse()
    for (const type of types) {
      const event = own.find((each: { eventType: string }) => each.eventType === type)
      if (!event) return false
      const deliveries = dataOf(await world.call('GET', `/v0/events/${event.id}/deliveries`))
      if (!deliveries.some((delivery: { status: string }) => delivery.status === 'delivered')) return false
    }
    return own
  })
}

/** What the emulator holds; counts only. */
export async function upstreamCounts(world: TestWorld): Promise<Record<string, number>> {
  const state = await world.control('GET', '/state')
  const counted = Object.entries(state.body as Record<string, { count: number }>)
  return Object.fromEntries(counted.flatMap(([name, { count }]) => (ownMotion.has(name) ? [] : [[name, count]])))
}

/** What moves without us: a verdict on somebody of an earlier test may fall at any time. */
const ownMotion: ReadonlySet<string> = new Set(['events', 'pending_tasks'])

/** The emulator's requests go wrong in this way; see its control API. */
export async function fault(world: TestWorld, order: Record<string, unknown>): Promise<void> {
  const answer = await world.control('POST', '/faults', order)
  assert.equal(answer.status, 200, answer.text)
}

export async function clearFaults(world: TestWorld): Promise<void> {
  await world.control('DELETE', '/faults')
}
