// POST /v0/deliveries/retry

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { freshUserId } from '../people.ts'
import type { Receiver } from '../receiver.ts'
import { beginReplay, defaultEndpointOf, endOf, settled } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '3600' } })
after(() => world.stop())
const { call } = world.business

const retry = ({ apiKey: key }: Subscriber, filter: object) => call('POST', '/v0/deliveries/retry', { filter }, { key })

/** @returns the replays, when all have ended */
async function retried(subscriber: Subscriber, filter: object = {}) {
  const answer = await retry(subscriber, filter)
  assert.equal(answer.status, 200, answer.text)
  return await Promise.all(answer.body.data.replays.map(({ id }: { id: string }) => endOf(subscriber, id)))
}

const idsOf = ({ seen }: Receiver): string[] => seen.map(({ body }) => JSON.parse(body.toString()).event_id).toSorted()

/** Posts events, as if each of these receivers had then given them up. @returns the provider's ids */
async function failed(
  { id: customerId, event }: Subscriber,
  receivers: Receiver[],
  events: object[],
): Promise<string[]> {
  const sent = events.map((fields) => event({ ...fields }))
  for (const each of sent) await world.post(each)
  const ids = sent.map(({ event_id }) => event_id).toSorted()
  await until('all delivered', async () => {
    const rows = await world.rows`
        update finished_deliveries f set status = 'exhausted' from events e
        where e.business_id = ${customerId} and e.provider_event_id = any(${ids}::text[]) and f.event_id = e.id
        returning f.id`
    return rows.length === ids.length * receivers.length
  })
  for (const receiver of receivers) receiver.seen.length = 0
  return ids
}

async function failedCount({ id: customerId }: Subscriber): Promise<number> {
  const rows =
    await world.rows`select 1 from finished_deliveries where business_id = ${customerId} and status = 'exhausted'`
  return rows.length
}

const upTo = (count: number) => Array.from({ length: count }, () => ({}))

test('200 one replay for each endpoint that has failed deliveries, which sends all of them; then there is nothing more', async () => {
  await using subscriber = await world.subscriber()
  await using other = await subscriber.endpoint()
  await using _healthy = await subscriber.endpoint({ eventTypes: ['something.else'] })
  const sent = await failed(subscriber, [subscriber.receiver, other.receiver], upTo(3))
  const replays = await retried(subscriber)
  assert.deepEqual(
    new Set(replays.map(({ webhookEndpointId }) => webhookEndpointId)),
    new Set([await defaultEndpointOf(subscriber), other.id]),
  )
  for (const { state, status, eventTypes, matchedCount, queuedCount, skippedCount, percent, externalUserId } of replays)
    assert.deepEqual(
      { state, status, eventTypes, matchedCount, queuedCount, skippedCount, percent, externalUserId },
      {
        state: 'done',
        status: 'failed',
        eventTypes: ['*'],
        matchedCount: 3,
        queuedCount: 3,
        skippedCount: 0,
        percent: 100,
        externalUserId: null,
      },
    )
  for (const { receiver } of [subscriber, other]) {
    await until('all', () => receiver.seen.length === 3)
    assert.deepEqual(idsOf(receiver), sent)
  }
  await until('their outcomes', async () => (await failedCount(subscriber)) === 0)
  assert.deepEqual(await retried(subscriber), [])
})

test('200 what waits for its next attempt is due at once, beside what was given up, in order; a dry run only counts', async () => {
  await using subscriber = await world.subscriber()
  const sent: string[] = []
  for (const reply of [() => 503, () => ({ status: 500, headers: { 'svc-retry': 'stop' } }), () => 503]) {
    subscriber.receiver.reply = reply
    const event = subscriber.event()
    await world.post(event)
    sent.push(event.event_id)
    await until('the attempt', () => subscriber.receiver.seen.length === sent.length)
  }
  await settled(subscriber, 'retrying', 2)
  await settled(subscriber, 'exhausted', 1)
  const counted = await call('POST', '/v0/deliveries/retry', { filter: {}, dryRun: true }, { key: subscriber.apiKey })
  assert.deepEqual(counted.body.data, { deliveryCount: 3, replays: [] })
  subscriber.receiver.seen.length = 0
  subscriber.receiver.reply = () => 200
  const { data } = (await retry(subscriber, {})).body
  assert.deepEqual([data.deliveryCount, data.replays.length], [3, 1])
  await settled(subscriber, 'delivered', 3)
  assert.deepEqual(
    subscriber.receiver.seen.map(({ body }) => JSON.parse(body.toString()).event_id),
    sent,
  )
  const { queuedCount, skippedCount } = await endOf(subscriber, data.replays[0].id)
  assert.deepEqual([queuedCount, skippedCount], [3, 0])
})

