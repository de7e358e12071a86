// History in weeks: made before they are needed, dropped when they are past their time, and nothing that still waits with
// them. Time is moved by the ids: an event whose id is of the past is an event of the past.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Running } from '../src/app/services.ts'
import { servicesOf } from '../src/app/services.ts'
import { insertRequests } from '../src/businesses/requests/store.ts'
import { ingestEvent } from '../src/events/ingest/ingest.ts'
import { findEvent } from '../src/events/store.ts'
import { keepHistory } from '../src/platform/postgres/partitions/jobs.ts'
import {
  idRange,
  listPartitions,
  makeWeeks,
  nameOf,
  weeksFrom,
} from '../src/platform/postgres/partitions/partitions.ts'
import { makeRequestId } from '../src/platform/values/ids.ts'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import { freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const deps = world.inside
const dayMs = 86_400_000

async function round(of: Running = deps): Promise<void> {
  for await (const _ of keepHistory(of));
}

const partitions = async (): Promise<string[]> => (await deps.db.read(listPartitions)).map(nameOf)

/** @returns the days since a Wednesday, so that events some hours apart are of one week, a few days more at most */
const midweek = (daysAgo: number): number => daysAgo + ((new Date(Date.now() - daysAgo * dayMs).getUTCDay() + 4) % 7)

/** Stores an event that came so many days ago. @returns its id */
async function pastEvent(
  daysAgo: number,
  event: object,
  { trust = 'verified', inDefault = false }: { trust?: 'verified' | 'unverified'; inDefault?: boolean } = {},
): Promise<string> {
  const thenMs = Date.now() - daysAgo * dayMs
  if (!inDefault) await makeWeeks(deps.db, weeksFrom(thenMs, 0))
  await ingestEvent(servicesOf(deps).ingests({ ...deps, now: () => thenMs }), {
    rawBody: Buffer.from(JSON.stringify(event)),
    trust,
  })
  const { from, to } = idRange('event', { fromMs: thenMs, toMs: thenMs + 1 })
  const [row] = await world.rows<{ id: string }>`select id from events where id >= ${from} and id < ${to}`
  assert.ok(row)
  const daysBack = `${daysAgo} days`
  await world.rows`update events set created_at = now() - ${daysBack}::interval where id = ${row.id}`
  return row.id
}

async function endpointOf(subscriber: Subscriber): Promise<string> {
  const [row] = await world.rows<{ id: string }>`select id from webhook_endpoints where business_id = ${subscriber.id}`
  return row?.id ?? ''
}

const setStatus = async (subscriber: Subscriber, status: 'enabled' | 'paused'): Promise<void> =>
  void (await subscriber.call('PATCH', `/v0/webhook-endpoints/${await endpointOf(subscriber)}`, { status }))

const firstRefused = (subscriber: Subscriber) => () => (subscriber.receiver.seen.length === 1 ? 500 : 200)

const isKept = async (eventId: string): Promise<boolean> =>
  (await world.rows`select 1 from events where id = ${eventId}`).length === 1

// The weeks of the template begin with the week of its creation: a run may continue past midnight, a server longer.
before(() => round())

test('the partitions of four weeks to come are made before their first event, and a second round makes nothing', async () => {
  const wanted = weeksFrom(Date.now(), 4).map(({ name }) => name)
  const made = await partitions()
  for (const table of ['requests', 'events', 'finished_deliveries', 'delivery_attempts'])
    assert.deepEqual(
      made.filter((name) => name.startsWith(`${table}_`) && name >= `${table}_${wanted[0]}`),
      wanted.map((name) => `${table}_${name}`),
    )
  await round()
  assert.deepEqual(await partitions(), made)
})

test('an event, its delivery and its attempts lie in the week of the event', async () => {
  await using subscriber = await world.subscriber()
  subscriber.receiver.reply = firstRefused(subscriber)
  await world.post(subscriber.event())
  await until('the delivery', () => subscriber.receiver.seen.length === 2)
  const week = weeksFrom(Date.now(), 0)[0]?.name
  await until('the history', async () => {
    const [row] = await world.rows<{ where: string }>`
        select concat_ws(' ', e.tableoid::regclass, f.tableoid::regclass, a.tableoid::regclass) as where
        from events e join finished_deliveries f on f.event_id = e.id join delivery_attempts a on a.delivery_id = f.id
        where e.business_id = ${subscriber.id} and e.trust = 'verified'`
    return row?.where === `events_${week} finished_deliveries_${week} delivery_attempts_${week}`
  })
})

for (const place of ['in partitions of its time', 'in the default partition'])
  test(`what is older than the retention goes, and what still waits stays, ${place}`, async () => {
    const inDefault = place === 'in the default partition'
    await using subscriber = await world.subscriber()
    await using paused = await world.subscriber()
    await setStatus(paused, 'paused')
    const [old, young] = inDefault ? [midweek(120), 29] : [midweek(60), 22]
    subscriber.receiver.reply = firstRefused(subscriber)
    const delivered = await pastEvent(old, subscriber.event(), { inDefault })
    const recent = await pastEvent(young, subscriber.event(), { inDefault })
    await until('the deliveries', () => subscriber.receiver.seen.length === 3)
    const shown = await until('the history', async () => {
      const answer = await subscriber.call('GET', `/v0/events/${delivered}/deliveries`)
      return answer.body.data[0]?.status === 'delivered' && answer.body.data[0]
    })
    await world.rows`update finished_deliveries set finished_at = now() - interval '40 days' where id = ${shown.id}`
    await world.rows`update delivery_attempts set started_at = now() - interval '40 days' where delivery_id = ${shown.id}`
    const waiting = await pastEvent(old + 1 / 24, paused.event(), { inDefault })
    const nobodys = { event_type: 'test.happened', data: { customer_id: 'cust_unknown' } }
    const unowned = await pastEvent(old + 2 / 24, { ...nobodys, event_id: freshEventId() }, { inDefault })
    const forged = await pastEvent(
      old + 3 / 24,
      { ...nobodys, event_id: freshEventId() },
      { inDefault, trust: 'unverified' },
    )

    await round()

    for (const gone of [delivered, forged]) assert.equal(await isKept(gone), false)
    for (const kept of [recent, waiting, unowned]) assert.equal(await isKept(kept), true)
    assert.equal((await subscriber.call('GET', `/v0/events/${delivered}`)).status, 404)
    assert.equal((await subscriber.call('GET', `/v0/deliveries/${shown.id}`)).status, 404)
    assert.deepEqual(await world.rows`select 1 from delivery_attempts where delivery_id = ${shown.id}`, [])
    const work = await world.rows<{ eventId: string }>`
      select event_id from event_work where event_id in (${unowned}, ${forged})`
    assert.deepEqual(work, [{ eventId: unowned }])

    await setStatus(paused, 'enabled')
    await until('what waited', () => paused.receiver.seen.length === 1)
    await until('its end', async () => (await world.rows`select 1 from deliveries`).length === 0)
    await round()
    assert.equal(await isKept(waiting), false)
  })

test('the log of requests has a retention of its own, in its partitions and outside of them', async () => {
  const [old, young] = await Promise.all(
    [30, 5].map(async (daysAgo) => {
      const thenMs = Date.now() - daysAgo * dayMs
      await makeWeeks(deps.db, weeksFrom(thenMs, 0))
      return makeRequestId(thenMs, randomBytes(10))
    }),
  )
  const [oldStray, youngStray] = [200, 100].map((daysAgo) =>
    makeRequestId(Date.now() - daysAgo * dayMs, randomBytes(10)),
  )
  const ids = [old, young, oldStray, youngStray] as string[]
  const row = {
    businessId: 'biz_growth',
    requestId: null,
    credentialId: 'key_0',
    method: 'GET',
    path: '/',
    status: 200,
  }
  const named = { sessionId: null, objectId: null, externalUserId: null }
  const rows = ids.map((id) => ({ ...row, ...named, id, errorCode: null, durationMs: 1, isReplay: false }))
  await deps.db.read((query) => insertRequests(query, rows))
  const kept = async () =>
    (await world.rows<{ id: string }>`select id from requests where business_id = 'biz_growth'`)
      .map(({ id }) => id)
      .sort()
  await round({ ...deps, config: { ...deps.config, requestLogDays: 150 } })
  assert.deepEqual(await kept(), [youngStray, old, young])
  await round()
  assert.deepEqual(await kept(), [young])
})

test('of a week that is written anew, events can still be found and new ones taken in', async () => {
  await using paused = await world.subscriber()
  await setStatus(paused, 'paused')
  const old = midweek(80)
  const thenMs = Date.now() - old * dayMs
  const kept = await pastEvent(old, paused.event())
  await using other = await world.subscriber()
  for (let one = 0; one < 3; one++) await pastEvent(old - one / 1_440, other.event())
  await until('the deliveries', () => other.receiver.seen.length === 3)
  await until('their end', async () => (await world.rows`select 1 from deliveries`).length === 1)
  await round()
  const week = weeksFrom(thenMs, 0)[0]
  assert.ok((await partitions()).includes(`events_${week?.name}`))
  const found = await deps.db.read((query) => findEvent(query, paused.id, kept))
  assert.equal(found?.id, kept)
  assert.equal(await isKept(await pastEvent(old - 10 / 1_440, other.event())), true)
  const listed = await paused.call('GET', '/v0/events')
  assert.ok(listed.body.data.some(({ id }: { id: string }) => id === kept))
})

test('a round of two replicas at once drops each week once', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  const past = [70, 77, 84]
  for (const daysAgo of past) await pastEvent(daysAgo, subscriber.event())
  await until('the deliveries', () => subscriber.receiver.seen.length === past.length)
  await until('their end', async () => {
    const rows = await world.rows`select 1 from deliveries where business_id = ${subscriber.id}`
    return rows.length === 0
  })
  await Promise.all([round(), round(replica.inside)])
  // One that met the other's lock leaves its week to the next round.
  await round()
  for (const daysAgo of past) {
    const week = weeksFrom(Date.now() - daysAgo * dayMs, 0)[0]?.name
    assert.equal((await partitions()).includes(`finished_deliveries_${week}`), false)
  }
})

