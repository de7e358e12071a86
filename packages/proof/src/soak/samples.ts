// The values of a soak: each server's memory and handles, and the connections, tables and write-ahead log of PostgreSQL.

import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../rig/databases/database.ts'
import type { World } from '../rig/world.ts'
import type { Point, Series } from './trend.ts'

export type Samples = {
  /** Adds one point to each series. @param done acknowledged requests so far */
  take(done: number): Promise<void>
  all(): Series[]
}

const mebibyte = 2 ** 20
/** One page or one connection more in an hour is no trend; a leak of one with each thousand requests is. */
const least = { memory: 0, handles: 3, connections: 3, tables: 1, log: 64 }
/** A table of few rows is judged as a whole, a long one by its bytes for each row: history grows with what happens. */
const rowsMin = 1_000

export function startSamples(world: World<Database>): Samples {
  let before = { written: 0, done: 0 }
  const series = new Map<string, { unit: string; leastPerHour: number; points: Point[] }>()
  const add = (name: string, unit: string, leastPerHour: number, value: number): void => {
    const found = series.get(name) ?? { unit, leastPerHour, points: [] }
    found.points.push({ atMs: Date.now(), value })
    series.set(name, found)
  }
  const takeReplica = async (replica: World<Database>['replicas'][number]): Promise<void> => {
    const pid = replica.pid()
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    add(`${replica.name}: RSS`, 'MB', least.memory, Number(resident) / 1024)
    add(`${replica.name}: handles`, '', least.handles, readdirSync(`/proc/${pid}/fd`).length)
    const metrics = await (await fetch(`${replica.url}/metrics`, { signal: AbortSignal.timeout(10_000) })).text()
    const heap = /^causeway_nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1]
    if (heap === undefined) throw new Error('the metrics name no heap')
    add(`${replica.name}: heap`, 'MB', least.memory, Number(heap) / mebibyte)
  }
  const takeDatabase = async (done: number): Promise<void> => {
    const [state] = await world.database.ask<{ connections: number; log: string; written: string }>(`
      select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        (select coalesce(sum(size), 0)::text from pg_ls_waldir()) as log,
        pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as written`)
    if (!state) throw new Error('PostgreSQL does not say how it is')
    add('connections', '', least.connections, state.connections)
    add('WAL', 'MB', least.log, Number(state.log) / mebibyte)
    const written = Number(state.written)
    if (before.done > 0 && done > before.done)
      add('WAL written for each request', 'kB', 0, (written - before.written) / 1024 / (done - before.done))
    before = { written, done }
    const tables = await world.database.ask<{ name: string; bytes: string; rows: string }>(`
      select coalesce(pg_partition_root(relid), relid)::regclass::text as name,
        sum(pg_total_relation_size(relid))::text as bytes, sum(n_live_tup)::text as rows
      from pg_stat_user_tables group by 1`)
    for (const { name, bytes, rows } of tables)
      add(
        `table ${name}, for each thousand rows`,
        'MB',
        least.tables,
        (Number(bytes) * 1_000) / mebibyte / Math.max(rowsMin, Number(rows)),
      )
  }
  return {
    async take(done) {
      await Promise.all([takeDatabase(done), ...world.replicas.map(takeReplica)])
    },
    all: () => [...series].map(([name, one]) => ({ name, ...one })),
  }
}
