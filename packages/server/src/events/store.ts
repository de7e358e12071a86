// Stored events: committed before they are acknowledged, each with its place in its business's stream.

import { willLock } from '../platform/postgres/lock-order.ts'
import { allOf, type PageRequest, readPage, type TimeRange } from '../platform/postgres/paging.ts'
import { inWeeksSql } from '../platform/postgres/partitions/partitions.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { EventSource } from './catalogue.rules.ts'
import {
  deliveriesOfOneSql,
  isBehindFailedSql,
  madeInLanesOf,
  nobody,
  notifySql,
  placeOfOneSql,
  type StoredRow,
  sourceSql,
} from './fan-out.sql.ts'

export type EventOwner = {
  businessId: string
  endUserId: string | null
  virtualAccountId: string | null
  externalUserId: string | null
}

export type EventRow = { [Member in keyof EventOwner]: EventOwner[Member] | null } & {
  id: string
  /** Without gaps within the business, in commit order; null until the owner is known. */
  position: number | null
  providerEventId: string | null
  /**
   * `own`: created by this service; `test`: a test event; `stream`: for readers of the stream only. A provider event
   * with a valid signature is `verified`.
   */
  trust: 'verified' | 'unverified' | 'own' | 'test' | 'stream'
  type: string
  body: Buffer
  createdAt: Date
}

/**
 * Locks the stream: no other transaction stores an event of this business before this one ends. Must run before any
 * lock on a lane.
 */
export async function lockStream(tx: Tx, businessId: string): Promise<void> {
  willLock(tx, 'stream')
  await tx`
    select 1 from event_streams where business_id = ${businessId} order by position desc limit 1 for no key update`
}

/**
 * Sends the statement that stores an event of this service with its deliveries.
 * @param target makes the event a test for this endpoint only, regardless of its event types; or an event of the
 * stream, which no endpoint receives
 * @param relay the replica in this process, which gets the deliveries in its lanes instead of a notification; null for none
 * @param committed receives these deliveries once the transaction is committed
 */
export function insertBusinessEvent(
  tx: Tx,
  event: { id: string; type: string; body: Buffer; owner: EventOwner },
  target: string | typeof nobody | null,
  relay: string | null,
  committed: (stored: StoredRow[]) => void,
): void {
  const { owner } = event
  willLock(tx, 'stream')
  const statement = tx<(StoredRow | { deliveryId: null })[]>`
    with routed as (
      select ${event.id}::text as id, ${owner.businessId}::text as business_id, ${owner.endUserId}::text as end_user_id,
        ${event.type}::text as type
    ), ${placeOfOneSql(tx)}, ${deliveriesOfOneSql(tx, 'causeway', target)}, stored as (
      insert into events (id, business_id, end_user_id, virtual_account_id, external_user_id, position, trust, type, body)
      select id, business_id, end_user_id, ${owner.virtualAccountId}, ${owner.externalUserId}, position,
        ${target === null ? 'own' : target === nobody ? 'stream' : 'test'}, type,
        ${event.body} from placed
    )
    select (${notifySql(tx, relay)}), d.*, d.is_ordered and ${isBehindFailedSql(tx)} as is_behind
    from placed left join (${madeInLanesOf(tx, relay)}) d on true`
  tx.send(statement, (rows) => committed(rows.flatMap((row) => (row.deliveryId === null ? [] : row))))
}

/** Assigns a place and deliveries to an event that arrived without an owner. */
export async function routeEvent(tx: Tx, eventId: string, owner: EventOwner): Promise<void> {
  willLock(tx, 'stream')
  await tx`
    with routed as materialized (
      select id, ${owner.businessId}::text as business_id, ${owner.endUserId}::text as end_user_id, type
      from events where id = ${eventId} and business_id is null
    ), ${placeOfOneSql(tx)}, ${deliveriesOfOneSql(tx, 'provider')}, owned as (
      update events e set business_id = p.business_id, end_user_id = p.end_user_id, position = p.position,
        virtual_account_id = ${owner.virtualAccountId}, external_user_id = ${owner.externalUserId}
      from placed p where e.id = p.id
    )
    ${notifySql(tx)}`
}

const trustLevels = ['verified', 'unverified'] as const satisfies readonly EventRow['trust'][]

/** The deduplication key of a provider event: a forged event is stored next to the real one. */
export const receivedKey = (provider: string, trust: (typeof trustLevels)[number], providerEventId: string): string =>
  `${provider}/${trust}:${providerEventId}`

export type EventFilter = {
  externalUserId?: string
  virtualAccountId?: string
  eventType?: string
  providerEventId?: string
  sources?: readonly EventSource[]
} & TimeRange

/** Lists events in the order of the business's stream, newest first. */
export async function listEvents(
  query: Query,
  provider: string,
  businessId: string,
  filter: EventFilter,
  page: PageRequest,
) {
  const { externalUserId, virtualAccountId, eventType, providerEventId, sources, createdAfter, createdBefore } = filter
  const keys = trustLevels.map((trust) => receivedKey(provider, trust, providerEventId ?? ''))
  const scan = query`
    select * from events where business_id = ${businessId}
      and ${providerEventId === undefined ? query`true` : query`id in (select event_id from received_events where key = any(${keys}::text[]))`}
      and ${inWeeksSql(query, 'event', filter)}
      and ${page.after ? query`position < (select position from events where id = ${page.after.id})` : query`true`}
    order by position desc`
  const fits = allOf(query, [
    externalUserId === undefined ? null : query`external_user_id = ${externalUserId}`,
    virtualAccountId === undefined ? null : query`virtual_account_id = ${virtualAccountId}`,
    sources === undefined ? null : query`${sourceSql(query)} = any(${[...sources]}::text[])`,
    eventType === undefined ? null : query`type = ${eventType}`,
    createdAfter ? query`created_at > ${createdAfter}` : null,
    createdBefore ? query`created_at < ${createdBefore}` : null,
  ])
  return await readPage<EventRow>(query, { scan, fits, order: query`position desc` }, page)
}

export async function findEvent(query: Query, businessId: string, id: string): Promise<EventRow | undefined> {
  const rows = await query<EventRow[]>`select * from events where business_id = ${businessId} and id = ${id}`
  return rows[0]
}

/** Where to start reading a stream: after a place, with the oldest stored event, or after the newest. */
export type StreamStart = number | 'oldest' | 'newest'

/**
 * Reads the next events of a business by their places, and the end of the stream in one statement. Places are assigned
 * under a lock that lasts until the commit, so there are no gaps, except where retention has deleted events.
 * @returns `after`: the place after which it was read; `last`: the last place assigned
 */
export async function readStream(query: Query, businessId: string, start: StreamStart, limit: number) {
  const after =
    start === 'oldest'
      ? query`coalesce((select min(position) - 1 from events where business_id = ${businessId}), s.last)`
      : start === 'newest'
        ? query`s.last`
        : query`${start}::bigint`
  type Row = { after: number; last: number } & (EventRow | { [Member in keyof EventRow]: null })
  const rows = await query<Row[]>`
    with stream as materialized (
      select s.last, ${after} as after
      from (select coalesce(max(position), 0) as last from event_streams where business_id = ${businessId}) s
    )
    select stream.after, stream.last, e.* from stream left join lateral (
      select * from events where business_id = ${businessId} and position > stream.after order by position limit ${limit}
    ) e on true order by e.position`
  const [first] = rows
  if (!first) throw new Error('a stream has an end, even an empty one')
  return { after: first.after, last: first.last, events: rows.flatMap((row) => (row.id === null ? [] : row)) }
}
