// Every event of Causeway, created by the product itself and received by a receiver: each body matches openapi.json
// exactly.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { businessEventTypes } from '../src/events/catalogue.rules.ts'
import { settleExpired } from '../src/onboarding/links.ts'
import { accountRequest } from './business.ts'
import { assertDescribedEvent, describedEvents, until } from './caller.ts'
import { kycBody } from './people.ts'
import { openReceiver } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const receiver = await openReceiver()
after(() => receiver[Symbol.asyncDispose]())

async function call(method: string, path: string, body?: unknown) {
  const answer = await world.business.call(method, path, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const endpoint: { id: string } = await call('POST', '/v0/webhook-endpoints', { webhookUrl: receiver.url })

type Body = { event_type: string; data: Record<string, unknown> }

/** Received events of Causeway. Events forwarded from the provider have no description. */
const own = (): Body[] => receiver.seen.map(({ body }) => JSON.parse(body.toString())).filter((body) => 'data' in body)
const arrived = (type: string, count = 1) =>
  until(`${count} ${type}`, () => own().filter(({ event_type }) => event_type === type).length >= count)

/** By the types they are to send; each leaves the world as the others can bear it. */
const stories: readonly (readonly [types: readonly string[], tell: () => Promise<unknown>])[] = [
  [['end_user.created', 'end_user.tos.accepted', 'end_user.kyc.updated'], () => world.business.user('approved')],
  [['end_user.kyc.updated'], rejectedAndIncomplete],
  [
    [
      'virtual_account.created',
      'virtual_account.updated',
      'virtual_account.suspended',
      'virtual_account.resumed',
      'virtual_account.deactivated',
      'virtual_account.reactivated',
    ],
    changedAccount,
  ],
  [['virtual_account.failed'], failedAccount],
  [['virtual_account.deposit.updated', 'virtual_account.payment.received'], deposits],
  [['information_request.updated'], informationRequests],
  [['webhook_endpoint.test'], () => call('POST', `/v0/webhook-endpoints/${endpoint.id}/test`)],
  [['webhook_endpoint.disabled'], disabledEndpoint],
  [['api_key.rolled'], rolledKey],
  [['end_user.onboarding.completed', 'end_user.onboarding.abandoned'], onboardingLinks],
]

/** One link to the approval, and one whose time is over before anything was done. */
async function onboardingLinks(): Promise<void> {
  const [approved, idle] = [await world.business.user(), await world.business.user()]
  for (const user of [approved, idle]) await call('POST', `/v0/end-users/${user}/onboarding-links`, {})
  const agreement = await world.business.acceptTerms(approved)
  await call('POST', `/v0/end-users/${approved}/submit-kyc`, kycBody(agreement, approved))
  await world.rows`
      update onboarding_links set expires_at = now()
      where end_user_id = (select id from end_users where external_user_id = ${idle})`
  await settleExpired(world.inside, 10)
}

/** Requirements with everything in them: what is due, what is reviewed, what is wrong. */
async function rejectedAndIncomplete(): Promise<void> {
  const rejected = await world.business.user('submitted', { mail: '+reject' })
  await world.business.reached(rejected, 'rejected')
  const person = await world.business.user('submitted', { mail: '+review' })
  const customer = (await call('GET', `/v0/end-users/${person}`)).providerCustomerId
  const body = {
    endorsements: [
      {
        name: 'base',
        status: 'incomplete',
        requirements: {
          complete: [],
          pending: ['post_processing'],
          missing: { all_of: ['date_of_birth'] },
          issues: [{ id_front_photo: 'id_expired' }],
        },
      },
    ],
  }
  const path = `^/v0/customers/${customer}$`
  const answered = { id: customer, status: 'incomplete', has_accepted_terms_of_service: true, ...body }
  await world.provider.fails({ method: 'GET', path, mode: 'status', status: 200, body: answered })
  await call('GET', `/v0/end-users/${person}/kyc-links`)
  await until('an event with errors', () =>
    own().some(({ data }) => {
      const { errors = [] } = (data['requirements'] ?? {}) as { errors?: unknown[] }
      return errors.length > 0
    }),
  )
}

async function changedAccount(): Promise<void> {
  const externalUserId = await world.business.user('approved')
  const { id = '' } = await world.business.account(externalUserId, { source: { currency: 'eur' } })
  await call('PATCH', `/v0/virtual-accounts/${id}`, { developer_fee_percent: '1' })
  await call('POST', '/v0/sandbox/kyc-decisions', { externalUserId, decision: 'pause' })
  await world.business.accountReached(id, 'suspended')
  await call('POST', '/v0/sandbox/kyc-decisions', { externalUserId, decision: 'approve' })
  await world.business.accountReached(id, 'active')
  await call('POST', `/v0/virtual-accounts/${id}/deactivate`)
  await call('POST', `/v0/virtual-accounts/${id}/reactivate`)
}

async function failedAccount(): Promise<void> {
  const person = await world.business.user('approved')
  const refusal = { code: 'invalid_parameters', message: 'no' }
  await world.provider.fails({ about: person, mode: 'cut_before' })
  await world.provider.fails({ about: person, mode: 'status', status: 400, body: refusal })
  assert.equal((await world.business.call('POST', '/v0/virtual-accounts', accountRequest(person))).status, 504)
  const [begun] = await world.business.accounts(person)
  await world.business.accountReached(begun?.['id'] ?? '', 'failed')
}

/** Every outcome, on an account of each bank's kind, so that each member of a deposit is filled at least once. */
async function deposits(): Promise<void> {
  const person = await world.business.user('approved')
  for (const currency of ['usd', 'eur', 'mxn']) {
    const { id = '' } = await world.business.account(person, { source: { currency } })
    await world.business.deposit(id, { amount: '100.00', senderName: 'Charles Babbage' }, 'completed')
    if (currency === 'usd') await world.business.deposit(id, { amount: '100.00', outcome: 'refunded' }, 'refunded')
  }
}

/** About a deposit that moves on while the request is open, and an end-user who is paused. */
async function informationRequests(): Promise<void> {
  const externalUserId = await world.business.user('approved')
  const { id = '' } = await world.business.account(externalUserId)
  const deposit = await world.business.deposit(id, { amount: '100.42' }, 'in_review')
  const order = { externalUserId, depositId: deposit.id, actionTaken: 'customer_paused' }
  const request = await world.business.informationRequest(order)
  await call('POST', '/v0/sandbox/kyc-decisions', { externalUserId, decision: 'pause' })
  await call('POST', `/v0/sandbox/deposits/${deposit.id}/advance`, { to: 'refunded' })
  await until('the refund', async () => (await call('GET', `/v0/deposits/${deposit.id}`)).status === 'refunded')
  await call('POST', `/v0/sandbox/information-requests/${request.id}/advance`, { to: 'closed' })
  await world.business.informationRequestReached(request.id, 'closed')
}

async function disabledEndpoint(): Promise<void> {
  await using gone = await openReceiver(() => 410)
  const { id } = await call('POST', '/v0/webhook-endpoints', { webhookUrl: gone.url, eventTypes: ['nothing.at_all'] })
  await call('POST', `/v0/webhook-endpoints/${id}/test`)
  await until('its end', async () => (await call('GET', `/v0/webhook-endpoints/${id}`)).status === 'disabled')
}

async function rolledKey(): Promise<void> {
  for (const expiresInHours of [0, 24]) {
    const { id } = await call('POST', '/v0/api-keys', {})
    await call('POST', `/v0/api-keys/${id}/roll`, { expiresInHours })
  }
}

for (const [types, tell] of stories) {
  test(`${types.join(', ')}: sent, and as described`, async () => {
    await tell()
    for (const type of types) await arrived(type)
    for (const body of own()) assertDescribedEvent(body)
  })
}

test('every type of ours was sent, none is described that is not one, and what is stored is what was sent', async () => {
  const known = [...businessEventTypes].toSorted()
  assert.deepEqual([...describedEvents.keys()].toSorted(), known)
  assert.deepEqual([...new Set(stories.flatMap(([types]) => types))].toSorted(), known)
  assert.deepEqual([...new Set(own().map(({ event_type }) => event_type))].toSorted(), known)
  const wasSent = (payload: Body) => own().some((body) => JSON.stringify(body) === JSON.stringify(payload))
  for (const type of known) {
    const stored: { source: string; payload: Body }[] = await call('GET', `/v0/events?eventType=${type}&limit=100`)
    assert.ok(stored.length > 0, type)
    for (const { source, payload } of stored) {
      assert.equal(source, 'causeway')
      assertDescribedEvent(payload)
      const isToAnother = type === 'webhook_endpoint.test' && payload.data['id'] !== endpoint.id
      if (!isToAnother) await until(`${type} at the receiver`, () => wasSent(payload))
    }
  }
})

test('among what was sent every member that may be null is so, and is not so, where the product can make it', () => {
  const seen = new Map<string, Set<string>>()
  const walk = (value: unknown, at: string): void => {
    const kinds = seen.get(at) ?? new Set()
    seen.set(at, kinds.add(value === null ? 'null' : 'value'))
    if (Array.isArray(value)) for (const item of value) walk(item, `${at}[]`)
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) walk(item, `${at}.${name}`)
  }
  for (const { event_type, data } of own()) walk(data, event_type.startsWith('end_user') ? 'end_user' : event_type)
  for (const [at, kinds] of [
    ['end_user.providerCustomerId', ['null', 'value']],
    ['end_user.requirements.errors[].reason', ['value']],
    ['end_user.nextAction.fields[]', ['value']],
    ['virtual_account.deposit.updated.netAmount', ['null', 'value']],
    ['virtual_account.deposit.updated.refund', ['null', 'value']],
    ['virtual_account.deposit.updated.refund.reason', ['value']],
    ['virtual_account.payment.received.references.traceNumber', ['null', 'value']],
    ['webhook_endpoint.disabled.disabledReason', ['value']],
  ] as const)
    assert.deepEqual([...(seen.get(at) ?? [])].toSorted(), kinds, at)
})

test('the examples are as described, too, and a field or type more is found out', () => {
  for (const [type, example] of describedEvents) {
    assertDescribedEvent(example)
    assert.equal((example as Body).event_type, type)
  }
  const example = describedEvents.get('end_user.kyc.updated') as Body
  const { requirements } = example.data as { requirements: { errors: object[] } }
  const errors = requirements.errors.map((error) => ({ ...error, surplus: 1 }))
  for (const wrong of [
    { ...example, surplus: 1 },
    { ...example, data: { ...example.data, surplus: 1 } },
    { ...example, data: { ...example.data, requirements: { ...requirements, errors } } },
    { ...example, data: { ...example.data, kycStatus: undefined } },
    { ...example, event_type: 'end_user.created.twice' },
    { ...example, created_at: 'today' },
  ])
    assert.throws(() => assertDescribedEvent(JSON.parse(JSON.stringify(wrong))))
})
