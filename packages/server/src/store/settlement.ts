// Outcomes of deliveries, written in batches by whoever holds the lane. Crosses businesses, for the send loop.

import type { Query } from './db.ts'
import type { Hold } from './lanes.ts'

export type Outcome = Hold & {
  sequence: number
  /** Attempts before this one: part of the fence. */
  attempts: number
  status: 'delivered' | 'exhausted' | 'pending'
  /** Only for `pending`. */
  retryInMs: number | null
  outcome: string
  httpStatus: number | null
  responseBody: string | null
  detail: string | null
  durationMs: number
  startedAt: Date
}

/**
 * Writes outcomes: what is over leaves for the history, what failed gets its next time, every attempt is kept. One
 * statement, fenced by the hold: a former holder settles nothing. Nothing is joined back: batches of 500 would make that
 * 250,000 comparisons.
 * @returns those that were written
 */
export async function settle(query: Query, owner: string, outcomes: readonly Outcome[]): Promise<ReadonlySet<Outcome>> {
  const rows = [...outcomes].sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1) || a.sequence - b.sequence)
  const settled = await query<{ place: number }[]>`
    with input as materialized (
      select i.* from unnest(${rows.map((row) => row.endpointId)}::text[], ${rows.map((row) => row.fence)}::bigint[],
        ${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.attempts)}::int[],
        ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.retryInMs)}::float8[],
        ${rows.map((row) => row.outcome)}::text[], ${rows.map((row) => row.httpStatus)}::int[],
        ${rows.map((row) => row.responseBody)}::text[], ${rows.map((row) => row.detail)}::text[],
        ${rows.map((row) => row.durationMs)}::int[], ${rows.map((row) => row.startedAt.toISOString())}::timestamptz[]
      ) with ordinality as i (endpoint_id, fence, sequence, attempts, status, retry_in_ms, outcome, http_status,
        response_body, detail, duration_ms, started_at, place)
      where (select l.owner = ${owner} and l.fence = i.fence from endpoint_lanes l where l.endpoint_id = i.endpoint_id)
    ), gone as (
      delete from deliveries d using input i
      where i.status <> 'pending' and d.endpoint_id = i.endpoint_id and d.sequence = i.sequence and d.attempts = i.attempts
      returning d.id, d.endpoint_id, d.sequence, d.business_id, d.event_id, d.end_user_id, d.attempts, d.created_at, i.status,
        i.outcome, i.http_status, i.response_body, i.detail, i.duration_ms, i.started_at, i.place
    ), finished as (
      insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts,
        last_outcome, created_at)
      select id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts + 1, outcome, created_at from gone
    ), kept as (
      update deliveries d set attempts = d.attempts + 1, last_outcome = i.outcome,
        next_attempt_at = now() + make_interval(secs => i.retry_in_ms / 1000)
      from input i
      where i.status = 'pending' and d.endpoint_id = i.endpoint_id and d.sequence = i.sequence and d.attempts = i.attempts
      returning d.id, d.business_id, i.attempts, i.outcome, i.http_status, i.response_body, i.detail, i.duration_ms, i.started_at, i.place
    ), settled as (
      select id, business_id, attempts, outcome, http_status, response_body, detail, duration_ms, started_at, place from gone
      union all select * from kept
    ), attempts as (
      insert into delivery_attempts (delivery_id, attempt, business_id, outcome, http_status, response_body, detail,
        duration_ms, started_at)
      select id, attempts + 1, business_id, outcome, http_status, response_body, detail, duration_ms, started_at from settled
    )
    select place from settled`
  return new Set(settled.flatMap(({ place }) => rows[place - 1] ?? []))
}
