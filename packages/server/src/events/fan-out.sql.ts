// Assigns places and deliveries to events: parts of statements over event_streams, webhook_endpoints, endpoint_lanes,
// endpoint_sequences and deliveries, shared by all statements that store, route or resend an event. Numbering and
// insert are one statement, so a number is assigned exactly when its delivery exists.

import { deliveriesChannel, hasAudienceSql, streamChannel } from '../platform/postgres/notify.ts'
import type { Query } from '../platform/postgres/query.ts'
import type { EventSource } from './catalogue.rules.ts'

type Piece = ReturnType<Query>

// A counter's number is part of its key, so its last row is at the end of the index: older versions come before it,
// however many a long-held snapshot keeps. A statement that waited for the lock finds the row where it first saw it, or
// further on. `any(array[…])` is an equality that forces an index look-up, however small the table seems.

/**
 * `streams` and `placed`, from a CTE `routed (id, place, business_id, end_user_id, type, …)`: each event gets the next
 * place in its business's stream; an event without an owner gets none. The row locks, taken in one order, prevent gaps.
 */
export const placesSql = (query: Query) => query`
  last_streams as materialized (
    select s.* from (select distinct business_id from routed order by business_id) r cross join lateral (
      select * from event_streams where business_id = r.business_id order by position desc limit 1) s
  ), locked_streams as materialized (
    select l.* from last_streams l cross join lateral (
      select 1 from event_streams s where s.business_id = l.business_id and s.position >= l.position for no key update) s
  ), streams as (
    update event_streams s set position = s.position + grown.by
    from (select business_id, count(*) as by from routed where business_id is not null group by business_id) grown
      join locked_streams l using (business_id)
    where s.business_id = any(array[l.business_id]) and s.position >= l.position
    returning s.business_id, s.position - grown.by as base
  ), placed as materialized (
    select r.*, s.base + row_number() over (partition by r.business_id order by r.place) as position
    from routed r left join streams s on s.business_id = r.business_id
  )`

/**
 * `streams` and `placed` from a CTE `routed` of at most one event. The cost of a statement for one event is its plan
 * nodes, and these are a third of those of `placesSql`.
 */
export const placeOfOneSql = (query: Query) => query`
  streams as (
    update event_streams s set position = s.position + 1 from routed r
    where s.business_id = any(array[r.business_id])
      and s.position >= (select max(position) from event_streams where business_id = (select business_id from routed))
    returning s.business_id, s.position
  ), placed as materialized (
    select r.*, s.position from routed r left join streams s on true
  )`

export const nobody = Symbol('nobody')
/** One endpoint, `nobody`, or all endpoints that subscribe. */
type Target = string | typeof nobody | null

/**
 * `made`, from a CTE `placed (id, place, business_id, end_user_id, type)`: a delivery for every endpoint of the
 * business that subscribes to this type and source, whatever the endpoint's status: a paused or disabled endpoint keeps
 * its events.
 * @param target only this endpoint, regardless of its event types; `nobody` creates no delivery
 */
export const deliveriesSql = (query: Query, source: EventSource, target: Target = null) => query`
  wanted as materialized (
    select p.id as event_id, p.business_id, p.end_user_id, e.id as endpoint_id, e.version,
      row_number() over (partition by e.id order by p.place) as nth
    from placed p join webhook_endpoints e on e.business_id = p.business_id
    where ${targetSql(query, source, target)}
  ), locked_lanes as materialized (
    select l.*, w.version, (select max(sequence) from endpoint_sequences where endpoint_id = w.endpoint_id) as sequence
    from (select distinct endpoint_id, version from wanted order by endpoint_id) w cross join lateral (
      select endpoint_id, ordered, owner, fence, ${sleepsSql(query)} as sleeps
      from endpoint_lanes where endpoint_id = w.endpoint_id for no key update) l
  ), ${wokenSql(query)}, lanes as (
    update endpoint_sequences n set sequence = n.sequence + grown.by
    from (select endpoint_id, count(*) as by from wanted group by endpoint_id) grown join locked_lanes l using (endpoint_id)
    where n.endpoint_id = any(array[l.endpoint_id]) and n.sequence >= l.sequence
    returning n.endpoint_id, l.ordered, l.owner, l.fence, l.version, n.sequence - grown.by as base
  ), made as (
    insert into deliveries (endpoint_id, sequence, id, business_id, event_id, end_user_id, ordered)
    select w.endpoint_id, l.base + w.nth, ${deliveryIdSql(query, query`w.event_id`, query`w.endpoint_id`)}, w.business_id,
      w.event_id, w.end_user_id, l.ordered
    from wanted w join lanes l on l.endpoint_id = w.endpoint_id
    returning id as delivery_id, event_id, endpoint_id, sequence, end_user_id, ordered
  )`

