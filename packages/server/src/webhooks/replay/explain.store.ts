// The status of an event at each endpoint of its business, and in Causeway's own objects.

import type { EventSource } from '../../events/catalogue.rules.ts'
import { wantedSql } from '../../events/fan-out.sql.ts'
import type { Query } from '../../platform/postgres/query.ts'
import type { EndpointFacts } from './explain.rules.ts'

/** Deliveries ahead are counted up to this number. */
export const aheadMax = 1_000

/** Lists the facts of each endpoint, oldest first, then of deleted endpoints that had a delivery. */
export async function listEndpointFacts(
  query: Query,
  event: { businessId: string; id: string; type: string; source: EventSource; createdAt: Date },
): Promise<EndpointFacts[]> {
  const first = `dlv_${event.id.slice(4)}`
  return await query<EndpointFacts[]>`
    with known_deliveries as materialized (
      select id, endpoint_id, sequence, 'pending' as status, attempts, last_outcome, next_attempt_at,
        coalesce(next_attempt_at <= now(), false) as is_due, end_user_id, ordered, null::timestamptz as finished_at,
        null as detail
      from deliveries where id >= ${first} and id < ${`${first}~`} and business_id = ${event.businessId}
      union all
      select id, endpoint_id, sequence, status, attempts, last_outcome, null, false, end_user_id, false, finished_at,
        detail
      from finished_deliveries where id >= ${first} and id < ${`${first}~`} and business_id = ${event.businessId}
    ), known as materialized (
      select e.id, e.url, e.status, e.disabled_reason, e.event_types, e.sources, e.created_at, e.updated_at, l.failures, l.failing_since,
        e.created_at > ${event.createdAt} as is_newer,
        (${wantedSql(query, event.source, query`${event.type}::text`)}) as is_wanted
      from webhook_endpoints e join endpoint_lanes l on l.endpoint_id = e.id where e.business_id = ${event.businessId}
    )
    select coalesce(k.id, t.endpoint_id) as endpoint_id, k.url, k.status as endpoint_status, k.disabled_reason, k.event_types, k.sources,
      k.created_at as endpoint_created_at, k.updated_at as endpoint_updated_at, coalesce(k.failures, 0) as failures,
      k.failing_since, coalesce(k.is_newer, false) as is_newer, coalesce(k.is_wanted, false) as is_wanted,
      t.id as delivery_id, t.sequence, t.status as delivery_status, t.attempts, t.last_outcome, t.next_attempt_at, t.is_due,
      t.finished_at, t.detail as last_detail, held.id as held_by, held.next_attempt_at as held_until,
      case when t.status = 'pending' and t.next_attempt_at is null then (
        select count(*)::int from (select 1 from deliveries d where d.endpoint_id = t.endpoint_id
          and d.sequence < t.sequence and d.next_attempt_at is null
          order by d.sequence desc limit ${aheadMax}) before) end as ahead
    from known k full join known_deliveries t on t.endpoint_id = k.id
    left join lateral (
      select d.id, d.next_attempt_at from deliveries d
      where t.ordered and d.ordered and d.endpoint_id = t.endpoint_id and d.end_user_id = t.end_user_id
        and d.sequence < t.sequence and d.next_attempt_at is not null
      order by d.sequence limit 1
    ) held on true
    order by k.created_at nulls last, endpoint_id limit 100`
}

/** Reads whether an event still has to be applied to Causeway's objects. @returns undefined if it was applied */
export async function findEventWork(
  query: Query,
  businessId: string,
  eventId: string,
): Promise<{ state: 'pending' | 'quarantined'; attempts: number; isHeldBack: boolean; dueAt: Date } | undefined> {
  const rows = await query<{ state: 'pending' | 'quarantined'; attempts: number; isHeldBack: boolean; dueAt: Date }[]>`
    select w.state, w.attempts, w.error is not null as is_held_back, w.due_at
    from event_work w join events e on e.id = w.event_id
    where w.event_id = ${eventId} and e.business_id = ${businessId}`
  return rows[0]
}
