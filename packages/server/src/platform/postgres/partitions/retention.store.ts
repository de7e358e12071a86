// Retention of history: whole weeks are dropped, rows outside of the weeks are deleted one by one. Crosses businesses.
// An event that is still needed is kept: its week is rewritten with only such events in it. Touches events, event_work,
// received_events, requests, deliveries, finished_deliveries, delivery_attempts and relay_owners.

import type { Query, Tx } from '../query.ts'
import {
  attach,
  defaultOf,
  type HistoryTable,
  idRange,
  inWeek,
  nameOf,
  type Partition,
  type Week,
} from './partitions.ts'

/** `waiting`: so many of its events are still needed that rewriting would save nothing. */
export type RetentionResult = { kept: number; outcome: 'dropped' | 'rewritten' | 'waiting' }

/** Above this number the second look for waiting events, under the lock, would take more than about 100 ms. */
const keptMax = 100_000

/** Drops a week of history, except the events that are still needed. */
export async function dropPartition(tx: Tx, partition: Partition): Promise<RetentionResult> {
  if (partition.table.name === 'events') return await dropEvents(tx, partition)
  await tx.unsafe(`drop table ${nameOf(partition)}`)
  return { kept: 0, outcome: 'dropped' }
}

/**
 * The long work is done before the table is locked. Events that began to wait in the meantime are added under the lock.
 */
async function dropEvents(tx: Tx, partition: Partition): Promise<RetentionResult> {
  const name = nameOf(partition)
  const kept = `${name}_kept`
  const week = inWeek(partition)
  const waiting = waitingIn(partition.week)
  const [{ waits, total }] = (await tx.unsafe(`
    select (select count(*)::int from (${waiting}) w) as waits, (select count(*)::int from ${name}) as total`)) as [
    { waits: number; total: number },
  ]
  if (waits > keptMax || waits * 2 > total) return { kept: waits, outcome: 'waiting' }
  // With this check, attaching does not read every row.
  await tx.unsafe(`create table ${kept} (like events including all, check (${week}))`)
  const keep = `insert into ${kept} select * from ${name} where id in (${waiting}) on conflict do nothing`
  if (waits > 0) await tx.unsafe(keep)
  await tx.unsafe('lock table events in access exclusive mode')
  await tx.unsafe(keep)
  await tx.unsafe(`drop table ${name}`)
  const [{ rows }] = (await tx.unsafe(`select count(*)::int as rows from ${kept}`)) as [{ rows: number }]
  if (rows === 0) {
    await tx.unsafe(`drop table ${kept}`)
  } else {
    await attach(tx, partition, kept)
    await tx.unsafe(`alter table ${kept} rename to ${name}`)
  }
  const { from, to } = idRange('event', partition.week)
  await tx`
    delete from event_work w where w.event_id >= ${from} and w.event_id < ${to}
      and not exists (select 1 from events e where e.id = w.event_id)`
  return { kept: rows, outcome: rows === 0 ? 'dropped' : 'rewritten' }
}

/** Events of the week that wait for an endpoint, for their effect, or, if the provider signed them, for an owner. */
function waitingIn(week: Week): string {
  const [events, deliveries] = [idRange('event', week), idRange('delivery', week)]
  return `
    select d.event_id as id from businesses b cross join lateral (
      select event_id from deliveries
      where business_id = b.id and id >= '${deliveries.from}' and id < '${deliveries.to}') d
    union
    select w.event_id from event_work w join events e on e.id = w.event_id
    where w.event_id >= '${events.from}' and w.event_id < '${events.to}' and ${isWaiting}`
}

/** A condition on `event_work` w and `events` e. */
const isWaiting = `w.state = 'pending' and (e.business_id is not null or e.trust = 'verified')`

const timeOf = { events: 'created_at', finished_deliveries: 'finished_at', delivery_attempts: 'started_at' } as const

type TimedTable = HistoryTable & { name: keyof typeof timeOf }

export const hasTimeColumn = (table: HistoryTable): table is TimedTable => Object.hasOwn(timeOf, table.name)

/** A page of the default partition, in the order of its key. */
export type Page = { after: string; horizon: Date; limit: number }

/** Deletes rows older than the horizon that are not needed. @returns the key of the next page; undefined at the end */
export async function sweepDefault(query: Query, table: TimedTable, page: Page): Promise<string | undefined> {
  const [others, key] = [query.names(defaultOf(table)), query.names(table.key)]
  const isOver = table.name === 'events' ? isOverIn(query) : query`true`
  const rows = await query<{ last: string; seen: number }[]>`
    with page as materialized (
      select ${key} as key, business_id, ${query.names(timeOf[table.name])} as at from ${others} where ${key} > ${page.after}
      order by ${key} limit ${page.limit}
    ), old as materialized (
      select distinct key from page p where at < ${page.horizon} and ${isOver}
    ), gone as (
      delete from ${others} where ${key} in (select key from old) returning ${key} as key
    ), work as (
      ${table.name === 'events' ? query`delete from event_work where event_id in (select key from gone)` : query`select 1`}
    )
    select max(key) as last, count(*)::int as seen from page`
  const [row] = rows
  return row?.seen === page.limit ? row.last : undefined
}

/** The IDs of an event's deliveries begin with the event's ID. */
const isOverIn = (query: Query) => query`
  not exists (
    select 1 from deliveries d where d.business_id = p.business_id
      and d.id >= 'dlv_' || substr(p.key, 5) and d.id < 'dlv_' || substr(p.key, 5) || '~')
  and not exists (
    select 1 from event_work w join events e on e.id = w.event_id where w.event_id = p.key and ${query.unsafe(isWaiting)})`

/**
 * `received_events` by its BRIN index. The default partition of requests is almost empty, and has no index that starts
 * with the ID.
 */
const sweptById = {
  received_events: { key: 'event_id', kind: 'event' },
  requests_default: { key: 'id', kind: 'request' },
} as const

export type SweptById = keyof typeof sweptById

/** Deletes rows whose ID was created before this time. @returns how many */
export async function sweepById(query: Query, table: SweptById, beforeMs: number, limit: number): Promise<number> {
  const { key, kind } = sweptById[table]
  const { from } = idRange(kind, { fromMs: beforeMs, toMs: beforeMs })
  const { count } = await query`
    delete from ${query.names(table)} where ctid = any(array(
      select ctid from ${query.names(table)} where ${query.names(key)} < ${from} limit ${limit}))`
  return count
}

/** Deletes replicas that have been silent for a day. */
export async function sweepOwners(query: Query): Promise<void> {
  await query`delete from relay_owners where lease_until < now() - interval '1 day'`
}
