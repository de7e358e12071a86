// P4: how soon an event is at its receiver while the whole service runs at an ordinary pace.

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../../../server/src/platform/postgres/database.ts'
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

const pacesPerSecond = [50, 200] as const
const goals = {
  p50: { share: 0.5, atMost: 4 },
  p95: { share: 0.95, atMost: 8 },
  p99: { share: 0.99, atMost: null },
} as const
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
    for (const pace of pacesPerSecond) {
      const events = makeEvents(freshPrefix(), pace * scale.pacedSeconds, tenants)
      const sinceMs = Date.now()
      const requests = events.map(({ body }) => postRequest(url, body))
      const dueMs = await loadAtPace(url, requests, pace)
      const arrivedMs = await arrivalsOf(db, sinceMs, await takeAll(receivers, events.length))
      const waitsMs = events.map(({ id }, at) => (arrivedMs.get(id) ?? Number.POSITIVE_INFINITY) - (dueMs[at] ?? 0))
      assert.ok(waitsMs.every(Number.isFinite), 'not every event arrived')
      if (round === 0) continue
      waitsMs.sort((a, b) => a - b)
      for (const [name, { share }] of Object.entries(goals)) rounds.note(`${name} ${pace}`, quantileOf(waitsMs, share))
    }
  }
  const ratios = pacesPerSecond.flatMap((pace) =>
    Object.entries(goals).map(([name, { atMost }]) => ({
      id: 'P4',
      part: `${name} at ${pace}/s`,
      what: `request due → complete at the receiver, ${pace} events/s, ${name}`,
      goal: { atMost, unit: 'ms' as const },
      figures: rounds.of(`${name} ${pace}`),
    })),
  )
  return { ratios, speeds: [] }
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