test('200 a delivery that holds back later ones of its end-user still comes first', async () => {
  await using subscriber = await world.subscriber()
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${await defaultEndpointOf(subscriber)}`, {
    ordering: 'per_end_user',
  })
  subscriber.receiver.reply = () => 503
  const events = Array.from({ length: 3 }, () => subscriber.event())
  for (const event of events) await world.post(event)
  await settled(subscriber, 'retrying', 1)
  await settled(subscriber, 'pending', 2)
  subscriber.receiver.seen.length = 0
  subscriber.receiver.reply = () => 200
  assert.equal((await retry(subscriber, {})).body.data.deliveryCount, 1)
  await settled(subscriber, 'delivered', 3)
  assert.deepEqual(
    subscriber.receiver.seen.map(({ body }) => JSON.parse(body.toString()).event_id),
    events.map(({ event_id }) => event_id),
  )
})

test('200 by endpoint, type, end-user and time: only what fits', async () => {
  await using subscriber = await world.subscriber()
  await using other = await subscriber.endpoint()
  const name = freshUserId()
  await subscriber.call('POST', '/v0/end-users', { externalUserId: name })
  const both = [subscriber.receiver, other.receiver]
  const [ofOther = ''] = await failed(subscriber, both, [{ external_user_id: name, event_type: 'alpha.one' }])
  const [beta = ''] = await failed(subscriber, both, [{ event_type: 'beta.one' }])
  const counts = async (filter: object) =>
    (await retried(subscriber, filter)).map(({ queuedCount }) => queuedCount).toSorted()
  assert.deepEqual(await counts({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }), [0, 0])
  assert.deepEqual(await counts({ eventType: 'gamma.*' }), [0, 0])
  assert.deepEqual(await counts({ webhookEndpointId: other.id, eventType: 'beta.*' }), [1])
  await until('the one', () => other.receiver.seen.length === 1)
  assert.deepEqual([idsOf(other.receiver), idsOf(subscriber.receiver)], [[beta], []])
  const [replay] = await retried(subscriber, {
    externalUserId: name,
    webhookEndpointId: await defaultEndpointOf(subscriber),
    from: new Date(Date.now() - 3_600_000).toISOString(),
  })
  assert.deepEqual([replay.queuedCount, replay.externalUserId], [1, name])
  await until('the other', () => subscriber.receiver.seen.length === 1)
  assert.deepEqual(idsOf(subscriber.receiver), [ofOther])
})

test('200 sixteen at once on two replicas: each delivery is sent again once', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  const sent = await failed(subscriber, [subscriber.receiver], upTo(120))
  const urls = [world.url, replica.url]
  const answers = await Promise.all(
    Array.from({ length: 16 }, async (_, at) => {
      const answer = await fetch(`${urls[at % 2]}/v0/deliveries/retry`, {
        method: 'POST',
        headers: { authorization: `Bearer ${subscriber.apiKey}`, 'content-type': 'application/json' },
        body: '{"filter":{}}',
      })
      return { status: answer.status, body: (await answer.json()) as { data?: { replays: { id: string }[] } } }
    }),
  )
  assert.ok(answers.every(({ status }) => status === 200 || status === 409))
  const begun = answers.flatMap(({ body }) => body.data?.replays ?? [])
  const replays = await Promise.all(begun.map(({ id }) => endOf(subscriber, id)))
  assert.equal(
    replays.reduce((sum, { queuedCount }) => sum + queuedCount, 0),
    sent.length,
  )
  await until('all', () => subscriber.receiver.seen.length === sent.length)
  assert.deepEqual(idsOf(subscriber.receiver), sent)
})

test('400 a range that is too long or ends before it begins', async () => {
  await using subscriber = await world.subscriber()
  for (const filter of [
    { from: '2026-01-01T00:00:00Z', to: '2026-02-02T00:00:00Z' },
    { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' },
    { from: '2026-01-02T00:00:00Z' },
  ])
    assertError(await retry(subscriber, filter), 400, 'invalid_value', { param: 'filter.to' })
  assertError(await retry(subscriber, { eventTypes: 'a' }), 400, 'unknown_field', {
    message: /Did you mean `filter.eventType`/,
  })
})

test('404 an endpoint or an end-user that is absent, and another business’s byte for byte the same', async () => {
  await using subscriber = await world.subscriber()
  await using stranger = await world.subscriber()
  const absent = await retry(stranger, { webhookEndpointId: 'whe_00000000000000000000000000' })
  assertError(absent, 404, 'webhook_endpoint_not_found')
  assertSameAnswer(await retry(stranger, { webhookEndpointId: await defaultEndpointOf(subscriber) }), absent)
  const nobody = await retry(stranger, { externalUserId: 'nobody-here' })
  assertError(nobody, 404, 'holder_not_found')
  assertSameAnswer(await retry(stranger, { externalUserId: subscriber.externalUserId }), nobody)
})

test('409 while a replay runs for one of the endpoints: none begins', async () => {
  await using subscriber = await world.subscriber()
  await using other = await subscriber.endpoint()
  await failed(subscriber, [subscriber.receiver, other.receiver], upTo(1))
  const { id } = await beginReplay(subscriber, other.id, { status: 'missing' })
  await endOf(subscriber, id)
  await world.rows`update replays set due_at = 'infinity', state = 'running' where id = ${id} returning 1`
  assertError(await retry(subscriber, {}), 409, 'replay_in_progress', { resolution: new RegExp(other.id) })
  const { data } = (
    await subscriber.call('GET', `/v0/webhook-endpoints/${await defaultEndpointOf(subscriber)}/replays`)
  ).body
  assert.deepEqual(data, [])
})
