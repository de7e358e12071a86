// POST /v0/deliveries/{id}/retry

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.05' } })
after(() => world.stop())
const { call } = world.business

async function deliveryOf(subscriber: Subscriber): Promise<string> {
  await world.post(subscriber.event())
  const { data: events } = (await subscriber.call('GET', '/v0/events?eventType=test.happened&limit=1')).body
  return (await subscriber.call('GET', `/v0/events/${events[0].id}/deliveries`)).body.data[0].id
}

const retry = (id: string, { apiKey: key }: Subscriber) =>
  call('POST', `/v0/deliveries/${id}/retry`, undefined, { key })

const reached = (id: string, status: string, { apiKey: key }: Subscriber, attempts = 0) =>
  until(status, async () => {
    const { data } = (await call('GET', `/v0/deliveries/${id}`, undefined, { key })).body
    return data.status === status && data.attemptCount >= attempts && data
  })

test('200 a delivered one arrives again, with the same id, sequence and webhook-id', async () => {
  await using subscriber = await world.subscriber()
  const { receiver } = subscriber
  const id = await deliveryOf(subscriber)
  const before = await reached(id, 'delivered', subscriber)
  const answer = await retry(id, subscriber)
  assert.deepEqual([answer.body.data.id, answer.body.data.status], [id, 'retrying'])
  await until('the second copy', () => receiver.seen.length === 2)
  const [first, second] = receiver.seen
  for (const name of ['webhook-id', 'svc-sequence', 'svc-event-type'])
    assert.equal(first?.headers[name], second?.headers[name])
  assert.deepEqual([first?.headers['svc-attempt'], second?.headers['svc-attempt']], ['1', '2'])
  assert.ok(second?.body.equals(first?.body ?? Buffer.alloc(0)))
  const after = await reached(id, 'delivered', subscriber, 2)
  const [told] = (await subscriber.call('GET', '/v0/events?eventType=event.resent')).body.data
  const { eventId, webhookEndpointId } = before
  assert.deepEqual(told.payload.data, { eventId, eventType: 'test.happened', webhookEndpointId })
  assert.deepEqual(
    { ...after, attemptCount: 1, finishedAt: '', attempts: [] },
    { ...before, finishedAt: '', attempts: [] },
  )
})

test('200 an exhausted one gets its whole schedule again', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const id = await deliveryOf(subscriber)
  await reached(id, 'exhausted', subscriber, 2)
  await retry(id, subscriber)
  const { attempts } = await reached(id, 'exhausted', subscriber, 4)
  assert.deepEqual(
    attempts.map(({ attempt }: { attempt: number }) => attempt),
    [1, 2, 3, 4],
  )
})

test('200 one that waits for its next attempt is due at once', async () => {
  await using subscriber = await world.subscriber(() => ({ status: 503, headers: { 'retry-after': '3600' } }))
  const { receiver } = subscriber
  const id = await deliveryOf(subscriber)
  await reached(id, 'retrying', subscriber)
  receiver.reply = () => 200
  await retry(id, subscriber)
  await reached(id, 'delivered', subscriber, 2)
})

test('200 one for a paused endpoint waits for it', async () => {
  await using subscriber = await world.subscriber()
  const id = await deliveryOf(subscriber)
  await reached(id, 'delivered', subscriber)
  const { data: endpoint } = (await subscriber.call('GET', '/v0/webhook-url')).body
  const path = `/v0/webhook-endpoints/${endpoint.id}`
  await subscriber.call('PATCH', path, { status: 'paused' })
  assert.equal((await retry(id, subscriber)).body.data.status, 'retrying')
  await world.post(subscriber.event())
  assert.equal(subscriber.receiver.seen.length, 1)
  await subscriber.call('PATCH', path, { status: 'enabled' })
  await until('both', () => subscriber.receiver.seen.length === 3)
  await reached(id, 'delivered', subscriber, 2)
})

test('200 asked for by many at once it is sent again once', async () => {
  await using subscriber = await world.subscriber()
  const id = await deliveryOf(subscriber)
  await reached(id, 'delivered', subscriber)
  // Nothing can be sent before all have asked.
  const { data: endpoint } = (await subscriber.call('GET', '/v0/webhook-url')).body
  const path = `/v0/webhook-endpoints/${endpoint.id}`
  await subscriber.call('PATCH', path, { status: 'paused' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => retry(id, subscriber)))
  assert.deepEqual(new Set(answers.map(({ body }) => body.data.id)), new Set([id]))
  await subscriber.call('PATCH', path, { status: 'enabled' })
  await world.post(subscriber.event())
  await until('what was asked for, and an event after it', () => subscriber.receiver.seen.length >= 3)
  await reached(id, 'delivered', subscriber, 2)
  assert.equal(subscriber.receiver.seen.length, 3)
})

test('409 a delivery to an endpoint that was deleted', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  await world.post(subscriber.event())
  const id = await until('the delivery', async () => {
    const { data: events } = (await subscriber.call('GET', '/v0/events?eventType=test.happened')).body
    const { data } = (await subscriber.call('GET', `/v0/events/${events[0].id}/deliveries`)).body
    return data.find(({ webhookEndpointId }: { webhookEndpointId: string }) => webhookEndpointId === endpoint.id)?.id
  })
  await reached(id, 'delivered', subscriber)
  await subscriber.call('DELETE', `/v0/webhook-endpoints/${endpoint.id}`)
  assertError(await retry(id, subscriber), 409, 'webhook_endpoint_deleted')
})
