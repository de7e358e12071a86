// Meters of the database and of the processes, as the system counts them since they began.

import { type Database, only } from '../../../server/src/platform/postgres/database.ts'
import { type ProcessTimes, readTimes, readTree, readWakeUps, ticksPerSecond } from '../processor-time.ts'

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
  const postgres = readTree(readTimes(row.backend)?.parent ?? 0)
  const servers = new Map(serverPids.flatMap((pid) => [...readTree(pid)]))
  return {
    walBytes: row.walBytes,
    keptBytes: row.keptBytes,
    keptRows: counts.reduce((sum, { count }) => sum + count, 0),
    transactions: row.transactions,
    serverMicroseconds: microsecondsOf(servers),
    serverWakeUps: wakeUpsOf(servers),
    postgresMicroseconds: microsecondsOf(postgres),
    postgresWakeUps: wakeUpsOf(postgres),
  }
}

function microsecondsOf(tree: ReadonlyMap<number, ProcessTimes>): number {
  const ticks = [...tree.values()].reduce((sum, times) => sum + times.ticks + times.ticksOfEnded, 0)
  return (ticks * 1_000_000) / ticksPerSecond
}

function wakeUpsOf(tree: ReadonlyMap<number, ProcessTimes>): number {
  return [...tree.keys()].reduce((sum, pid) => sum + readWakeUps(pid), 0)
}
