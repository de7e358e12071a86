// P5: ingest and drain on a database with a long history, against the same on an empty one.

import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { makeWeeks, weeksFrom } from '../../../../server/src/platform/postgres/partitions/partitions.ts'
import { idTime } from '../../../../server/src/platform/values/ids.ts'
import { type Bench, perSecond } from '../bench.ts'
import { settleDisk } from '../database-server.ts'
import { makeEvents } from '../events.ts'
import type { ReceiverCalls } from '../processes/receiver-process.ts'
import type { RelayCalls } from '../processes/relay-process.ts'
import type { ServerCalls } from '../processes/server-process.ts'
import { seedTenants, type Tenant } from '../product.ts'
import { type Figures, type Measured, Rounds } from '../ratio.ts'
import { freshPrefix, takeIn } from './ingest.ts'
import { type DrainWorld, drain } from './sending.ts'

const tablesCounted = 3
const spanDays = 30
/** Moments of the past; the events of one share the time in their ids and differ in the rest. */
const momentCount = 10_000
const dayMs = 24 * 60 * 60 * 1_000

export async function measureHistory(bench: Bench): Promise<Measured> {
  const { scale } = bench
  await using receivers = bench.start<ReceiverCalls>('./receiver-process.ts')
  const urls = await receivers.call('listen', 8)
  await using relay = bench.start<RelayCalls>('./relay-process.ts')
  await using stack = new AsyncDisposableStack()
  const open = async (name: string) => {
    const { db, connection } = stack.use(await bench.databases.create(name))
    const tenants = await seedTenants(db, urls)
    const server = stack.use(bench.start<ServerCalls>('./server-process.ts'))
    const baseUrl = await server.call('serveIntake', { connection, publicKey: null })
    return { name, baseUrl, world: { db, connection, tenants, relay, receivers } satisfies DrainWorld }
  }
  const [aged, empty] = [await open('aged'), await open('empty')]
  bench.say(`P5: ${scale.historyRows} rows of history are written`)
  await writeHistory(aged.world.db, aged.world.tenants, scale.historyRows)
  const rounds = new Rounds()
  for (let round = 0; round <= scale.pairs; round++) {
    const counted = round === 0 ? new Rounds() : rounds
    for (const { name, baseUrl, world } of [aged, empty]) {
      const events = makeEvents(freshPrefix(), scale.events, world.tenants)
      await settleDisk(world.db)
      counted.note(`ingest ${name}`, perSecond(events.length, (await takeIn(world.db, baseUrl, events)).ms))
    }
    for (const { name, world } of [aged, empty])
      counted.note(`drain ${name}`, perSecond(scale.sends, (await drain(world, scale.sends)).ms))
  }
  return resultOf(rounds, scale.historyRows)
}

function resultOf(rounds: Rounds, historyRows: number): Measured {
  const ingest = rounds.quotient('ingest aged', 'ingest empty')
  const drained = rounds.quotient('drain aged', 'drain empty')
  const rows = historyRows.toLocaleString('en')
  const ratio = (part: string, figures: Figures) => ({
    id: 'P5',
    part,
    what: `${part} with ${rows} rows of history / with none`,
    goal: { atLeast: 0.9 },
    figures,
  })
  return {
    ratios: [ratio('ingest', ingest), ratio('drain', drained)],
    speeds: ['ingest aged', 'ingest empty', 'drain aged', 'drain empty'].map((what) => ({
      what,
      unit: '/s' as const,
      figures: rounds.of(what),
    })),
  }
}

/** Events of the last month, each delivered at the first attempt: as many rows in each of the three tables that grow. */
async function writeHistory(db: Database, tenants: readonly Tenant[], rows: number): Promise<void> {
  const perMoment = Math.max(1, Math.round(rows / tablesCounted / momentCount))
  const nowMs = Date.now()
  // As if the service had run all the time.
  const firstMs = nowMs - (spanDays + 1) * dayMs
  await makeWeeks(db, weeksFrom(firstMs, Math.ceil((spanDays + 1) / 7)))
  const moments = Array.from({ length: momentCount }, (_, n) =>
    idTime(Math.floor(firstMs + (n * spanDays * dayMs) / momentCount)),
  )
  await db.transaction(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`
      create temporary table past on commit drop as
      select 'evt_' || m.prefix || substr(md5(m.n || '.' || k), 1, 16) as id, t.business_id, t.endpoint_id,
        ((m.n - 1) * ${perMoment}::int + k - 1) / ${tenants.length}::int + 1 as position
      from unnest(${moments}::text[]) with ordinality as m (prefix, n)
        cross join generate_series(1, ${perMoment}::int) k
        join unnest(${tenants.map((tenant) => tenant.businessId)}::text[], ${tenants.map((tenant) => tenant.endpointId)}::text[])
          with ordinality as t (business_id, endpoint_id, n)
          on t.n = ((m.n - 1) * ${perMoment}::int + k - 1) % ${tenants.length}::int + 1`
    await tx`
      insert into events (id, business_id, position, provider_event_id, trust, type, body, created_at)
      select id, business_id, position, 'wh_' || substr(id, 5), 'verified', 'transfer.updated.status_transitioned',
        convert_to(repeat('x', 1000), 'UTF8'), now() - interval '1 day' from past`
    await tx`insert into received_events (key, event_id) select 'bridge/verified:wh_' || substr(id, 5), id from past`
    await tx`
      insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, status, attempts, last_outcome,
        http_status, response_body, duration_ms, started_at, created_at, finished_at)
      select 'dlv_' || substr(id, 5) || right(endpoint_id, 6), endpoint_id, position, business_id, id, 'delivered', 1,
        'http_200', 200, '', 12, now() - interval '1 day', now() - interval '1 day', now() - interval '1 day' from past`
    await tx`
      update event_streams s set position = p.position
      from (select business_id, max(position) as position from past group by business_id) p
      where s.business_id = p.business_id`
    await tx`
      update endpoint_sequences l set sequence = p.sequence
      from (select endpoint_id, max(position) as sequence from past group by endpoint_id) p
      where l.endpoint_id = p.endpoint_id`
  })
  for (const table of ['events', 'received_events', 'finished_deliveries'])
    await db.read((query) => query`vacuum (analyze) ${query.names(table)}`)
}
