// R8: how soon an event is at its receiver while the whole service runs at an ordinary pace.

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../../../server/src/platform/postgres/db.ts'
import { idTime } from '../../../../server/src/platform/values/ids.ts'
import type { Bench } from '../bench.ts'
import { makeEvents, postRequest } from '../events.ts'
import { loadAtPace } from '../load-client.ts'
import type { Arrivals, ReceiverCalls } from '../processes/receiver-process.ts'
import type { Remote } from '../processes/remote.ts'
import type { ServerCalls } from '../processes/server-process.ts'
import { seedTenants } from '../product.ts'
import { type Measured, quantileOf, Rounds } from '../ratio.ts'
import { freshPrefix } from './ingest.ts'

const eventsPerSecond = 200
const arrivalMsMax = 10_000

export async function measurePromptness(bench: Bench): Promise<Measured> {
  const { scale } = bench
  await using receivers = bench.start<ReceiverCalls>('./receiver-process.ts')
  const urls = await receivers.call('listen', 8)
  await using database = await bench.databases.create('promptness')
  const { db, connection } = database
  const tenants = await seedTenants(db, urls)
  await using server = bench.start<ServerCalls>('./server-process.ts')
  const url = new URL('/v0/webhooks/provider', await server.call('serve', { connection, publicKey: null }))
  const rounds = new Rounds()
  for (let round = 0; round <= scale.pairs; round++) {
    const events = makeEvents(freshPrefix(), eventsPerSecond * scale.pacedSeconds, tenants)
    const sinceMs = Date.now()
    const requests = events.map(({ body }) => postRequest(url, body))
    const dueMs = await loadAtPace(url, requests, eventsPerSecond)
    const arrivedMs = await arrivalsOf(db, sinceMs, await takeAll(receivers, events.length))
    const waitsMs = events.map(({ id }, at) => (arrivedMs.get(id) ?? Number.POSITIVE_INFINITY) - (dueMs[at] ?? 0))
    assert.ok(waitsMs.every(Number.isFinite), 'not every event arrived')
    if (round === 0) continue
    waitsMs.sort((a, b) => a - b)
    for (const share of [0.5, 0.95, 0.99]) rounds.note(`p${share * 100}`, quantileOf(waitsMs, share))
  }
  const what = 'request due → complete at the receiver, 200 events/s'
  const ratio = (part: string | null, name: string, atMostMs: number | null) => ({
    id: 'R8',
    part,
    what: `${what}, ${name}`,
    goal: { atMostMs },
    figures: rounds.of(name),
  })
  return { ratios: [ratio(null, 'p95', 20), ratio('p50', 'p50', null), ratio('p99', 'p99', null)], speeds: [] }
}

async function takeAll(receivers: Remote<ReceiverCalls>, count: number): Promise<Arrivals> {
  const deadlineMs = Date.now() + arrivalMsMax
  while ((await receivers.call('count')) < count && Date.now() < deadlineMs) await delay(20)
  const arrivals = await receivers.call('take')
  assert.equal(new Set(arrivals.ids).size, arrivals.ids.length, 'a delivery came twice')
  return arrivals
}

/** When each of the provider's events was at its receiver: the webhook-id names ours. */
async function arrivalsOf(db: Database, sinceMs: number, arrivals: Arrivals): Promise<ReadonlyMap<string, number>> {
  const rows = await db.read(
    (query) => query<{ id: string; providerEventId: string }[]>`
      select id, provider_event_id from events where id >= ${`evt_${idTime(sinceMs)}`}`,
  )
  const names = new Map(rows.map((row) => [row.id, row.providerEventId]))
  return new Map(
    arrivals.ids.map((id, at) => [names.get(id.slice(0, id.indexOf('_whe_'))) ?? id, arrivals.atMs[at] ?? 0]),
  )
}
