// The events of a provider with another wire: names, signature, people and types are those of its adapter.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Events } from '../src/provider/port.ts'
import { assertError, callerOf } from './caller.ts'
import { freshEventId } from './provider.ts'
import { openWorld, type Replica } from './world.ts'

const signed = { 'x-other-signature': 'right' }

const eventsOf = ({ readKey }: Events): Events => ({
  judge: ({ 'x-other-signature': signature }) => (signature === undefined ? 'absent' : 'right'),
  check: (_rawBody, { 'x-other-signature': signature }) => {
    if (signature === undefined) return 'absent'
    return signature === 'right' ? 'verified' : 'wrong'
  },
  readKey,
  envelope: ({ eventId, eventType }) => ({
    id: { name: 'eventId', value: eventId },
    type: { name: 'eventType', value: eventType },
  }),
  read: ({ userId }) => ({
    about: 'other',
    isAboutPeople: true,
    hints: { refs: [String(userId)], externalUserId: null },
    named: { customers: [], hostedPages: [], accounts: [], activities: [] },
    customerId: null,
    activity: null,
    informationRequest: null,
  }),
  forwarded: (_reading, _body, rawBody) => rawBody,
  types: ['USER.CREATE', 'USER.UPDATE'],
})

const world = await openWorld()
let replica: Replica
before(async () => {
  replica = await world.replica({ adapt: (made) => ({ ...made, events: eventsOf(made.events) }) })
})
after(async () => {
  await replica.stop()
  await world.stop()
})

const post = (event: object, headers: Record<string, string> = signed) =>
  callerOf(replica.url, null).call('POST', '/v0/webhooks/provider', undefined, { raw: JSON.stringify(event), headers })

test('a missing member has the name that the provider gives it', async () => {
  const { error } = (await post({ event_id: 'e1', event_type: 'USER.CREATE' })).body
  assert.deepEqual(error.details, [{ param: 'eventId', code: 'missing_field', message: 'eventId is required.' }])
  assertError(await post({ eventId: 'e1', eventType: 7 }), 400, 'invalid_type')
})

test('an event is known by its own signature, sealed where it is about people, and read as it came', async () => {
  await using subscriber = await world.subscriber()
  const externalUserId = await subscriber.user()
  const [user] = await world.rows<{ id: string }>`select id from end_users where external_user_id = ${externalUserId}`
  const event = { eventId: freshEventId(), eventType: 'USER.CREATE', userId: user?.id, name: 'Nameless-Of-Nowhere' }
  assertError(await post(event, { 'x-other-signature': 'wrong' }), 401, 'webhook_signature_invalid')
  assert.equal((await post(event)).status, 200)
  const [stored] = await world.rows<{ trust: string; isSealed: boolean }>`
    select trust, get_byte(body, 0) = 1 as is_sealed from events where provider_event_id = ${event.eventId}`
  assert.deepEqual(stored, { trust: 'verified', isSealed: true })
  const [shown] = (await subscriber.call('GET', '/v0/events?eventType=USER.CREATE')).body.data
  assert.deepEqual(shown.payload, event)
})

test('a subscription is warned by the types that the provider sends', async () => {
  const { call } = callerOf(replica.url, world.business.apiKey)
  const endpoint = { webhookUrl: world.inboxUrl, eventTypes: ['USER.CREATE', 'USER.*', 'customer.updated'] }
  const { warnings } = (await call('POST', '/v0/webhook-endpoints', endpoint)).body.data
  assert.deepEqual(
    warnings.map(({ param }: { param: string }) => param),
    ['eventTypes.2'],
  )
})
