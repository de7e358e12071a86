// What an event with one delivery costs: bytes of WAL, bytes and rows kept, processor time of the server and of PostgreSQL.
// A real server, a durable PostgreSQL, a receiver that answers at once; 1 KB of event, signed.

import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { only } from '../../../server/src/platform/postgres/db.ts'
import { openReceiver } from '../../../server/test/receiver.ts'
import { type Deployment, openBusiness, openDeployment, openEndpoint } from '../relay-world/deployment.ts'
import { startKillableDatabase } from '../relay-world/killable-database.ts'
import { post } from '../relay-world/provider-post.ts'

export type Cost = {
  events: number
  walBytes: number
  keptBytes: number
  keptRows: number
  serverMicroseconds: number
  postgresMicroseconds: number
  postgresVersion: string
}

const warmUpEvents = 500
const inFlight = 32
const bodyBytes = 1_024
const settleMsMax = 60_000
/** Of /proc: USER_HZ, the same on every Linux that Node runs on. */
const ticksPerSecond = 100

export async function measureCost(events: number): Promise<Cost> {
  await using database = await startKillableDatabase()
  await using deployment = await openDeployment(database.connection, {})
  await using receiver = await openReceiver()
  const businessId = await openBusiness(
    deployment,
    Array.from({ length: 20 }, (_, at) => `user-${at}`),
  )
  await openEndpoint(deployment, { businessId, url: receiver.url, ordering: 'best_effort' })
  await using server = await deployment.serve()
  const send = async (from: number, count: number): Promise<void> => {
    await sendAll(deployment, server.url, from, count)
    await untilDelivered(deployment, () => receiver.seen.length >= from + count)
  }
  await send(0, warmUpEvents)
  const before = await reading(deployment, server.pid)
  await send(warmUpEvents, events)
  const after = await reading(deployment, server.pid)
  const each = (name: keyof Reading): number => (after[name] - before[name]) / events
  return {
    events,
    walBytes: Math.round(each('walBytes')),
    keptBytes: Math.round(each('keptBytes')),
    keptRows: Math.round(each('keptRows') * 100) / 100,
    serverMicroseconds: Math.round((each('serverTicks') / ticksPerSecond) * 1e6),
    postgresMicroseconds: Math.round((each('postgresTicks') / ticksPerSecond) * 1e6),
    postgresVersion: await versionOf(deployment),
  }
}

async function versionOf({ db }: Deployment): Promise<string> {
  const rows = await db.read(
    (query) => query<{ version: string }[]>`select current_setting('server_version') as version`,
  )
  return only(rows).version
}

async function sendAll({ signer }: Deployment, url: string, from: number, count: number): Promise<void> {
  let next = from
  const work = async (): Promise<void> => {
    while (next < from + count) {
      const place = next++
      const event = {
        event_id: `wh_cost_${place}`,
        event_type: 'test.happened',
        external_user_id: `user-${place % 20}`,
      }
      const length = JSON.stringify({ ...event, filler: '' }).length
      const body = JSON.stringify({ ...event, filler: 'x'.repeat(bodyBytes - length) })
      if (!(await post(signer, url, body))) throw new Error('an event was not acknowledged')
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
}

async function untilDelivered({ db }: Deployment, haveArrived: () => boolean): Promise<void> {
  const deadline = performance.now() + settleMsMax
  for (;;) {
    const waiting = await db.read((query) => query`select 1 from deliveries limit 1`)
    if (waiting.length === 0 && haveArrived()) return
    if (performance.now() > deadline) throw new Error('not every delivery was made in time')
    await delay(50)
  }
}

type Reading = { walBytes: number; keptBytes: number; keptRows: number; serverTicks: number; postgresTicks: number }

const keptTables = ['events', 'finished_deliveries', 'delivery_attempts', 'received_events']

async function reading({ db }: Deployment, serverPid: number): Promise<Reading> {
  const row = await db.read(async (query) =>
    only(
      await query<{ walBytes: number; keptBytes: number; backend: number }[]>`
        select (pg_current_wal_lsn() - '0/0')::float8 as wal_bytes, pg_backend_pid() as backend,
          (select sum(pg_total_relation_size(p.relid))::float8 from unnest(${keptTables}::regclass[]) t,
            lateral pg_partition_tree(t) p where p.isleaf) as kept_bytes`,
    ),
  )
  const counts = await db.read(
    (query) => query<{ count: number }[]>`
      select count(*)::float8 from events union all select count(*)::float8 from finished_deliveries
      union all select count(*)::float8 from delivery_attempts union all select count(*)::float8 from received_events`,
  )
  const postmaster = (await statOf(row.backend)).parent
  const children = (await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')).trim().split(' ')
  const alive = await Promise.all(
    children.map((pid) =>
      statOf(Number(pid))
        .then(({ ticks }) => ticks)
        .catch(() => 0),
    ),
  )
  const own = await statOf(postmaster)
  return {
    walBytes: row.walBytes,
    keptBytes: row.keptBytes,
    keptRows: counts.reduce((sum, { count }) => sum + count, 0),
    serverTicks: (await statOf(serverPid)).ticks,
    postgresTicks: own.ticks + own.ticksOfEnded + alive.reduce((sum, ticks) => sum + ticks, 0),
  }
}

/** proc_pid_stat(5): after the name, which may hold blanks, state is field 3. */
async function statOf(pid: number): Promise<{ parent: number; ticks: number; ticksOfEnded: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return { parent: field(4), ticks: field(14) + field(15), ticksOfEnded: field(16) + field(17) }
}
