// Counts delivery attempts: a part of the statement that stores their outcomes.

import type { Query } from '../platform/postgres/query.ts'

// Six steps per power of ten: a count per millisecond would need as many rows as there are attempts.
const stepsMs = [
  ...[1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700],
  ...[1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 50_000, 70_000],
]

/** `counted`, from the CTEs `gone` and `kept` (business_id, endpoint_id, started_at, duration_ms; of `gone` also status). */
export const countedAttemptsSql = (query: Query) => query`
  counted as (
    insert into count_changes (business_id, subject, at, object_id, state, unit, count)
    select business_id, 'attempt', date_trunc('hour', started_at), endpoint_id, state, ${stepSql(query)}, count(*)
    from (
      select business_id, started_at, endpoint_id, case status when 'delivered' then 'delivered' else 'failed' end as state,
        duration_ms from gone
      union all select business_id, started_at, endpoint_id, 'failed', duration_ms from kept
    ) a
    group by business_id, 3, endpoint_id, state, 6
  )`

/** The smallest step that is at least `duration_ms`, as text. */
export const stepSql = (query: Query) => {
  const steps = query.unsafe(`array[${stepsMs.join()}]`)
  return query`(${steps})[1 + width_bucket(least(duration_ms, ${query.unsafe(String(stepsMs.at(-1)))}) - 1, ${steps})]::text`
}
