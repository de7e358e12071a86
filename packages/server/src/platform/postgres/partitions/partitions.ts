// The partitions of history, one per table and week: lists them, and creates them while the table is in use. A week is
// Monday to Monday, UTC. IDs of requests, events and deliveries contain their time, so a week is a range of IDs.
// Crosses businesses.

import { type IdKind, idPrefixes, idTime } from '../../values/ids.ts'
import { type Database, only } from '../database.ts'
import { transactionWithin } from '../lock-order.ts'
import type { TimeRange } from '../paging.ts'
import type { Query, Tx } from '../query.ts'
import { housekeeping } from '../waiting/time-limits.ts'

export type Week = {
  /** The first day of the week: YYYYMMDD. */
  name: string
  fromMs: number
  /** The start of the next week. */
  toMs: number
}

const dayMs = 86_400_000
const weekMs = 7 * dayMs
// 1970-01-05.
const firstMondayMs = 4 * dayMs

/** Lists the week of this time and `ahead` weeks after it. */
export function weeksFrom(timeMs: number, ahead: number): Week[] {
  const firstMs = firstMondayMs + Math.floor((timeMs - firstMondayMs) / weekMs) * weekMs
  return Array.from({ length: ahead + 1 }, (_, index) => weekAt(firstMs + index * weekMs))
}

/** Finds a week by its name: its first day, YYYYMMDD. */
export function weekNamed(name: string): Week {
  return weekAt(Date.parse(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6, 8)}`))
}

/** Returns the range of IDs of this kind created in the time: at or above `from`, below `to`. */
export function idRange(kind: IdKind, { fromMs, toMs }: Pick<Week, 'fromMs' | 'toMs'>): { from: string; to: string } {
  return { from: `${idPrefixes[kind]}_${idTime(fromMs)}`, to: `${idPrefixes[kind]}_${idTime(toMs)}` }
}

/**
 * A condition on IDs: whole weeks, which are whole partitions, plus a day, because IDs use the clocks of the replicas.
 */
export function inWeeksSql(query: Query, kind: IdKind, { createdAfter, createdBefore }: TimeRange) {
  const weekOf = (time: Date, slackMs: number) => idRange(kind, only(weeksFrom(time.getTime() + slackMs, 0)))
  return query`
    ${createdAfter ? query`id >= ${weekOf(createdAfter, -dayMs).from}` : query`true`}
    and ${createdBefore ? query`id < ${weekOf(createdBefore, dayMs).to}` : query`true`}`
}

function weekAt(fromMs: number): Week {
  const name = new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')
  return { name, fromMs, toMs: fromMs + weekMs }
}

export type HistoryTable = {
  name: 'requests' | 'events' | 'finished_deliveries' | 'delivery_attempts'
  /** The column that partitions the table. */
  key: 'id' | 'delivery_id'
  kind: IdKind
}

export type Partition = { table: HistoryTable; week: Week }

/** Attempts expire before deliveries, events last. */
export const historyTables: readonly HistoryTable[] = [
  { name: 'requests', key: 'id', kind: 'request' },
  { name: 'delivery_attempts', key: 'delivery_id', kind: 'delivery' },
  { name: 'finished_deliveries', key: 'id', kind: 'delivery' },
  { name: 'events', key: 'id', kind: 'event' },
]

// Everyone who uses the table waits behind a transaction that waits for its lock. Statements of the relay take about 5
// ms. A dump takes an hour, and then the next round retries.
const limits = { ...housekeeping, lockMs: 100 }
/** Differs from the lock of row-level security (row-security.ts), so that neither waits for the other. */
const keeperLock = 7_238_048
/**
 * Most rows stored before their week's partition existed. Above this number they stay in the default partition, and so
 * does the week.
 */
const strayRowsMax = 1_000

export const nameOf = ({ table, week }: Partition): string => `${table.name}_${week.name}`
export const defaultOf = (table: HistoryTable): string => `${table.name}_default`

/**
 * Writes a condition on the rows of the week. Takes only internal names and IDs: statements that define tables take no
 * parameters.
 */
export function inWeek({ table, week }: Partition): string {
  const { from, to } = idRange(table.kind, week)
  return `${table.key} >= '${from}' and ${table.key} < '${to}'`
}

/** Lists the partitions of history except the default ones. */
export async function listPartitions(query: Query): Promise<Partition[]> {
  const rows = await query<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any(${historyTables.map(({ name }) => name)}::regclass[]) order by c.relname`
  return historyTables.flatMap((table) =>
    rows.flatMap(({ name }) => {
      const day = name.startsWith(`${table.name}_`) ? name.slice(table.name.length + 1) : ''
      return /^\d{8}$/.test(day) ? [{ table, week: weekNamed(day) }] : []
    }),
  )
}

/**
 * Runs a transaction on the partitions, in one replica at a time.
 * @returns undefined if a lock was not free: the next round retries
 */
export async function inTurn<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
  const inTurn = async (tx: Tx) => {
    await tx`select pg_advisory_xact_lock(${keeperLock})`
    return await work(tx)
  }
  return await transactionWithin(db, limits, inTurn, () => undefined)
}

/** Creates the missing partitions of these weeks. */
export async function makeWeeks(db: Database, weeks: readonly Week[]): Promise<void> {
  const missing = async (query: Query): Promise<Partition[]> => {
    const made = new Set((await listPartitions(query)).map(nameOf))
    return weeks
      .flatMap((week) => historyTables.map((table) => ({ table, week })))
      .filter((partition) => !made.has(nameOf(partition)))
  }
  if ((await db.read(missing)).length === 0) return
  await inTurn(db, async (tx) => {
    for (const partition of await missing(tx)) await makePartition(tx, partition)
  })
}

/** Attached, not created in place: creating it in place would lock the whole table. */
async function makePartition(tx: Tx, partition: Partition): Promise<void> {
  const [table, name, others] = [partition.table.name, nameOf(partition), defaultOf(partition.table)]
  const week = inWeek(partition)
  const strays = await tx.unsafe(`select 1 from ${others} where ${week} limit ${strayRowsMax + 1}`)
  if (strays.length > strayRowsMax) return
  await tx.unsafe(`create table ${name} (like ${table} including all)`)
  if (strays.length > 0)
    await tx.unsafe(`
      with strays as (delete from ${others} where ${week} returning *) insert into ${name} select * from strays`)
  await attach(tx, partition, name)
}

/** Attaches a table as the partition of its week. */
export async function attach(tx: Tx, { table, week }: Partition, name: string): Promise<void> {
  const { from, to } = idRange(table.kind, week)
  await tx.unsafe(`alter table ${table.name} attach partition ${name} for values from ('${from}') to ('${to}')`)
}
