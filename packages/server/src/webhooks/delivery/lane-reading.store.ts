// Reads waiting deliveries ahead for the holder of a lane, without writes or locks. Runs across businesses, for the
// send loop.

import { isBehindFailedSql } from '../../events/fan-out.sql.ts'
import type { WaitingDelivery } from '../../events/local-relay.ts'
import type { Query } from '../../platform/postgres/query.ts'
import { inHandSql, isFreeRetrySql, type LaneRequest } from './lanes.store.ts'

/** Total size of the bodies in one read. A body beyond this limit is fetched separately. */
const bytesMax = 8 * 1024 * 1024

/**
 * `news`: number of notifications that the lane had received when it asked. `start`: number of restarts of the read.
 */
export type FreshRequest = { endpointId: string; after: number; limit: number; news: number; start: number }

/** Reads the next deliveries of each lane that were never attempted, in order. */
export async function readFresh(query: Query, lanes: readonly FreshRequest[]): Promise<WaitingDelivery[]> {
  const rows = await readWaiting(
    query,
    query`
      select d.*, d.ordered and ${isBehindFailedSql(query)} as is_behind
      from unnest(${lanes.map((lane) => lane.endpointId)}::text[], ${lanes.map((lane) => lane.after)}::bigint[],
        ${lanes.map((lane) => lane.limit)}::int[]) as lane (endpoint_id, after, room)
      cross join lateral (
        select * from deliveries d
        where d.endpoint_id = lane.endpoint_id and d.sequence > lane.after and d.next_attempt_at is null
        order by d.sequence limit lane.room
      ) d`,
  )
  return rows.sort((a, b) => a.sequence - b.sequence)
}

export type RetryRequest = LaneRequest & { limit: number }

/** Reads the due retries of each lane, the longest overdue first, without deliveries that the holder already has. */
export async function readRetries(query: Query, lanes: readonly RetryRequest[]): Promise<WaitingDelivery[]> {
  return await readWaiting(
    query,
    query`
      with ${inHandSql(query, lanes)}
      select d.*, false as is_behind
      from unnest(${lanes.map((lane) => lane.endpointId)}::text[], ${lanes.map((lane) => lane.limit)}::int[],
        ${lanes.map((lane) => lane.retriesFrom.toISOString())}::timestamptz[]) as lane (endpoint_id, room, retries_from)
      cross join lateral (
        select * from deliveries d
        where d.endpoint_id = lane.endpoint_id and d.next_attempt_at >= lane.retries_from and d.next_attempt_at <= now()
          and ${isFreeRetrySql(query)}
        order by d.next_attempt_at limit lane.room
      ) d`,
    query`order by next_attempt_at, sequence`,
  )
}

/**
 * Reads deliveries that were blocked by a failed delivery of the same end-user, in order, up to the position that the
 * lane has read.
 */
export async function readHeldBack(
  query: Query,
  held: { endpointId: string; endUserId: string; after: number; through: number; limit: number },
): Promise<WaitingDelivery[]> {
  return await readWaiting(
    query,
    query`
      select d.*, false as is_behind from deliveries d
      where d.ordered and d.endpoint_id = ${held.endpointId} and d.end_user_id = ${held.endUserId}
        and d.sequence > ${held.after} and d.sequence <= ${held.through} and d.next_attempt_at is null
        and not ${isBehindFailedSql(query)}
      order by d.sequence limit ${held.limit}`,
    query`order by sequence`,
  )
}

/**
 * Runs a reading, with the event of each delivery. Bodies travel as text: bytes would travel in hexadecimal, twice as long. A
 * body over the limit and a sealed body (its first byte is 1, so it is no text) are left out. Which bodies are over the limit
 * does not matter, so they are counted without an ORDER BY: sorting rows with their bodies took a third of the statement.
 */
async function readWaiting(
  query: Query,
  waiting: ReturnType<Query>,
  order: ReturnType<Query> = query``,
): Promise<WaitingDelivery[]> {
  const rows = await query<(Omit<WaitingDelivery, 'body'> & { text: string | null })[]>`
    select endpoint_id, sequence, id, business_id, event_id, end_user_id, attempts, attempts_before, next_attempt_at,
      next_attempt_at is not null as is_retry, ordered as is_ordered, is_behind, event_type, external_user_id, is_verified,
      case when bytes <= ${bytesMax} and get_byte(body, 0) > 1 then convert_from(body, 'UTF8') end as text
    from (
      select w.*, v.type as event_type, v.external_user_id, v.trust <> 'unverified' as is_verified, v.body,
        sum(octet_length(v.body)) over (rows unbounded preceding) as bytes
      from (${waiting}) w join events v on v.id = any(array[w.event_id])
    ) read ${order}`
  return rows.map(({ text, ...row }) => ({ ...row, body: text === null ? null : Buffer.from(text) }))
}

/** Reads the body of one event, as it is stored. */
export async function readBody(query: Query, eventId: string): Promise<Buffer | undefined> {
  const rows = await query<{ body: Buffer }[]>`select body from events where id = ${eventId}`
  return rows[0]?.body
}
