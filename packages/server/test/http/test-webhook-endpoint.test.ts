// POST /v0/webhook-endpoints/{id}/test

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { businessEventExample } from '../../../../scripts/business-events.ts'
import { businessEventTypes } from '../../src/events/catalogue.rules.ts'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const pathOf = (id: string) => `/v0/webhook-endpoints/${id}/test`

test('200 the event arrives at this endpoint alone, though it did not subscribe to it; its ids are told', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key } = subscriber
  await using endpoint = await subscriber.endpoint({ eventTypes: ['nothing.at_all'] })
  const { eventId, deliveryId } = (await call('POST', pathOf(endpoint.id), undefined, { key })).body.data
  const [received] = await until('the event', () => endpoint.receiver.seen.length > 0 && endpoint.receiver.seen)
  const { event_id, event_type, data } = JSON.parse(received?.body.toString() ?? '')
  assert.deepEqual([event_id, event_type, data.id], [eventId, 'webhook_endpoint.test', endpoint.id])
  const delivery = await until('the record', async () => {
    const shown = (await call('GET', `/v0/deliveries/${deliveryId}`, undefined, { key })).body.data
    return shown.status === 'delivered' && shown
  })
  assert.deepEqual([delivery.eventId, delivery.webhookEndpointId], [eventId, endpoint.id])
  const deliveries = await call('GET', `/v0/events/${eventId}/deliveries`, undefined, { key })
  assert.equal(deliveries.body.data.length, 1)
  assert.equal(subscriber.receiver.seen.length, 0)
})

test('200 every type that there is, with the example of the catalogue, marked as a test', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key } = subscriber
  await using endpoint = await subscriber.endpoint({ eventTypes: ['nothing.at_all'] })
  for (const eventType of businessEventTypes) {
    const { eventId } = (await call('POST', pathOf(endpoint.id), { eventType }, { key })).body.data
    const received = await until('the event', () =>
      endpoint.receiver.seen.find(({ body }) => JSON.parse(body.toString()).event_id === eventId),
    )
    const { created_at, data, ...envelope } = JSON.parse(received.body.toString())
    assert.deepEqual(envelope, { event_id: eventId, event_type: eventType, api_version: 'v0', test: true })
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    if (eventType === 'webhook_endpoint.test') assert.equal(data.id, endpoint.id)
    else assert.deepEqual(data, businessEventExample(eventType).data)
    const shown = (await call('GET', `/v0/events/${eventId}`, undefined, { key })).body.data
    assert.deepEqual([shown.eventType, shown.test, shown.source, shown.verified], [eventType, true, 'causeway', true])
  }
  assert.equal(subscriber.receiver.seen.length, 0)
})

test('200 sent again it goes to the endpoint that was tested, and to no other', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const { eventId } = (
    await subscriber.call('POST', pathOf(endpoint.id), { eventType: 'virtual_account.payment.received' })
  ).body.data
  await until('the event', () => endpoint.receiver.seen.length === 1)
  // Until its outcome is stored, it waits for its first attempt, and is not sent twice.
  await until('its outcome', async () => {
    const { data } = (await subscriber.call('GET', `/v0/events/${eventId}/deliveries`)).body
    return data[0].status === 'delivered'
  })
  const again = (await subscriber.call('POST', `/v0/events/${eventId}/replay`, {})).body.data
  assert.deepEqual(
    again.map(({ webhookEndpointId }: { webhookEndpointId: string }) => webhookEndpointId),
    [endpoint.id],
  )
  await until('it again', () => endpoint.receiver.seen.length === 2)
  assert.equal(subscriber.receiver.seen.length, 0)
})

test('400 a type that no event of ours has', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const { apiKey: key } = subscriber
  const answer = await call('POST', pathOf(endpoint.id), { eventType: 'customer.updated' }, { key })
  assertError(answer, 400, 'invalid_value', { param: 'eventType' })
})

test('200 a paused endpoint keeps it until it goes on', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key } = subscriber
  await using endpoint = await subscriber.endpoint()
  await endpoint.change({ status: 'paused' })
  const { deliveryId } = (await call('POST', pathOf(endpoint.id), undefined, { key })).body.data
  const shown = await call('GET', `/v0/deliveries/${deliveryId}`, undefined, { key })
  assert.deepEqual([shown.body.data.status, shown.body.data.attemptCount], ['pending', 0])
  await endpoint.change({ status: 'enabled' })
  await until('the event', () => endpoint.receiver.seen.length === 1)
})

test("404 an absent one, and another business's byte for byte the same; nothing is sent", async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const { apiKey: key } = await world.otherBusiness()
  const absent = await call('POST', pathOf('whe_00000000000000000000000000'), undefined, { key })
  assertError(absent, 404, 'webhook_endpoint_not_found')
  assertSameAnswer(await call('POST', pathOf(endpoint.id), undefined, { key }), absent)
  assert.equal((await endpoint.read()).sequence, 0)
  assert.deepEqual((await call('GET', '/v0/events', undefined, { key })).body.data, [])
})
