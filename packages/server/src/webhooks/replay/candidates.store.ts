// The candidates of a replay: the events of its range with their delivery status at the endpoint, or only the
// deliveries that were attempted and not delivered.

import { sourceSql, subscribedSql } from '../../events/fan-out.sql.ts'
import { only } from '../../platform/postgres/database.ts'
import type { Query } from '../../platform/postgres/query.ts'
import { idTime } from '../../platform/values/ids.ts'
import { countedMax, type DeliveryState } from './replay.rules.ts'
import type { DueReplay, NewReplay } from './store.ts'

export type ReplayCandidate = { eventId: string; deliveryId: string; position: number; delivery: DeliveryState }

// The range uses the database's clock, IDs the clock of the server that ingested the event.
const clocksApartMs = 24 * 60 * 60 * 1_000

/**
 * Reads the next events of the range with the state of their deliveries to the endpoint, in the order of the stream.
 * @returns `through`: the place up to which the events are complete
 */
export async function readCandidates(
  query: Query,
  replay: DueReplay,
  { through, limit }: { through: number; limit: number },
): Promise<{ candidates: ReplayCandidate[]; through: number }> {
  const { businessId, endpointId } = replay
  const candidates = await query<ReplayCandidate[]>`
    select e.id as event_id, e.position, e.delivery_id,
      case when d.attempts > d.attempts_before then 'retrying' when d.id is not null then 'pending' when f.id is not null then f.status
        when e.trust in ('test', 'stream') then 'not_addressed' else 'missing' end as delivery
    from (
      select id, position, trust, 'dlv_' || substr(id, 5) || right(${endpointId}, 6) as delivery_id from events
      where business_id = ${businessId} and position > ${replay.position} and position <= ${through}
        and ${isMeant(query, replay)}
      order by position limit ${limit}
    ) e
    left join deliveries d on d.business_id = ${businessId} and d.id = e.delivery_id
    left join finished_deliveries f on f.id = e.delivery_id
    order by e.position`
  const last = candidates.at(-1)
  return { candidates, through: candidates.length === limit && last ? last.position : through }
}

/**
 * Reads the next deliveries of the endpoint that were attempted and not delivered, in the order of their numbers, by the two
 * indexes that hold only such deliveries.
 * @returns `through`: the number up to which they are complete
 */
export async function readFailed(
  query: Query,
  replay: DueReplay,
  limit: number,
): Promise<{ candidates: ReplayCandidate[]; through: number }> {
  const { businessId } = replay
  const rows = await query<(ReplayCandidate & { isMeant: boolean | null })[]>`
    select f.event_id, f.id as delivery_id, f.sequence as position, f.status as delivery, e.is_meant
    from (${failedOf(query, replay, limit)}) f
    left join lateral (
      select ${isMeant(query, replay)} as is_meant from events where business_id = ${businessId} and id = f.event_id limit 1
    ) e on true
    order by f.sequence`
  const last = rows.at(-1)
  return {
    candidates: rows.filter((row) => row.isMeant),
    through: rows.length === limit && last ? last.position : replay.lastPosition,
  }
}

/** A delivery that is already due on a new schedule (`attempts_before` is `attempts`) is in progress. */
function failedOf(query: Query, { businessId, endpointId, position, lastPosition }: FailedRange, limit: number) {
  const within = query`
    business_id = ${businessId} and endpoint_id = ${endpointId}
    and ${position === undefined ? query`true` : query`sequence > ${position} and sequence <= ${lastPosition ?? 0}`}
    order by sequence limit ${limit}`
  return query`
    select * from (
      (select id, event_id, sequence, status from finished_deliveries where status <> 'delivered' and ${within})
      union all
      (select id, event_id, sequence, 'retrying' from deliveries
        where attempts > 0 and attempts > attempts_before and ${within})
    ) either order by sequence limit ${limit}`
}

type FailedRange = Pick<DueReplay, 'businessId' | 'endpointId'> & Partial<Pick<DueReplay, 'position' | 'lastPosition'>>

/** Counts what a replay of `failed` will resend, among the first `countedMax` failed deliveries of its endpoint. */
export async function countFailed(query: Query, replay: FailedRange & Meant): Promise<number> {
  const rows = await query<{ count: number }[]>`
    select count(*)::int as count from (${failedOf(query, replay, countedMax)}) f
    where exists (
      select 1 from events where business_id = ${replay.businessId} and id = f.event_id and ${isMeant(query, replay)})`
  return only(rows).count
}

type Meant = Pick<NewReplay, 'rangeFrom' | 'rangeTo' | 'eventTypes' | 'sources' | 'endUserId'>

/** A condition on events: the replay's range, types and end-user. */
function isMeant(query: Query, { rangeFrom, rangeTo, eventTypes, sources, endUserId }: Meant) {
  const oldest = `evt_${idTime(Math.max(0, rangeFrom.getTime() - clocksApartMs))}`
  const newest = `evt_${idTime(rangeTo.getTime() + clocksApartMs)}`
  return query`
    id >= ${oldest} and id < ${newest} and created_at >= ${rangeFrom} and created_at < ${rangeTo}
    and ${subscribedSql(query, query`${eventTypes}::text[]`, query`type`)}
    and ${sourceSql(query)} = any(${sources}::text[])
    and ${endUserId === null ? query`true` : query`end_user_id = ${endUserId}`}`
}

/** Lists the endpoints that have deliveries which were attempted and not delivered, in the order in which lanes are locked. @param endpointId null for all */
export async function endpointsWithFailed(
  query: Query,
  businessId: string,
  endpointId: string | null,
): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select id from webhook_endpoints e
    where business_id = ${businessId} and ${endpointId === null ? query`true` : query`id = ${endpointId}`}
      and (
        exists (
          select 1 from finished_deliveries f
          where f.business_id = ${businessId} and f.endpoint_id = e.id and f.status <> 'delivered')
        or exists (
          select 1 from deliveries d
          where d.business_id = ${businessId} and d.endpoint_id = e.id and d.attempts > 0 and d.attempts > d.attempts_before))
    order by id`
  return rows.map(({ id }) => id)
}
