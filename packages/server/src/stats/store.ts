// Counts by state, and the changes that are not added to them yet. The true count is the sum of both in one statement.
// Touches counts and count_changes, webhook_endpoints and deliveries for the backlog.

import type { DepositStatus } from '../deposits/state.rules.ts'
import type { Query } from '../platform/postgres/query.ts'

export type Span = 'hour' | 'day'
export type Range = { span: Span; from: Date; to: Date }

type Subject = 'end_user' | 'virtual_account' | 'deposit' | 'attempt'

/**
 * End-users and accounts are counted by current state, whenever they were created: their changes all count as of now.
 */
const always: Range = { span: 'day', from: new Date(0), to: new Date(1) }

/** A statement to select from: begins_at, object_id, state, unit, count, volume. */
const countsOf = (query: Query, businessId: string, subject: Subject, { span, from, to }: Range) => query`
  select begins_at, object_id, state, unit, count, volume from counts
  where business_id = ${businessId} and subject = ${subject} and span = ${span} and begins_at >= ${from} and begins_at < ${to}
  union all
  select date_trunc(${span}::text, at), object_id, state, unit, count, volume from count_changes
  where business_id = ${businessId} and subject = ${subject} and at >= ${from} and at < ${to}`

/** Counts end-users by KYC status, or accounts by status, as of now. */
export async function countByState(query: Query, businessId: string, subject: 'end_user' | 'virtual_account') {
  return await query<{ state: string; count: number }[]>`
    select state, sum(count)::float8 as count from (${countsOf(query, businessId, subject, always)}) c group by state`
}

export type DepositCount = { beginsAt: Date; status: DepositStatus; currency: string; count: number; volume: string }

/** Counts the deposits created in the range, by their status now. */
export async function countDeposits(query: Query, businessId: string, range: Range): Promise<DepositCount[]> {
  return await query<DepositCount[]>`
    select begins_at, state as status, unit as currency, sum(count)::float8 as count, sum(volume)::text as volume
    from (${countsOf(query, businessId, 'deposit', range)}) c
    group by begins_at, state, unit having sum(count) > 0 order by begins_at, state, unit`
}

/** @property beginsAt null: of the whole range */
export type AttemptCount = {
  endpointId: string
  beginsAt: Date | null
  attempts: number
  successRate: number
  p50Ms: number
  p95Ms: number
}

/** Counts the attempts begun in the range for each endpoint, in all and in each span. */
export async function countAttempts(query: Query, businessId: string, range: Range): Promise<AttemptCount[]> {
  return await query<AttemptCount[]>`
    with steps as (
      select object_id, begins_at, unit::int as ms, sum(count) as count,
        coalesce(sum(count) filter (where state = 'delivered'), 0) as delivered
      from (${countsOf(query, businessId, 'attempt', range)}) c
      group by grouping sets ((object_id, unit::int, begins_at), (object_id, unit::int))
    ), running as (
      select *, sum(count) over (partition by object_id, begins_at order by ms) as up_to,
        sum(count) over (partition by object_id, begins_at) as total
      from steps
    )
    select object_id as endpoint_id, begins_at, max(total)::float8 as attempts,
      round(sum(delivered) / max(total), 4)::float8 as success_rate,
      min(ms) filter (where up_to >= 0.5 * total) as p50_ms, min(ms) filter (where up_to >= 0.95 * total) as p95_ms
    from running group by object_id, begins_at order by object_id, begins_at nulls first`
}

/**
 * Counts the waiting deliveries of each endpoint, up to `max` each. In their order: for an endpoint where nothing waits the
 * planner would otherwise read all deliveries.
 */
export async function countBacklogs(query: Query, businessId: string, max: number) {
  return await query<{ endpointId: string; backlog: number }[]>`
    select e.id as endpoint_id, (
      select count(*)::int from (
        select 1 from deliveries d where d.endpoint_id = e.id order by d.sequence limit ${max}) waiting) as backlog
    from webhook_endpoints e where e.business_id = ${businessId} order by e.id`
}

/** Adds changes to the counts: both or neither. @returns how many were added. Crosses businesses. */
export async function addChanges(query: Query, limit: number): Promise<number> {
  const rows = await query<{ taken: number }[]>`
    with taken as (
      delete from count_changes where ctid = any(array(select ctid from count_changes limit ${limit} for update skip locked))
      returning *
    ), summed as (
      select business_id, subject, span, date_trunc(span, at) as begins_at, object_id, state, unit, sum(count) as count,
        sum(volume) as volume
      from taken cross join (values ('hour'), ('day')) spans (span)
      group by business_id, subject, span, 4, object_id, state, unit
      order by business_id, subject, span, 4, object_id, state, unit -- two replicas lock the counts in one order
    ), added as (
      insert into counts as c (business_id, subject, span, begins_at, object_id, state, unit, count, volume)
      select * from summed
      on conflict (business_id, subject, span, begins_at, object_id, state, unit)
        do update set count = c.count + excluded.count, volume = c.volume + excluded.volume
    )
    select count(*)::int as taken from taken`
  return rows[0]?.taken ?? 0
}

/** Deletes counts of attempts begun before. @returns how many. Crosses businesses. */
export async function deleteAttemptCounts(query: Query, days: number, limit: number): Promise<number> {
  const { count } = await query`
    delete from counts where ctid = any(array(
      select ctid from counts where subject = 'attempt' and begins_at < now() - make_interval(days => ${days}) limit ${limit}))`
  return count
}
