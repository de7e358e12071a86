// A speed counts only if everything that was acknowledged is there afterwards, once, in its place: what the rows must say.

import assert from 'node:assert/strict'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { idTime } from '../../../server/src/platform/values/ids.ts'
import type { ProviderEvent } from './events.ts'
import type { LoadResult } from './load-client.ts'
import type { Arrivals } from './processes/receiver-process.ts'

/** The state before a round: only later entries count. */
export type Mark = { atMs: number; sequences: ReadonlyMap<string, number> }

export async function markOf(db: Database): Promise<Mark> {
  const lanes = await db.read(
    (query) => query<{ endpointId: string; sequence: number }[]>`select endpoint_id, sequence from endpoint_sequences`,
  )
  return { atMs: Date.now(), sequences: new Map(lanes.map((lane) => [lane.endpointId, lane.sequence])) }
}

/** Every event was acknowledged, is a row, and waits once, and the endpoints' numbers have no gap. */
export async function checkTakenIn(
  db: Database,
  mark: Mark,
  events: readonly ProviderEvent[],
  load: LoadResult,
): Promise<void> {
  assert.equal(
    load.statuses.filter((status) => status === 200).length,
    events.length,
    'not every event was acknowledged',
  )
  const stored = await db.read(
    (query) => query<{ id: string; providerEventId: string }[]>`
      select id, provider_event_id from events where id >= ${`evt_${idTime(mark.atMs)}`}`,
  )
  assertSame(
    stored.map((row) => row.providerEventId),
    events.map(({ id }) => id),
    'events',
  )
  const waiting = await db.read(
    (query) => query<{ eventId: string; endpointId: string; sequence: number }[]>`
      select event_id, endpoint_id, sequence from deliveries order by endpoint_id, sequence`,
  )
  assertSame(
    waiting.map((row) => row.eventId),
    stored.map((row) => row.id),
    'deliveries',
  )
  for (const [endpointId, rows] of Map.groupBy(waiting, (row) => row.endpointId)) {
    const first = (mark.sequences.get(endpointId) ?? 0) + 1
    const isGapless = rows.every((row, at) => row.sequence === first + at)
    assert.ok(isGapless, `the numbers of ${endpointId} have a gap`)
  }
}

/** Every delivery came once, is in the history as delivered, with one attempt, and nothing waits. */
export async function checkDelivered(
  db: Database,
  mark: Mark,
  count: number,
  arrivals: Arrivals | null,
): Promise<void> {
  const since = `dlv_${idTime(mark.atMs)}`
  const [finished, attempts, waiting] = await Promise.all([
    db.read(
      (query) => query<{ webhookId: string }[]>`
        select event_id || '_' || endpoint_id as webhook_id from finished_deliveries
        where id >= ${since} and status = 'delivered'`,
    ),
    db.read(
      (query) => query`
        select id from finished_deliveries where id >= ${since} and attempts = 1 and started_at is not null
        union all select delivery_id from delivery_attempts where delivery_id >= ${since}`,
    ),
    db.read((query) => query`select id from deliveries limit 1`),
  ])
  assert.deepEqual(
    [finished.length, attempts.length, waiting.length],
    [count, count, 0],
    'delivered, attempts, waiting',
  )
  if (!arrivals) return
  assertSame(
    arrivals.ids,
    finished.map((row) => row.webhookId),
    'arrivals',
  )
}

/** Each of the second once in the first, and nothing else. */
function assertSame(found: readonly string[], expected: readonly string[], what: string): void {
  const known = new Set(found)
  assert.equal(known.size, found.length, `${what}: something is there twice`)
  assert.equal(found.length, expected.length, `${what}: not as many as there should be`)
  assert.ok(
    expected.every((one) => known.has(one)),
    `${what}: something is missing`,
  )
}
