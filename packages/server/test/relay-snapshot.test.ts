// A session holds a snapshot for hours: a dump, a report, a forgotten transaction. In this time no old row version can
// be removed, and work for an event must not scan them. Counted in database pages, with the database's own counters.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isNightly } from '../../../scripts/test-needs.ts'
import { insertBusiness } from '../src/businesses/store.ts'
import { ingestEvents } from '../src/events/ingest/ingest.store.ts'
import { finishEvent, lockDueEvent } from '../src/events/work.store.ts'
import { openClient } from '../src/platform/postgres/client.ts'
import { only } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { makeEventId } from '../src/platform/values/ids.ts'
import { QueueFront } from '../src/platform/values/queue-front.ts'
import { readFresh, readRetries } from '../src/webhooks/delivery/lane-reading.store.ts'
import { claimLanes, readLanes, renewOwner } from '../src/webhooks/delivery/lanes.store.ts'
import { writeOutcomes } from '../src/webhooks/delivery/outcomes.store.ts'
import { insertEndpoint } from '../src/webhooks/endpoints/store.ts'
import { testDatabase } from './test-database.ts'

const [eventsEarly, eventsBetween] = isNightly ? [700, 2_000] : [250, 500]

const database = await testDatabase()
// One connection of each kind, so that each can be made to flush its counters.
const db = openDatabase(database.connection, { poolMax: 3 })
const holder = await openClient(database.connection, { applicationName: 'holder' })
after(async () => {
  await holder.close()
  await db.close()
  await database.drop()
})

const [businessId, endpointId, owner] = ['biz_1', 'whe_00000000000001', 'me']
const tables = ['event_streams', 'endpoint_lanes', 'endpoint_sequences', 'deliveries', 'event_work']

async function prepare(): Promise<number> {
  // The pages that it looks at would be counted with ours, whenever it happens to come.
  for (const table of tables)
    await db.statement((query) => query`alter table ${query.names(table)} set (autovacuum_enabled = false)`)
  await db.transaction(async (tx) => {
    await insertBusiness(tx, { id: businessId, name: 'Snapshot' })
    const secretSealed = Buffer.from('sealed')
    const endpoint = { businessId, id: endpointId, url: 'https://example.com/', description: null, isDefault: true }
    await insertEndpoint(tx, {
      ...endpoint,
      eventTypes: ['*'],
      sources: ['provider', 'causeway'],
      ordering: 'best_effort',
      secretSealed,
    })
    await tx`update endpoint_lanes set wants_at = now()`
    await tx`
      insert into end_users (business_id, id, external_user_id, provider, search_name, type, provider_customer_id)
      values (${businessId}, 'eu_1', 'ada', 'bridge', 'ada', 'individual', 'cust_1')`
  })
  await db.byIndex((query) => renewOwner(query, owner, 3_600_000))
  const lanes = await db.byIndex((query) =>
    claimLanes(query, owner, { held: [], limit: 10, grace: { sinceStartMs: 0, fromNowMs: 0 } }),
  )
  return only(lanes).fence
}

const front = new QueueFront()
const retryFront = new QueueFront()
let readThrough = 0

/** Taken in, its effect done, sent in vain, sent again and delivered: all that an event costs. */
async function live(fence: number): Promise<void> {
  const event = {
    id: makeEventId(Date.now(), randomBytes(10)),
    providerEventId: `wh_${randomBytes(8).toString('hex')}`,
    trust: 'verified' as const,
    type: 'test.happened',
    body: Buffer.from('{}'),
    hints: { refs: ['cust_1'], externalUserId: null },
    hasEffects: true,
  }
  const { outcomes } = await db.statement((query) => ingestEvents(query, 'bridge', [event], null))
  assert.equal(outcomes.get(event.id), 'queued')
  await delay(1) // its time is rounded to whole milliseconds: on a quick machine it is not due yet for half of one
  await db.transaction(async (tx) => {
    const work = await lockDueEvent(tx, front.from(performance.now()))
    assert.ok(work)
    front.saw(work.queueFrom)
    await finishEvent(tx, work.id)
  })
  const known = () => [{ endpointId, inHand: [], retriesFrom: retryFront.from(performance.now()) }]
  const news = only(await db.byIndex((query) => readLanes(query, owner, known())))
  retryFront.saw(news.retriesFrom)
  const fresh = await db.byIndex((query) =>
    readFresh(query, [{ endpointId, after: readThrough, limit: 10, news: 0, start: 0 }]),
  )
  const { sequence } = only(fresh)
  readThrough = sequence
  const exchange = {
    outcome: 'http_500',
    httpStatus: 500,
    responseBody: '',
    responseHeaders: null,
    responseSealed: null,
    sentAs: null,
    detail: null,
    durationMs: 1,
  }
  const sent = { endpointId, fence, sequence, attemptsBefore: 0, retryInMs: null, ...exchange, startedAt: new Date() }
  await db.byIndex((query) =>
    writeOutcomes(query, owner, [{ ...sent, attempts: 0, status: 'retrying', retryInMs: -10 }]),
  )
  const again = await db.byIndex((query) =>
    readRetries(
      query,
      known().map((lane) => ({ ...lane, limit: 10 })),
    ),
  )
  assert.equal(only(again).sequence, sequence)
  const settled = await db.byIndex((query) =>
    writeOutcomes(query, owner, [{ ...sent, attempts: 1, status: 'delivered' }]),
  )
  assert.equal(settled.size, 1)
}

/** @returns pages of the database looked at */
async function pages(): Promise<number> {
  // A session flushes its counters now and then, or on request.
  await db.statement((query) => query`select pg_stat_force_next_flush()`)
  await db.byIndex((query) => query`select pg_stat_force_next_flush()`)
  await db.read((query) => query`select pg_stat_force_next_flush()`)
  const rows = await holder.query<{ relname: string; pages: number }[]>`
    select relname, (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as pages from pg_statio_user_tables
    where relname = any(${tables}::text[])`
  assert.equal(rows.length, tables.length)
  return rows.reduce((sum, row) => sum + row.pages, 0)
}

test('however many events there were under one snapshot, the next ones look at no more pages for it', async () => {
  const fence = await prepare()
  const many = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) await live(fence)
  }
  const pagesAnEvent = async (count: number): Promise<number> => {
    // Deliveries due within the last two seconds are read again, which are more on a faster machine.
    await delay(2_500)
    const before = await pages()
    await many(count)
    return ((await pages()) - before) / count
  }
  /** Pages per event. Occasional work, such as a search from the beginning, is in one of three measurements at most. */
  const pagesOfEach = async (): Promise<number> =>
    Math.min(await pagesAnEvent(50), await pagesAnEvent(50), await pagesAnEvent(50))
  await many(20)
  await holder.query.unsafe('begin transaction isolation level repeatable read')
  await holder.query`select 1 from events`
  // Within one statement all counts are of one moment; a transaction would show what it saw first.
  await holder.query.unsafe('set local stats_fetch_consistency = none')
  await many(eventsEarly)
  const early = await pagesOfEach()
  await many(eventsBetween)
  const late = await pagesOfEach()
  assert.ok(
    late < early * 1.5,
    `pages an event: ${early} after ${eventsEarly} others, ${late} after ${eventsBetween} more`,
  )
})
