// Deliveries that are sent again on demand, under the lock of the endpoint's lane. Only the holder of the lane, which writes
// outcomes, works on the same rows at the same time.

import { deliveriesSql, notifySenderSql, subscribedSql } from '../../events/fan-out.sql.ts'
import { only } from '../../platform/postgres/db.ts'
import { willLock } from '../../platform/postgres/lock-order.ts'
import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'

/** Locks the lane of an endpoint. @returns false when the endpoint is gone */
export async function lockLane(tx: Tx, businessId: string, endpointId: string): Promise<boolean> {
  willLock(tx, 'lane')
  const rows = await tx`
    select 1 from endpoint_lanes where business_id = ${businessId} and endpoint_id = ${endpointId} for no key update`
  return rows.length === 1
}

/**
 * Makes a waiting delivery due on a new schedule. A delivery that was never tried keeps its turn. An attempt that is in flight
 * finds `attempts_before` changed, and leaves the delivery due when it fails.
 * @returns false when the delivery does not wait
 */
export async function expedite(tx: Tx, businessId: string, id: string): Promise<boolean> {
  const rows = await tx`
    update deliveries set attempts_before = attempts, next_attempt_at = case when next_attempt_at is not null then now() end
    where business_id = ${businessId} and id = ${id} returning id`
  return rows.length === 1
}

/**
 * Moves deliveries from the history back to the waiting ones, due now on a new schedule. They stand outside the order: they hold
 * no other delivery back and are not held back.
 * @returns the ids of those that were over and whose event is kept
 */
export async function requeueFinished(tx: Tx, businessId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx<{ id: string }[]>`
    with gone as (
      delete from finished_deliveries f
      where f.id = any(${[...ids]}::text[]) and f.business_id = ${businessId}
        and exists (select 1 from events e where e.id = f.event_id)
      returning f.*
    ), attempts as (
      insert into delivery_attempts (delivery_id, attempt, business_id, outcome, http_status, response_body,
        response_sealed, detail, duration_ms, started_at)
      select id, attempts, business_id, last_outcome, http_status, response_body, response_sealed, detail, duration_ms,
        started_at
      from gone where started_at is not null
    )
    insert into deliveries (endpoint_id, sequence, id, business_id, event_id, end_user_id, ordered, attempts, attempts_before,
      next_attempt_at, last_outcome, created_at)
    select endpoint_id, sequence, id, business_id, event_id, end_user_id, false, attempts, attempts, now(), last_outcome,
      created_at
    from gone returning id`
  return rows.map(({ id }) => id)
}

/**
 * Inserts deliveries to this endpoint for events that never had one, with its next sequence numbers, in the order given.
 * @returns the ids of those that were inserted
 */
export async function insertDeliveries(tx: Tx, endpointId: string, eventIds: readonly string[]): Promise<string[]> {
  if (eventIds.length === 0) return []
  const rows = await tx<{ ids: string[] | null }[]>`
    with placed as materialized (
      select e.id, given.place, e.business_id, e.end_user_id, e.type
      from (
        select id, place, 'dlv_' || substr(id, 5) || right(${endpointId}, 6) as delivery_id
        from unnest(${[...eventIds]}::text[]) with ordinality as given (id, place)
      ) given join events e on e.id = given.id
      where not exists (select 1 from deliveries d where d.id = given.delivery_id)
        and not exists (select 1 from finished_deliveries f where f.id = given.delivery_id)
    ), ${deliveriesSql(tx, endpointId)}
    select (select array_agg(delivery_id) from made) as ids, (${notifySenderSql(tx)})`
  return only(rows).ids ?? []
}

/**
 * Makes waiting deliveries of a replay due one millisecond apart, in the order given, behind those it has queued before. They
 * stand outside the order of their end-users.
 */
export async function queueInOrder(
  tx: Tx,
  ids: readonly string[],
  replay: { businessId: string; id: string },
): Promise<void> {
  await tx`
    with slot as (
      update replays set queued_until = greatest(queued_until, now()) + make_interval(secs => ${ids.length / 1000})
      where business_id = ${replay.businessId} and id = ${replay.id} returning queued_until - make_interval(secs => ${ids.length / 1000}) as begins_at
    )
    update deliveries d set ordered = false, replay_id = ${replay.id},
      next_attempt_at = slot.begins_at + make_interval(secs => given.place::float8 / 1000)
    from slot, unnest(${[...ids]}::text[]) with ordinality as given (id, place) where d.id = given.id`
}

/** Wakes the holder of a lane in which a delivery has become due. */
export async function wakeLane(tx: Tx, endpointId: string): Promise<void> {
  await tx`
    update endpoint_lanes set wants_at = coalesce(least(wants_at, now()), now()) where endpoint_id = ${endpointId} and open`
  await wakeOnCommit(tx, 'send', endpointId)
}

/** Lists the endpoints that want events of this type, whatever their status, in the order in which lanes are locked. */
export async function endpointsWanting(query: Query, businessId: string, type: string): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select id from webhook_endpoints e
    where business_id = ${businessId} and ${subscribedSql(query, query`e.event_types`, query`${type}::text`)} order by id`
  return rows.map(({ id }) => id)
}
