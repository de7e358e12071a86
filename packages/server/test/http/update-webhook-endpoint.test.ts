// PATCH /v0/webhook-endpoints/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { openReceiver, sequencesOf } from '../receiver.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.2,0.2,60' } })
after(() => world.stop())
const { call } = world.business
const url = 'https://hooks.example.com/in'

async function newEndpoint(): Promise<{
  shown: Record<string, unknown>
  key: string
  change: (body: unknown) => ReturnType<typeof call>
}> {
  const { apiKey: key } = await world.otherBusiness()
  const made = await call('POST', '/v0/webhook-endpoints', { webhookUrl: url, description: 'one' }, { key })
  const { signingSecret: _, ...shown } = made.body.data
  return { shown, key, change: (body) => call('PATCH', `/v0/webhook-endpoints/${shown['id']}`, body, { key }) }
}

test('200 what is named is changed, the rest stays', async () => {
  const { shown, change } = await newEndpoint()
  for (const body of [
    { description: 'two' },
    { description: null },
    { eventTypes: ['end_user.*', 'customer.created'] },
    { ordering: 'per_end_user' },
    { webhookUrl: 'https://hooks.example.com/other' },
    { status: 'paused' },
    { status: 'paused', description: 'three' },
    { status: 'enabled' },
    { status: 'enabled', ordering: 'best_effort', eventTypes: ['*'] },
  ]) {
    const { data } = (await change(body)).body
    Object.assign(shown, body, { updatedAt: data.updatedAt })
    assert.deepEqual(data, shown)
  }
})

test('200 paused, it keeps what it gets while others go on, and resumed it is sent that, numbered without a gap', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  await world.post(subscriber.event())
  await until('the first', () => endpoint.receiver.seen.length === 1)
  await endpoint.change({ status: 'paused' })
  for (let index = 0; index < 3; index++) await world.post(subscriber.event())
  await until('what the other gets', () => subscriber.receiver.seen.length === 4)
  assert.equal(endpoint.receiver.seen.length, 1)
  await endpoint.change({ status: 'enabled' })
  await until('what was kept', () => endpoint.receiver.seen.length === 4)
  assert.deepEqual(sequencesOf(endpoint.receiver), [1, 2, 3, 4])
})

test('200 other event types count for events from then on', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint({ eventTypes: ['a.*'] })
  await endpoint.change({ status: 'paused' })
  await world.post(subscriber.event({ event_type: 'a.first' }))
  await endpoint.change({ eventTypes: ['b.*'] })
  await world.post(subscriber.event({ event_type: 'a.second' }))
  await world.post(subscriber.event({ event_type: 'b.third' }))
  await endpoint.change({ status: 'enabled' })
  const { seen } = await until('both', () => endpoint.receiver.seen.length >= 2 && endpoint.receiver)
  assert.deepEqual(
    seen.map(({ headers }) => headers['svc-event-type']),
    ['a.first', 'b.third'],
  )
})

test('200 with ordering per_end_user what waits already is held up as well, and with best_effort no more', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const { receiver } = endpoint
  receiver.reply = ({ body }) => (body.includes('poison') ? 500 : 200)
  await endpoint.change({ status: 'paused' })
  await world.post(subscriber.event({ note: 'poison' }))
  for (let index = 0; index < 3; index++) await world.post(subscriber.event())
  await endpoint.change({ ordering: 'per_end_user', status: 'enabled' })
  await until('a third attempt', () => receiver.seen.length >= 3)
  assert.deepEqual([...new Set(sequencesOf(receiver))], [1], 'three attempts of the first alone')
  await endpoint.change({ ordering: 'best_effort' })
  await until('the rest', () => new Set(sequencesOf(receiver)).size === 4)
})

test('200 moved, what waits goes to the new address at once, whatever the old one had done to be avoided', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint({}, () => 500)
  await using elsewhere = await openReceiver()
  await world.rows`update endpoint_lanes set failures = 50 where endpoint_id = ${endpoint.id}`
  const events = Array.from({ length: 5 }, () => subscriber.event())
  for (const event of events) await world.post(event)
  await until('a probe', () => endpoint.receiver.seen.length > 0)
  await endpoint.change({ webhookUrl: elsewhere.url })
  await until('all of them', () => new Set(sequencesOf(elsewhere)).size === events.length, 4_000)
})

test('400 nothing to change, a state that is not for the business to set, and what the endpoint could not be made with', async () => {
  const { shown, key, change } = await newEndpoint()
  for (const [body, code, param] of [
    [{ status: 'disabled' }, 'invalid_value', 'status'],
    [{ webhookUrl: 'http://example.com' }, 'invalid_webhook_url', 'webhookUrl'],
    [{ webhookUrl: null }, 'invalid_webhook_url', 'webhookUrl'],
    [{ eventTypes: [] }, 'invalid_length', 'eventTypes'],
    [{ eventTypes: null }, 'invalid_type', 'eventTypes'],
    [{ ordering: null }, 'invalid_type', 'ordering'],
    [{ isDefault: true }, 'unknown_field', 'isDefault'],
  ] as const) {
    assertError(await change(body), 400, code, { param })
  }
  assertError(await change({}), 400, 'invalid_length')
  const kept = await call('GET', `/v0/webhook-endpoints/${shown['id']}`, undefined, { key })
  assert.deepEqual(kept.body.data, shown)
})

test("404 an absent one, and another business's byte for byte the same, unchanged", async () => {
  const { shown, key } = await newEndpoint()
  const { apiKey } = await world.otherBusiness()
  const change = (id: unknown) =>
    call('PATCH', `/v0/webhook-endpoints/${id}`, { ordering: 'per_end_user' }, { key: apiKey })
  const absent = await change('whe_00000000000000000000000000')
  assertError(absent, 404, 'webhook_endpoint_not_found')
  assertSameAnswer(await change(shown['id']), absent)
  const kept = await call('GET', `/v0/webhook-endpoints/${shown['id']}`, undefined, { key })
  assert.deepEqual(kept.body.data, shown)
})
