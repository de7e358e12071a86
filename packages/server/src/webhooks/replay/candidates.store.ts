// What a replay may send again: the events of its range with the state of their deliveries to the endpoint, or only the
// deliveries that failed.

import { sourceSql, subscribedSql } from '../../events/fan-out.sql.ts'
import type { Query } from '../../platform/postgres/query.ts'
import { idTime } from '../../platform/values/ids.ts'
import type { DeliveryState } from './replay.rules.ts'
import type { DueReplay } from './store.ts'

export type ReplayCandidate = { eventId: string; deliveryId: string; position: number; delivery: DeliveryState }

// The range counts by the database's clock, ids by the clock of the server that ingested the event.
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
      case when d.id is not null then 'pending' when f.id is not null then f.status
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
 * Reads the next failed deliveries of the endpoint, in the order of their numbers, by the index that holds only failed ones.
 * @returns `through`: the number up to which they are complete
 */
export async function readFailed(
  query: Query,
  replay: DueReplay,
  limit: number,
): Promise<{ candidates: ReplayCandidate[]; through: number }> {
  const { businessId, endpointId } = replay
  const rows = await query<(ReplayCandidate & { isMeant: boolean | null })[]>`
    select f.event_id, f.id as delivery_id, f.sequence as position, f.status as delivery, e.is_meant
    from (
      select * from finished_deliveries
      where business_id = ${businessId} and endpoint_id = ${endpointId} and status <> 'delivered'
        and sequence > ${replay.position} and sequence <= ${replay.lastPosition}
      order by sequence limit ${limit}
    ) f
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

/** A condition on an event: of the replay's range, types and end-user. */
function isMeant(query: Query, { rangeFrom, rangeTo, eventTypes, sources, endUserId }: DueReplay) {
  const oldest = `evt_${idTime(Math.max(0, rangeFrom.getTime() - clocksApartMs))}`
  const newest = `evt_${idTime(rangeTo.getTime() + clocksApartMs)}`
  return query`
    id >= ${oldest} and id < ${newest} and created_at >= ${rangeFrom} and created_at < ${rangeTo}
    and ${subscribedSql(query, query`${eventTypes}::text[]`, query`type`)}
    and ${sourceSql(query)} = any(${sources}::text[])
    and ${endUserId === null ? query`true` : query`end_user_id = ${endUserId}`}`
}

/** Lists the endpoints that have failed deliveries, in the order in which lanes are locked. @param endpointId null for all */
export async function endpointsWithFailed(
  query: Query,
  businessId: string,
  endpointId: string | null,
): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select id from webhook_endpoints e
    where business_id = ${businessId} and ${endpointId === null ? query`true` : query`id = ${endpointId}`}
      and exists (
        select 1 from finished_deliveries f
        where f.business_id = ${businessId} and f.endpoint_id = e.id and f.status <> 'delivered')
    order by id`
  return rows.map(({ id }) => id)
}