/** `made` as `deliveriesSql`, from a CTE `placed` of at most one event. */
export const deliveriesOfOneSql = (query: Query, source: EventSource, target: Target = null) => query`
  locked_lanes as materialized (
    select l.endpoint_id, l.ordered, l.owner, l.fence, e.version, ${sleepsSql(query)} as sleeps,
      (select max(sequence) from endpoint_sequences where endpoint_id = l.endpoint_id) as sequence
    from placed p join webhook_endpoints e on e.business_id = p.business_id
      join endpoint_lanes l on l.endpoint_id = any(array[e.id])
    where ${targetSql(query, source, target)}
    order by e.id for no key update of l
  ), ${wokenSql(query)}, lanes as (
    update endpoint_sequences n set sequence = n.sequence + 1 from locked_lanes l
    where n.endpoint_id = any(array[l.endpoint_id]) and n.sequence >= l.sequence
    returning n.endpoint_id, l.ordered, l.owner, l.fence, l.version, n.sequence
  ), made as (
    insert into deliveries (endpoint_id, sequence, id, business_id, event_id, end_user_id, ordered)
    select l.endpoint_id, l.sequence, ${deliveryIdSql(query, query`p.id`, query`l.endpoint_id`)}, p.business_id, p.id,
      p.end_user_id, l.ordered
    from placed p cross join lanes l
    returning id as delivery_id, event_id, endpoint_id, sequence, end_user_id, ordered
  )`

const targetSql = (query: Query, source: EventSource, target: Target) => {
  if (target === nobody) return query`false`
  return target === null ? wantedSql(query, source, query`p.type`) : query`e.id = ${target}`
}

/** Whether the row of a lane shows that no replica looks at it. */
const sleepsSql = (query: Query) => query`(open and (wants_at is null or wants_at > now()))`

const wokenSql = (query: Query) => query`
  woken as (
    update endpoint_lanes l set wants_at = now() from locked_lanes locked
    where l.endpoint_id = any(array[locked.endpoint_id]) and locked.sleeps
  )`

const deliveryIdSql = (query: Query, eventId: Piece, endpointId: Piece) =>
  query`'dlv_' || substr(${eventId}, 5) || right(${endpointId}, 6)`

/** Whether a delivery `d` is blocked by a failed delivery of its end-user. */
export const isBehindFailedSql = (query: Query) => query`
  exists (select 1 from deliveries b where b.ordered and b.endpoint_id = d.endpoint_id and b.end_user_id = d.end_user_id
    and b.sequence < d.sequence and b.next_attempt_at is not null)`

/** The source of an event, by its row. */
export const sourceSql = (query: Query) =>
  query`case when trust in ('own', 'test', 'stream') then 'causeway' else 'provider' end`

/** A condition: whether the endpoint `e` subscribes to a type of this source. */
export const wantedSql = (query: Query, source: EventSource, type: Piece) => query`
  ${source}::text = any(e.sources) and ${subscribedSql(query, query`e.event_types`, type)}`

/**
 * A condition: whether a type is among the types that an endpoint subscribes to, by name, by `prefix.*`, or all by `*`.
 */
export const subscribedSql = (query: Query, asked: Piece, type: Piece) => query`
  ('*' = any(${asked}) or exists (
    select 1 from unnest(${asked}) wanted
    where wanted = ${type} or (right(wanted, 2) = '.*' and starts_with(${type}, left(wanted, -1)))))`

/**
 * One value: notifies about endpoints with new deliveries, by name up to 200, because a notification holds 8,000 bytes.
 * Only the holder of a lane is notified, or every replica for a lane without a holder. A dead holder misses the
 * notification: the others check its lanes when its lease ends.
 * @param told the holder that is notified in another way; null for none
 */
export const notifySenderSql = (query: Query, told: string | null = null) => query`
  select count(pg_notify(channel, case when endpoints <= 200 then names else '' end)) from (
    select concat_ws('_', ${deliveriesChannel}::text, owner) as channel, count(*) as endpoints, string_agg(endpoint_id, ',') as names
    from lanes where owner is null or owner is distinct from ${told} group by owner) news`

/** One value: notifies the send loops as `notifySenderSql` does, and waiting readers of the businesses. */
export const notifySql = (query: Query, told: string | null = null) => query`
  select num_nulls((${notifySenderSql(query, told)}), (
    select pg_notify(${streamChannel}, case when count(*) <= 200 then string_agg(business_id, ',') else '' end)
    from streams having count(*) > 0 and ${hasAudienceSql(query)}))`

/** A delivery in a lane of the relay, as the statement that stored it returns it. */
export type StoredRow = {
  eventId: string
  deliveryId: string
  endpointId: string
  sequence: number
  endUserId: string | null
  isOrdered: boolean
  /** An earlier delivery of the same end-user had failed. */
  isBehind: boolean
  /** The fence of the lane when the delivery was stored. */
  fence: number
  /** The version of the endpoint's configuration at that time. */
  endpointVersion: number
}

/** Rows of `made` in the lanes that `relay` holds, with what its send loop needs to know of the lane. */
export const madeInLanesOf = (query: Query, relay: string | null) => query`
  select m.event_id, m.endpoint_id, m.sequence, m.delivery_id, m.end_user_id, m.ordered as is_ordered, l.fence,
    l.version as endpoint_version
  from made m join lanes l on l.endpoint_id = m.endpoint_id where l.owner = ${relay}`
