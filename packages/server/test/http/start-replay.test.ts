// POST /v0/webhook-endpoints/{id}/replay

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { sequencesOf } from '../receiver.ts'
import { beginReplay, defaultEndpointOf, endOf, lastHour, settled } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.01' } })
after(() => world.stop())
const { call } = world.business

const start = ({ apiKey: key }: Subscriber, endpointId: string, body: object) =>
  call('POST', `/v0/webhook-endpoints/${endpointId}/replay`, body, { key })

/** Posts so many events, and waits for the first attempts of all. */
async function events(subscriber: Subscriber, count: number, type = 'test.happened'): Promise<string[]> {
  const before = subscriber.receiver.seen.length
  const sent = Array.from({ length: count }, () => subscriber.event({ event_type: type }))
  for (const event of sent) await world.post(event)
  await until('all', () => subscriber.receiver.seen.length >= before + count)
  return sent.map(({ event_id }) => event_id)
}

const idsOf = ({ receiver }: { receiver: { seen: { body: Buffer }[] } }, from = 0): string[] =>
  receiver.seen.slice(from).map(({ body }) => JSON.parse(body.toString()).event_id)

test('200 a new endpoint gets what came before it, in the order of the stream, and counts are told', async () => {
  await using subscriber = await world.subscriber()
  const sent = await events(subscriber, 5)
  await using newer = await subscriber.endpoint()
  const answer = await start(subscriber, newer.id, { ...lastHour(), eventTypes: ['test.*'] })
  const { id, state, status, eventTypes, webhookEndpointId } = answer.body.data
  assert.match(id, /^rpl_/)
  assert.deepEqual(
    { state, status, eventTypes, webhookEndpointId },
    { state: 'running', status: 'undelivered', eventTypes: ['test.*'], webhookEndpointId: newer.id },
  )
  const ended = await endOf(subscriber, id)
  const { matchedCount, queuedCount, skippedCount, percent, error } = ended
  assert.deepEqual(
    { state: ended.state, matchedCount, queuedCount, skippedCount, percent, error },
    { state: 'done', matchedCount: 5, queuedCount: 5, skippedCount: 0, percent: 100, error: null },
  )
  await until('all', () => newer.receiver.seen.length === 5)
  assert.deepEqual(idsOf(newer), sent)
  assert.deepEqual(sequencesOf(newer.receiver), [1, 2, 3, 4, 5])
})

test('200 by default what was given up or never meant for it, each with its own number; what was delivered is skipped', async () => {
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  const [good] = await events(subscriber, 1)
  subscriber.receiver.reply = () => 500
  const bad = await events(subscriber, 2)
  await settled(subscriber, 'exhausted', 2)
  await settled(subscriber, 'delivered', 1)
  subscriber.receiver.reply = () => 200
  const before = subscriber.receiver.seen.length
  const { id } = await beginReplay(subscriber, endpointId, { eventTypes: ['test.happened'] })
  const { queuedCount, skippedCount } = await endOf(subscriber, id)
  assert.deepEqual([queuedCount, skippedCount], [2, 1])
  await until('both', () => subscriber.receiver.seen.length === before + 2)
  assert.deepEqual(idsOf(subscriber, before).toSorted(), bad.toSorted())
  assert.deepEqual(sequencesOf(subscriber.receiver).slice(before).toSorted(), [2, 3])
  await settled(subscriber, 'delivered', 3)
  const again = await beginReplay(subscriber, endpointId, { eventTypes: ['test.happened'], status: 'delivered' })
  assert.equal((await endOf(subscriber, again.id)).queuedCount, 3)
  await until('all three', () => subscriber.receiver.seen.length === before + 5)
  assert.deepEqual(idsOf(subscriber, before + 2).toSorted(), [good, ...bad].toSorted())
})

test('200 what waits already is not queued twice', async () => {
  await using subscriber = await world.subscriber()
  await using paused = await subscriber.endpoint()
  await paused.change({ status: 'paused' })
  await events(subscriber, 3)
  const { id } = await beginReplay(subscriber, paused.id, { eventTypes: ['test.*'], status: 'all' })
  const { matchedCount, queuedCount, skippedCount } = await endOf(subscriber, id)
  assert.deepEqual([matchedCount, queuedCount, skippedCount], [3, 0, 3])
  await paused.change({ status: 'enabled' })
  await until('all', () => paused.receiver.seen.length === 3)
})

test('200 without eventTypes those that the endpoint subscribes to, and only from the range', async () => {
  await using subscriber = await world.subscriber()
  await events(subscriber, 2, 'alpha.one')
  await events(subscriber, 2, 'beta.one')
  await using newer = await subscriber.endpoint({ eventTypes: ['beta.*'] })
  const { id } = await beginReplay(subscriber, newer.id)
  assert.equal((await endOf(subscriber, id)).queuedCount, 2)
  const range = { from: '2020-01-01T00:00:00Z', to: '2020-01-31T00:00:00Z' }
  const past = await beginReplay(subscriber, newer.id, range)
  assert.equal((await endOf(subscriber, past.id)).matchedCount, 0)
})

test('200 a test event, which was meant for one endpoint alone, is not brought to another', async () => {
  await using subscriber = await world.subscriber()
  await using newer = await subscriber.endpoint()
  await subscriber.call('POST', `/v0/webhook-endpoints/${await defaultEndpointOf(subscriber)}/test`)
  const { id } = await beginReplay(subscriber, newer.id, { eventTypes: ['webhook_endpoint.test'] })
  const { matchedCount, queuedCount } = await endOf(subscriber, id)
  assert.deepEqual([matchedCount, queuedCount], [1, 0])
})

test('400 a range that ends before it begins, is too long, or is no time', async () => {
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  for (const [from, to, param, code] of [
    ['2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z', 'to', 'invalid_value'],
    ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', 'to', 'invalid_value'],
    ['2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z', 'to', 'invalid_value'],
    ['1969-12-31T00:00:00Z', '1970-01-02T00:00:00Z', 'from', 'invalid_value'],
    ['yesterday', '2026-01-01T00:00:00Z', 'from', 'invalid_format'],
  ] as const) {
    assertError(await start(subscriber, endpointId, { from, to }), 400, code, { param })
  }
  assertError(await start(subscriber, endpointId, { ...lastHour(), eventTypes: ['a*b'] }), 400, 'invalid_format')
  assertError(await start(subscriber, endpointId, { ...lastHour(), status: 'some' }), 400, 'invalid_value')
})

test('409 while one runs for the endpoint; when it has ended another may begin', async () => {
  const running = `rpl_${'0'.repeat(26)}`
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  await world.rows`
      insert into replays (business_id, id, endpoint_id, range_from, range_to, event_types, wanted, first_position,
        last_position, position, due_at)
      values (${subscriber.id}, ${running}, ${endpointId}, now(), now(), '{*}', 'all', 0, 1, 0, 'infinity')`
  assertError(await start(subscriber, endpointId, lastHour()), 409, 'replay_in_progress', {
    resolution: new RegExp(endpointId),
  })
  assert.equal((await subscriber.call('POST', `/v0/replays/${running}/cancel`)).body.data.state, 'cancelled')
  await beginReplay(subscriber, endpointId)
})
