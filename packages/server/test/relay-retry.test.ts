// A delivery that is asked for again while the relay is at it: nothing is lost, and no attempt is made twice.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Outcome, writeOutcomes } from '../src/webhooks/delivery/outcomes.store.ts'
import { expedite } from '../src/webhooks/replay/store.ts'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import { defaultEndpointOf } from './replay.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.05' } })
after(() => world.stop())

const attemptsAt = ({ receiver }: Subscriber): string[] =>
  receiver.seen.map(({ headers }) => `${headers['webhook-id']} ${headers['svc-attempt']}`)

async function deliveriesOf(subscriber: Subscriber): Promise<{ id: string; status: string; attemptCount: number }[]> {
  const { data: events } = (await subscriber.call('GET', '/v0/events?eventType=test.happened&limit=100')).body
  const lists = await Promise.all(
    events.map(({ id }: { id: string }) => subscriber.call('GET', `/v0/events/${id}/deliveries`)),
  )
  return lists.flatMap(({ body }) => body.data)
}

test('asked for while its last attempt is under way, which then fails: it is sent again at once, its schedule begun anew', async () => {
  let answer: () => void = () => {}
  await using subscriber = await world.subscriber(({ headers }) =>
    headers['svc-attempt'] === '2'
      ? (_request, response) => {
          answer = () => response.writeHead(500).end()
        }
      : 500,
  )
  await world.post(subscriber.event())
  await until('the last attempt', () => subscriber.receiver.seen.length === 2)
  const [delivery] = await deliveriesOf(subscriber)
  assert.equal((await subscriber.call('POST', `/v0/deliveries/${delivery?.id}/retry`)).body.data.status, 'retrying')
  answer()
  const ended = await until('the end', async () => {
    const [found] = await deliveriesOf(subscriber)
    return found?.status === 'exhausted' && found
  })
  assert.equal(ended.attemptCount, 4)
  assert.deepEqual(
    attemptsAt(subscriber).map((line) => line.at(-1)),
    ['1', '2', '3', '4'],
  )
})

test('asked for again and again while outcomes are being written: no attempt is made twice, none goes uncounted', async () => {
  // Never many failures in a row: by chance ten of them would open the breaker, which probes after five seconds at the earliest.
  let failures = 0
  await using subscriber = await world.subscriber(() => {
    failures = failures < 3 && Math.random() < 0.5 ? failures + 1 : 0
    return failures > 0 ? 500 : 200
  })
  const events = Array.from({ length: 20 }, () => subscriber.event())
  await Promise.all(events.map((event) => world.post(event)))
  const ids = (await deliveriesOf(subscriber)).map(({ id }) => id)
  assert.equal(ids.length, events.length)
  for (let round = 0; round < 6; round++)
    await Promise.all(ids.map((id) => subscriber.call('POST', `/v0/deliveries/${id}/retry`)))
  const ended = await until('the end of all', async () => {
    const found = await deliveriesOf(subscriber)
    return found.every(({ status }) => !['pending', 'retrying'].includes(status)) && found
  })
  const attempts = attemptsAt(subscriber)
  assert.equal(new Set(attempts).size, attempts.length, 'an attempt was made twice')
  assert.equal(
    ended.reduce((sum, { attemptCount }) => sum + attemptCount, 0),
    attempts.length,
  )
  const rows = await world.rows`
      select id, attempts from finished_deliveries where id = any(${ids}::text[]) and started_at is not null
      union select delivery_id, attempt from delivery_attempts where delivery_id = any(${ids}::text[])`
  assert.equal(rows.length, attempts.length)
})

test('asked for in the very moment in which its last outcome is written: it is due at once, and the attempt is counted', async () => {
  await using subscriber = await world.subscriber()
  const { db } = world.inside
  const endpointId = await defaultEndpointOf(subscriber)
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${endpointId}`, { status: 'paused' })
  await world.post(subscriber.event())
  const [delivery] = await deliveriesOf(subscriber)
  assert.ok(delivery)
  // As its holder would have it, whose last attempt is under way.
  const fence = await db.transaction(async (tx) => {
    await tx`update deliveries set attempts = 1, next_attempt_at = now() where id = ${delivery.id}`
    const rows = await tx<{ fence: number }[]>`
      update endpoint_lanes set owner = 'holder', fence = fence + 1 where endpoint_id = ${endpointId} returning fence`
    return rows[0]?.fence ?? 0
  })
  const outcome: Outcome = {
    endpointId,
    fence,
    sequence: 1,
    attempts: 1,
    attemptsBefore: 0,
    status: 'exhausted',
    retryInMs: null,
    outcome: 'http_500',
    httpStatus: 500,
    responseBody: '',
    responseHeaders: null,
    responseSealed: null,
    sentAs: null,
    detail: null,
    durationMs: 1,
    startedAt: new Date(),
  }
  const writing = await db.transaction(async (tx) => {
    assert.ok(await expedite(tx, subscriber.id, delivery.id))
    const settled = db.statement((query) => writeOutcomes(query, 'holder', [outcome]))
    await until('the writer to wait for us', async () => {
      const rows = await world.rows`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return rows.length === 1
    })
    return { settled }
  })
  const [retryInMs, ...others] = (await writing.settled).values()
  assert.deepEqual(others, [])
  assert.ok(typeof retryInMs === 'number' && Math.abs(retryInMs) <= 1, `${retryInMs} ms`)
  const rows = await world.rows`
      select attempts, attempts_before, next_attempt_at <= now() as is_due from deliveries where id = ${delivery.id}`
  assert.deepEqual(rows, [{ attempts: 2, attemptsBefore: 2, isDue: true }])
})

test('a retry comes at its time, however slow the attempt was that failed', async () => {
  await using subscriber = await world.subscriber(({ headers }) =>
    headers['svc-attempt'] === '1'
      ? (_request, response) => void setTimeout(() => response.writeHead(500).end(), 800)
      : 200,
  )
  await world.post(subscriber.event())
  await until('the retry', () => subscriber.receiver.seen.length === 2, 5_000)
})

test('per_end_user: what is sent again on demand holds nothing up, and waits for nothing', async () => {
  const refused = new Set<string>()
  const later = { status: 503, headers: { 'retry-after': '3600' } }
  await using subscriber = await world.subscriber(({ body }) =>
    refused.has(JSON.parse(body.toString()).event_id) ? later : 200,
  )
  const endpointId = await defaultEndpointOf(subscriber)
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${endpointId}`, { ordering: 'per_end_user' })
  const old = subscriber.event()
  await world.post(old)
  const [delivery] = await until('the delivery', async () => {
    const found = await deliveriesOf(subscriber)
    return found[0]?.status === 'delivered' && found
  })
  refused.add(old.event_id)
  await subscriber.call('POST', `/v0/deliveries/${delivery?.id}/retry`)
  await until('its failure', () => subscriber.receiver.seen.length >= 2)
  const newer = Array.from({ length: 3 }, () => subscriber.event())
  for (const event of newer) await world.post(event)
  const idOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).event_id
  await until('the newer ones', () =>
    newer.every((event) => subscriber.receiver.seen.some((seen) => idOf(seen) === event.event_id)),
  )
  await until('their end', async () => {
    const found = await deliveriesOf(subscriber)
    return found.filter(({ status }) => status === 'retrying').length === 1
  })
  const attempts = attemptsAt(subscriber)
  assert.equal(new Set(attempts).size, attempts.length, 'an attempt was made twice')
})
