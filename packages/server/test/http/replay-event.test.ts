// POST /v0/events/{id}/replay

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { sequencesOf } from '../receiver.ts'
import { lastHour, settled } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

async function eventOf(subscriber: Subscriber): Promise<string> {
  await world.post(subscriber.event())
  await settled(subscriber, 'delivered', 1)
  return (await subscriber.call('GET', '/v0/events?eventType=test.happened&limit=1')).body.data[0].id
}

const replay = (id: string, { apiKey: key }: Subscriber, body?: object) =>
  call('POST', `/v0/events/${id}/replay`, body, { key })

test('200 every endpoint that wants the type gets it: again, or for the first time with its next number', async () => {
  await using subscriber = await world.subscriber()
  const id = await eventOf(subscriber)
  await using newer = await subscriber.endpoint()
  await using other = await subscriber.endpoint({ eventTypes: ['end_user.*'] })
  const { data } = (await replay(id, subscriber)).body
  assert.equal(data.length, 2)
  await until('both', () => subscriber.receiver.seen.length === 2 && newer.receiver.seen.length === 1)
  assert.deepEqual(sequencesOf(subscriber.receiver), [1, 1])
  assert.deepEqual(sequencesOf(newer.receiver), [1])
  assert.equal(other.receiver.seen.length, 0)
})

test('200 the one endpoint that is named gets it, whatever it subscribes to', async () => {
  await using subscriber = await world.subscriber()
  const id = await eventOf(subscriber)
  await using other = await subscriber.endpoint({ eventTypes: ['end_user.*'] })
  const { data } = (await replay(id, subscriber, { webhookEndpointId: other.id })).body
  assert.deepEqual(
    data.map(({ webhookEndpointId }: { webhookEndpointId: string }) => webhookEndpointId),
    [other.id],
  )
  await until('the event', () => other.receiver.seen.length === 1)
  assert.equal(subscriber.receiver.seen.length, 1)
})

test('200 readers of the stream are told, endpoints are not, and neither is told of that again', async () => {
  await using subscriber = await world.subscriber()
  const id = await eventOf(subscriber)
  await using newer = await subscriber.endpoint()
  await replay(id, subscriber, { webhookEndpointId: newer.id })
  const { data } = (await subscriber.call('GET', '/v0/events?wait=0&limit=100')).body
  const told = data.at(-1)
  const payload = { eventId: id, eventType: 'test.happened', webhookEndpointId: newer.id }
  assert.deepEqual(
    [told.eventType, told.source, told.test, told.externalUserId, told.payload.data],
    ['event.resent', 'causeway', false, subscriber.externalUserId, payload],
  )
  assert.deepEqual((await subscriber.call('GET', `/v0/events/${told.id}/deliveries`)).body.data, [])
  const { endpoints } = (await subscriber.call('GET', `/v0/events/${told.id}/explain`)).body.data
  assert.deepEqual(
    endpoints.map(({ code }: { code: string }) => code),
    ['not_addressed', 'not_addressed'],
  )
  assert.deepEqual((await replay(told.id, subscriber)).body.data, [])
  const range = { ...lastHour(), status: 'all' }
  const begun = (await subscriber.call('POST', `/v0/webhook-endpoints/${newer.id}/replay`, range)).body.data
  await until('the end of the replay', async () => {
    const { state } = (await subscriber.call('GET', `/v0/replays/${begun.id}`)).body.data
    return state === 'done'
  })
  const types = (await subscriber.call('GET', '/v0/deliveries?limit=100')).body.data.map(
    ({ eventType }: { eventType: string }) => eventType,
  )
  assert.ok(types.includes('test.happened') && !types.includes('event.resent'), types.join(' '))
})

test('200 with nobody who wants it nothing is sent, and the answer is empty', async () => {
  await using subscriber = await world.subscriber()
  const id = await eventOf(subscriber)
  await subscriber.call('DELETE', '/v0/webhook-url')
  assert.deepEqual((await replay(id, subscriber)).body.data, [])
})

test('404 an event or an endpoint of another business reads exactly as one that is not there', async () => {
  await using subscriber = await world.subscriber()
  await using stranger = await world.subscriber()
  const id = await eventOf(subscriber)
  const foreign = await replay(id, stranger)
  assertError(foreign, 404, 'event_not_found')
  assertSameAnswer(foreign, await replay('evt_absent', stranger))
  const endpointOf = async ({ call: of }: Subscriber) => (await of('GET', '/v0/webhook-url')).body.data.id
  const elsewhere = await replay(id, subscriber, { webhookEndpointId: await endpointOf(stranger) })
  assertError(elsewhere, 404, 'webhook_endpoint_not_found')
  assertSameAnswer(elsewhere, await replay(id, subscriber, { webhookEndpointId: 'whe_absent' }))
})
