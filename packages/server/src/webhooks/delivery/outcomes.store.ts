// Stores outcomes of deliveries in batches, for the holder of the lanes. Runs across businesses, for the send loop.

import type { Query } from '../../platform/postgres/query.ts'
import { countedAttemptsSql } from '../../stats/attempts.sql.ts'
import type { Hold } from './lanes.store.ts'

export type Outcome = Hold & {
  sequence: number
  /** Attempts before this one: a second fence, per row. */
  attempts: number
  /** Attempts before the current retry schedule started, as read: a resend starts a new schedule. */
  attemptsBefore: number
  status: 'delivered' | 'exhausted' | 'retrying'
  /** Only for `retrying`. */
  retryInMs: number | null
  outcome: string
  httpStatus: number | null
  responseBody: string | null
  /** Response headers of a failed attempt, as JSON. */
  responseHeaders: string | null
  /** Replaces headers and text if the event is stored encrypted. */
  responseSealed: Buffer | null
  /** The request headers that do not follow from the delivery and its event. */
  sentAs: string | null
  detail: string | null
  durationMs: number
  startedAt: Date
}

/**
 * Writes outcomes: a finished delivery moves to the history with its last attempt, a failed one gets its next time.
 * - The hold is the fence: a former holder writes nothing.
 * - Result rows are matched by their place, not joined back: batches of 500 would make that 250,000 comparisons.
 * - `any(array[…])` is an equality that forces the index. Sent rows stay as dead rows by the thousand, and reading the
 * whole table seems cheap while it has few others.
 * - A delivery that was resent during its attempt is due at once if that attempt failed, on a new schedule.
 * @returns the written outcomes, with the milliseconds until the next attempt; null if the delivery is finished
 */
export async function writeOutcomes(
  query: Query,
  owner: string,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<Outcome, number | null>> {
  const rows = [...outcomes].sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1) || a.sequence - b.sequence)
  const written = await query<{ place: number; retryInMs: number | null }[]>`
    with input as materialized (
      select i.* from unnest(${rows.map((row) => row.endpointId)}::text[], ${rows.map((row) => row.fence)}::bigint[],
        ${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.attempts)}::int[],
        ${rows.map((row) => row.attemptsBefore)}::int[], ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.retryInMs)}::float8[],
        ${rows.map((row) => row.outcome)}::text[], ${rows.map((row) => row.httpStatus)}::int[],
        ${rows.map((row) => row.responseBody)}::text[], ${rows.map((row) => row.responseHeaders)}::text[],
        ${rows.map((row) => row.responseSealed)}::bytea[], ${rows.map((row) => row.sentAs)}::text[],
        ${rows.map((row) => row.detail)}::text[], ${rows.map((row) => row.durationMs)}::int[], ${rows.map((row) => row.startedAt.toISOString())}::timestamptz[]
      ) with ordinality as i (endpoint_id, fence, sequence, attempts, attempts_before, status, retry_in_ms, outcome,
        http_status, response_body, response_headers, response_sealed, sent_as, detail, duration_ms, started_at, place)
      where (select l.owner = ${owner} and l.fence = i.fence from endpoint_lanes l where l.endpoint_id = i.endpoint_id)
    ), last as materialized (
      -- Locked first: a repeat on demand that races with this is seen, or finds the delivery in the history.
      select i.place, d.attempts_before <> i.attempts_before as is_asked_for
      from input i join deliveries d on d.endpoint_id = any(array[i.endpoint_id]) and d.sequence = any(array[i.sequence]) and d.attempts = i.attempts
      where i.status = 'exhausted' for no key update of d
    ), gone as (
      delete from deliveries d using input i
      where d.endpoint_id = any(array[i.endpoint_id]) and d.sequence = any(array[i.sequence]) and d.attempts = i.attempts
        and (i.status = 'delivered' or i.place in (select place from last where not is_asked_for))
      returning d.id, d.endpoint_id, d.sequence, d.business_id, d.event_id, d.end_user_id, d.attempts, d.created_at, i.status,
        i.outcome, i.http_status, i.response_body, i.response_headers, i.response_sealed, i.sent_as, i.detail, i.duration_ms,
        i.started_at, i.place
    ), finished as (
      insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts,
        last_outcome, http_status, response_body, response_headers, response_sealed, sent_as, detail, duration_ms, started_at,
        created_at)
      select id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts + 1, outcome, http_status,
        response_body, response_headers, response_sealed, sent_as, detail, duration_ms, started_at, created_at from gone
    ), kept as (
      update deliveries d set attempts = d.attempts + 1, last_outcome = i.outcome,
        next_attempt_at = case when d.attempts_before = i.attempts_before
          then now() + make_interval(secs => i.retry_in_ms / 1000) else now() end,
        attempts_before = case when d.attempts_before = i.attempts_before then d.attempts_before else d.attempts + 1 end
      from input i
      where d.endpoint_id = any(array[i.endpoint_id]) and d.sequence = any(array[i.sequence]) and d.attempts = i.attempts
        and (i.status = 'retrying' or i.place in (select place from last where is_asked_for))
      returning d.id, d.business_id, d.endpoint_id, i.attempts, i.outcome, i.http_status, i.response_body,
        i.response_headers, i.response_sealed, i.sent_as, i.detail, i.duration_ms, i.started_at, i.place, (extract(epoch from d.next_attempt_at - now()) * 1000)::float8 as retry_in_ms
    ), attempts as (
      insert into delivery_attempts (delivery_id, attempt, business_id, outcome, http_status, response_body,
        response_headers, response_sealed, sent_as, detail, duration_ms, started_at)
      select id, attempts + 1, business_id, outcome, http_status, response_body, response_headers, response_sealed, sent_as,
        detail, duration_ms, started_at from kept
    ), ${countedAttemptsSql(query)}
    select place, null::float8 as retry_in_ms from gone union all select place, retry_in_ms from kept`
  return new Map(
    written.flatMap(({ place, retryInMs }) => {
      const row = rows[place - 1]
      return row ? [[row, retryInMs] as const] : []
    }),
  )
}
