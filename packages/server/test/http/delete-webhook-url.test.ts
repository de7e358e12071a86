// DELETE /v0/webhook-url

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.1,0.1' } })
after(() => world.stop())
const { call } = world.business

test('200 the URL is gone, its waiting deliveries end, and its events can still be read', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const { apiKey: key, receiver } = subscriber
  const event = subscriber.event()
  await world.post(event)
  await until('a first attempt', () => receiver.seen.length > 0)
  const answer = await call('DELETE', '/v0/webhook-url', undefined, { key })
  assert.deepEqual(answer.body, { data: { deleted: true } })
  assertError(await call('GET', '/v0/webhook-url', undefined, { key }), 404, 'webhook_url_not_set')
  const list = await call('GET', '/v0/events', undefined, { key })
  const { id, providerEventId } = list.body.data[0]
  assert.equal(providerEventId, event.event_id)
  const [delivery] = (await call('GET', `/v0/events/${id}/deliveries`, undefined, { key })).body.data
  assert.deepEqual([delivery.status, delivery.nextAttemptAt], ['cancelled', null])
  const later = await world.post(subscriber.event())
  assert.match(later.body.data.message, /no webhook URL is configured/)
})

test('200 a URL set afterwards is a new endpoint with a new secret, and counts from 1', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key, receiver } = subscriber
  await world.post(subscriber.event())
  await call('DELETE', '/v0/webhook-url', undefined, { key })
  const set = await call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url }, { key })
  assert.notEqual(set.body.data.signingSecret, subscriber.secret)
  const event = subscriber.event()
  await world.post(event)
  const received = await until('the delivery', () => receiver.seen.find(({ body }) => body.includes(event.event_id)))
  assert.equal(received.headers['svc-sequence'], '1')
})

test('400 an Idempotency-Key of no acceptable form is refused, and nothing is removed', async () => {
  const headers = { 'idempotency-key': 'x'.repeat(256) }
  assertError(await call('DELETE', '/v0/webhook-url', undefined, { headers }), 400, 'invalid_header')
  assert.equal((await call('GET', '/v0/webhook-url')).status, 200)
})

test('404 there is none to remove, nor is another business’s removed', async () => {
  const { apiKey: key } = await world.otherBusiness()
  assertError(await call('DELETE', '/v0/webhook-url', undefined, { key }), 404, 'webhook_url_not_set')
  assert.equal((await call('GET', '/v0/webhook-url')).status, 200)
})
