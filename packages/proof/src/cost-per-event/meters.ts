// Meters of the database and of the processes, as the system counts them since they began.

import { readdir, readFile } from 'node:fs/promises'
import type { Database } from '../../../server/src/platform/postgres/db.ts'
import { only } from '../../../server/src/platform/postgres/db.ts'

export type Reading = {
  walBytes: number
  keptBytes: number
  keptRows: number
  transactions: number
  serverMicroseconds: number
  postgresMicroseconds: number
  serverWakeUps: number
  postgresWakeUps: number
}

const keptTables = ['events', 'finished_deliveries', 'delivery_attempts', 'received_events']
/** Of /proc: USER_HZ, the same on every Linux that Node runs on. */
const microsecondsPerTick = 10_000

export async function readMeters(db: Database, serverPids: readonly number[]): Promise<Reading> {
  const row = await db.read(async (query) =>
    only(
      await query<{ walBytes: number; keptBytes: number; backend: number; transactions: number }[]>`
        select (pg_current_wal_lsn() - '0/0')::float8 as wal_bytes, pg_backend_pid() as backend,
          (select xact_commit + xact_rollback from pg_stat_database where datname = current_database())::float8 as transactions,
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
  const alive = await Promise.all(children.map((pid) => meterOf(Number(pid)).catch(() => nothing)))
  const own = await statOf(postmaster)
  const servers = await Promise.all(serverPids.map(meterOf))
  return {
    walBytes: row.walBytes,
    keptBytes: row.keptBytes,
    keptRows: counts.reduce((sum, { count }) => sum + count, 0),
    transactions: row.transactions,
    serverMicroseconds: sumOf(servers, 'microseconds'),
    serverWakeUps: sumOf(servers, 'wakeUps'),
    postgresMicroseconds: (own.ticks + own.ticksOfEnded) * microsecondsPerTick + sumOf(alive, 'microseconds'),
    postgresWakeUps: sumOf(alive, 'wakeUps'),
  }
}

type Meter = { microseconds: number; wakeUps: number }

const nothing: Meter = { microseconds: 0, wakeUps: 0 }
const sumOf = (meters: readonly Meter[], name: keyof Meter): number =>
  meters.reduce((sum, meter) => sum + meter[name], 0)

async function meterOf(pid: number): Promise<Meter> {
  const threads = await readdir(`/proc/${pid}/task`)
  const wakeUps = await Promise.all(threads.map((thread) => wakeUpsOf(pid, thread).catch(() => 0)))
  return {
    microseconds: (await statOf(pid)).ticks * microsecondsPerTick,
    wakeUps: wakeUps.reduce((sum, count) => sum + count, 0),
  }
}

/** proc_pid_status(5): each time a thread gave up the processor to wait for something. */
async function wakeUpsOf(pid: number, thread: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8')
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(text)?.[1] ?? 0)
}

/** proc_pid_stat(5): after the name, which may hold blanks, state is field 3. */
async function statOf(pid: number): Promise<{ parent: number; ticks: number; ticksOfEnded: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return { parent: field(4), ticks: field(14) + field(15), ticksOfEnded: field(16) + field(17) }
}
