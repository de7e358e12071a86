// Waiting deliveries of a lane, read ahead by its holder: nothing is written or locked. Crosses businesses, for the send loop.

import type { Query } from '../../platform/postgres/query.ts'
import { inHandSql, type LaneRequest } from './lanes.store.ts'

export type WaitingDelivery = {
  endpointId: string
  sequence: number
  id: string
  businessId: string
  eventId: string
  endUserId: string | null
  attempts: number
  attemptsBefore: number
  /** Tried before, or sent again on demand: it has a time of its own. */
  isRetry: boolean
  /** It stands in the order of its end-user. */
  isOrdered: boolean
  eventType: string
  externalUserId: string | null
  /** False for a provider event that came without a signature. */
  isVerified: boolean
  /** Null when it did not fit into one reading: then it is fetched by itself. */
  body: Buffer | null
  /** An earlier delivery of the same end-user failed and has to be first. */
  isHeld: boolean
}

/** Bodies travel as text: bytes would travel in hexadecimal, twice as long. */
type ReadRow = Omit<WaitingDelivery, 'body'> & { text: string | null }

function withBody({ text, ...row }: ReadRow): WaitingDelivery {
  return { ...row, body: text === null ? null : Buffer.from(text) }
}

export type FreshRequest = { endpointId: string; after: number; limit: number }

/** Reads the next deliveries of each lane that were never tried, in order. @param bytesMax bodies beyond it are left out */
export async function readFresh(
  query: Query,
  lanes: readonly FreshRequest[],
  bytesMax: number,
): Promise<WaitingDelivery[]> {
  const rows = await query<ReadRow[]>`
    ${withEventsSql(
      query,
      query`
        select d.*, d.ordered and exists (
            select 1 from deliveries b where b.ordered and b.endpoint_id = d.endpoint_id and b.end_user_id = d.end_user_id
              and b.sequence < d.sequence and b.next_attempt_at is not null) as is_held
        from unnest(${lanes.map((lane) => lane.endpointId)}::text[], ${lanes.map((lane) => lane.after)}::bigint[],
          ${lanes.map((lane) => lane.limit)}::int[]) as lane (endpoint_id, after, room)
        cross join lateral (
          select * from deliveries d
          where d.endpoint_id = lane.endpoint_id and d.sequence > lane.after and d.next_attempt_at is null
          order by d.sequence limit lane.room
        ) d`,
      bytesMax,
    )}`
  return rows.map(withBody).sort((a, b) => a.sequence - b.sequence)
}

export type RetryRequest = LaneRequest & { limit: number }

/** Reads the deliveries of each lane that are due again, the longest due first, without those in the holder's hands. */
export async function readRetries(
  query: Query,
  lanes: readonly RetryRequest[],
  bytesMax: number,
): Promise<WaitingDelivery[]> {
  const rows = await query<ReadRow[]>`
    with ${inHandSql(query, lanes)}
    ${withEventsSql(
      query,
      query`
        select d.*, false as is_held
        from unnest(${lanes.map((lane) => lane.endpointId)}::text[], ${lanes.map((lane) => lane.limit)}::int[],
          ${lanes.map((lane) => lane.retriesFrom.toISOString())}::timestamptz[]) as lane (endpoint_id, room, retries_from)
        cross join lateral (
          select * from deliveries d
          where d.endpoint_id = lane.endpoint_id and d.next_attempt_at >= lane.retries_from and d.next_attempt_at <= now()
            and not exists (select 1 from in_hand b where b.endpoint_id = d.endpoint_id and b.sequence = d.sequence)
            and not (d.ordered and exists (
              select 1 from deliveries b where b.ordered and b.endpoint_id = d.endpoint_id and b.end_user_id = d.end_user_id
                and b.sequence < d.sequence and b.next_attempt_at is not null))
          order by d.next_attempt_at limit lane.room
        ) d`,
      bytesMax,
    )}
    order by next_attempt_at, sequence`
  return rows.map(withBody)
}

/** Reads what was held back behind a failed delivery of the same end-user, in order, up to where the lane has been read. */
export async function readHeldBack(
  query: Query,
  held: { endpointId: string; endUserId: string; after: number; through: number; limit: number },
  bytesMax: number,
): Promise<WaitingDelivery[]> {
  const rows = await query<ReadRow[]>`
    ${withEventsSql(
      query,
      query`
        select d.*, false as is_held from deliveries d
        where d.ordered and d.endpoint_id = ${held.endpointId} and d.end_user_id = ${held.endUserId}
          and d.sequence > ${held.after} and d.sequence <= ${held.through} and d.next_attempt_at is null
          and not exists (select 1 from deliveries b where b.ordered and b.endpoint_id = d.endpoint_id
            and b.end_user_id = d.end_user_id and b.sequence < d.sequence and b.next_attempt_at is not null)
        order by d.sequence limit ${held.limit}`,
      bytesMax,
    )}
    order by sequence`
  return rows.map(withBody)
}

/**
 * Adds event and body to each row. A body over the limit and a sealed body (its first byte is 1, so it is no text) are fetched
 * by themselves later. Which bodies are over the limit does not matter, so there is no ORDER BY: sorting rows with their bodies
 * took a third of the statement.
 */
const withEventsSql = (query: Query, waiting: ReturnType<Query>, bytesMax: number) => query`
  select endpoint_id, sequence, id, business_id, event_id, end_user_id, attempts, attempts_before, next_attempt_at,
    next_attempt_at is not null as is_retry, ordered as is_ordered, is_held, event_type, external_user_id, is_verified, case when bytes <= ${bytesMax} and get_byte(body, 0) > 1 then convert_from(body, 'UTF8') end as text
  from (
    select w.*, v.type as event_type, v.external_user_id, v.trust <> 'unverified' as is_verified, v.body,
      sum(octet_length(v.body)) over (rows unbounded preceding) as bytes
    from (${waiting}) w join events v on v.id = any(array[w.event_id])
  ) read`

export async function readBody(query: Query, eventId: string): Promise<Buffer | undefined> {
  const rows = await query<{ body: Buffer }[]>`select body from events where id = ${eventId}`
  return rows[0]?.body
}