test('while somebody reads all of history for long, a week stays, and intake is not held up', async () => {
  await using subscriber = await world.subscriber()
  await pastEvent(50, subscriber.event())
  await until('the delivery', () => subscriber.receiver.seen.length === 1)
  const week = weeksFrom(Date.now() - 50 * dayMs, 0)[0]?.name
  const reading = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const dump = deps.db.transaction(async (tx) => {
    await tx`select count(*) from events, finished_deliveries, delivery_attempts`
    begun.resolve()
    await reading.promise
  })
  await begun.promise
  let slowestMs = 0
  let isOver = false
  const posting = (async () => {
    while (!isOver) {
      const beganMs = performance.now()
      const answer = await world.post(subscriber.event())
      assert.equal(answer.status, 200)
      slowestMs = Math.max(slowestMs, performance.now() - beganMs)
    }
  })()
  await round()
  isOver = true
  await posting
  assert.ok((await partitions()).includes(`events_${week}`))
  assert.ok(slowestMs < 2_000, `${slowestMs} ms`)
  reading.resolve()
  await dump
  await round()
  assert.equal((await partitions()).includes(`finished_deliveries_${week}`), false)
})

test('a repeat of the provider is known as one for 97 days, whatever became of the event', async () => {
  await using subscriber = await world.subscriber()
  const [known, forgotten] = [subscriber.event(), subscriber.event()]
  await pastEvent(96, known)
  await pastEvent(98, forgotten)
  await until('the deliveries', () => subscriber.receiver.seen.length === 2)
  await until('their end', async () => {
    const rows = await world.rows`select 1 from deliveries where business_id = ${subscriber.id}`
    return rows.length === 0
  })
  await round()
  assert.match((await world.post(known)).body.data.message, /received before/)
  assert.match((await world.post(forgotten)).body.data.message, /queued/)
})
