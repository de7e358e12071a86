// GET /v0/events/{id}/deliveries

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

const eventOf = async ({ apiKey: key }: Subscriber) =>
  (await call('GET', '/v0/events', undefined, { key })).body.data[0]

test('200 a delivered event shows one delivery to its endpoint', async () => {
  await using subscriber = await world.subscriber()
  const key = subscriber.apiKey
  await world.post(subscriber.event())
  const event = await eventOf(subscriber)
  const delivery = await until('the delivery', async () => {
    const { data } = (await call('GET', `/v0/events/${event.id}/deliveries`, undefined, { key })).body
    assert.equal(data.length, 1)
    return data[0].status === 'delivered' && data[0]
  })
  const endpoint = (await call('GET', '/v0/webhook-url', undefined, { key })).body.data
  const { id, createdAt, finishedAt, ...rest } = delivery
  assert.match(id, /^dlv_/)
  assert.ok(createdAt <= finishedAt)
  assert.deepEqual(rest, {
    eventId: event.id,
    webhookEndpointId: endpoint.id,
    sequence: 1,
    status: 'delivered',
    attemptCount: 1,
    lastOutcome: 'http_200',
    nextAttemptAt: null,
  })
})

test('200 a delivery that failed says when it is tried again', async () => {
  await using subscriber = await world.subscriber(() => 503)
  await world.post(subscriber.event())
  const event = await eventOf(subscriber)
  const delivery = await until('the failure', async () => {
    const answer = await call('GET', `/v0/events/${event.id}/deliveries`, undefined, { key: subscriber.apiKey })
    return answer.body.data[0].attemptCount === 1 && answer.body.data[0]
  })
  assert.equal(delivery.status, 'retrying')
  assert.equal(delivery.lastOutcome, 'http_503')
  assert.equal(delivery.finishedAt, null)
  const waitMs = Date.parse(delivery.nextAttemptAt) - Date.now()
  assert.ok(waitMs > 2_000 && waitMs <= 6_000, `the second attempt is 5 s ± 20 % after the first, not ${waitMs} ms`)
})

test('200 an event of a business without a webhook URL has no deliveries', async () => {
  const { apiKey: key, user: newUser } = await world.otherBusiness()
  await newUser()
  const [event] = (await call('GET', '/v0/events', undefined, { key })).body.data
  const answer = await call('GET', `/v0/events/${event.id}/deliveries`, undefined, { key })
  assert.deepEqual(answer.body, { data: [] })
})

test('400 an id that no event can have is refused', async () => {
  assertError(await call('GET', `/v0/events/${'x'.repeat(65)}/deliveries`), 400, 'invalid_path', { param: 'id' })
})
