// Replays, and deliveries that are resent. A step of a replay is one transaction that locks the row of its replay, so only
// one replica advances it, and a crash leaves it where its last step ended.
// Above the usual length: a step of a replay takes statements of both kinds.

import type { EventSource } from '../../events/catalogue.rules.ts'
import { deliveriesSql, notifySenderSql, wantedSql } from '../../events/fan-out.sql.ts'
import { only } from '../../platform/postgres/database.ts'
import { willLock } from '../../platform/postgres/lock-order.ts'
import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import { type Page, type PageRequest, pageOf, toPage } from '../../platform/postgres/paging.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { ReplayState, ReplayStatus } from './replay.rules.ts'

export type ReplayRow = {
  businessId: string
  id: string
  endpointId: string
  rangeFrom: Date
  rangeTo: Date
  eventTypes: string[]
  sources: EventSource[]
  wanted: ReplayStatus
  /** Only events about this end-user, or null for all. */
  endUserId: string | null
  /** The end-user's `externalUserId`; null if the end-user was deleted. */
  externalUserId: string | null
  state: ReplayState
  firstPosition: number
  lastPosition: number
  position: number
  matched: number
  queued: number
  skipped: number
  error: string | null
  createdAt: Date
  updatedAt: Date
  endedAt: Date | null
}

export type NewReplay = Pick<
  ReplayRow,
  'businessId' | 'id' | 'endpointId' | 'rangeFrom' | 'rangeTo' | 'wanted' | 'endUserId'
> & {
  /** Null: the types that the endpoint currently subscribes to. */
  eventTypes: readonly string[] | null
  /** Null: the sources that the endpoint currently receives. */
  sources: readonly EventSource[] | null
}

/** How many ended replays are kept per endpoint. */
const endedMax = 100

/** Inserts a replay; the caller has locked the lane. @returns undefined when a replay is running for this endpoint */
export async function insertReplay(tx: Tx, replay: NewReplay): Promise<ReplayRow | undefined> {
  const { businessId, endpointId } = replay
  const range =
    replay.wanted === 'failed'
      ? tx`
        select coalesce(min(first) - 1, 0) as first, coalesce(max(last), 0) as last from (
          select min(sequence) as first, max(sequence) as last from finished_deliveries
          where business_id = ${businessId} and endpoint_id = ${endpointId} and status <> 'delivered'
          union all
          select min(sequence), max(sequence) from deliveries
          where business_id = ${businessId} and endpoint_id = ${endpointId} and attempts > 0
        ) either`
      : tx`
        select last, coalesce((select min(position) - 1 from events where business_id = ${businessId}), last) as first
        from (select coalesce(max(position), 0) as last from event_streams where business_id = ${businessId}) s`
  const { count } = await tx`
    insert into replays (business_id, id, endpoint_id, range_from, range_to, event_types, sources, wanted, end_user_id,
      first_position, last_position, position)
    select e.business_id, ${replay.id}, e.id, ${replay.rangeFrom}, ${replay.rangeTo},
      coalesce(${replay.eventTypes === null ? null : [...replay.eventTypes]}::text[], e.event_types),
      coalesce(${replay.sources === null ? null : [...replay.sources]}::text[], e.sources), ${replay.wanted},
      ${replay.endUserId}, range.first, range.last, range.first
    from webhook_endpoints e cross join (${range}) range
    where e.business_id = ${businessId} and e.id = ${endpointId}
    on conflict (endpoint_id) where state = 'running' do nothing`
  if (count === 0) return
  await tx`
    delete from replays where (business_id, id) in (
        select business_id, id from replays
        where business_id = ${businessId} and endpoint_id = ${endpointId} and state <> 'running'
        order by created_at desc, id desc offset ${endedMax})`
  await wakeOnCommit(tx, 'replay')
  return await findReplay(tx, businessId, replay.id)
}

const replaysOf = (query: Query, businessId: string) => query`
  select r.*, u.external_user_id from replays r
    left join end_users u on u.business_id = r.business_id and u.id = r.end_user_id
  where r.business_id = ${businessId}`

export async function findReplay(query: Query, businessId: string, id: string): Promise<ReplayRow | undefined> {
  const rows = await query<ReplayRow[]>`${replaysOf(query, businessId)} and r.id = ${id}`
  return rows[0]
}

export async function listReplays(
  query: Query,
  businessId: string,
  endpointId: string,
  page: PageRequest,
): Promise<Page<ReplayRow>> {
  const rows = await query<ReplayRow[]>`
    ${replaysOf(query, businessId)} and r.endpoint_id = ${endpointId} ${pageOf(query, 'r', page)}`
  return toPage(rows, page.limit)
}

/** Ends a running replay. Waits for a step that holds its row. */
export async function endReplay(
  tx: Tx,
  replay: Pick<ReplayRow, 'businessId' | 'id'>,
  state: Exclude<ReplayState, 'running'>,
  error: string | null = null,
): Promise<void> {
  await tx`
    update replays set state = ${state}, error = ${error}, ended_at = now(), updated_at = now()
    where business_id = ${replay.businessId} and id = ${replay.id} and state = 'running'`
}

export type DueReplay = Omit<ReplayRow, 'externalUserId'>

/** Locks the due replay that no other replica advances. Runs across businesses, for the replay loop. */
export async function lockDueReplay(tx: Tx): Promise<DueReplay | undefined> {
  const rows = await tx<DueReplay[]>`
    select * from replays where state = 'running' and due_at <= now() order by due_at limit 1 for update skip locked`
  return rows[0]
}

export async function countWaiting(query: Query, replayId: string): Promise<number> {
  return only(
    await query<{ count: number }[]>`select count(*)::int as count from deliveries where replay_id = ${replayId}`,
  ).count
}

export async function advanceReplay(
  tx: Tx,
  replay: DueReplay,
  found: { position: number; matched: number; queued: number },
): Promise<void> {
  const isOver = found.position >= replay.lastPosition
  await tx`
    update replays set position = ${found.position}, matched = matched + ${found.matched}, queued = queued + ${found.queued},
      skipped = skipped + ${found.matched - found.queued}, failures = 0, due_at = now(), updated_at = now(),
      state = ${isOver ? 'done' : 'running'}, ended_at = ${isOver ? tx`now()` : null}
    where business_id = ${replay.businessId} and id = ${replay.id}`
}

/** Postpones a replay whose deliveries wait: by a quarter of the time since its last step, from 0.2 s to 30 s. */
export async function postponeReplay(tx: Tx, replay: DueReplay): Promise<void> {
  await tx`
    update replays set due_at = now() + least(interval '30 seconds', greatest(interval '0.2 seconds', (now() - updated_at) / 4))
    where business_id = ${replay.businessId} and id = ${replay.id}`
}

/** Counts a failed step: the next try is later each time, and the last failure ends the replay. */
export async function noteReplayFailure(tx: Tx, replay: DueReplay, failuresMax: number, error: string): Promise<void> {
  await tx`
    update replays set failures = failures + 1, due_at = now() + make_interval(secs => power(2, failures)),
      state = case when failures + 1 >= ${failuresMax} then 'failed' else state end,
      error = case when failures + 1 >= ${failuresMax} then ${error} end,
      ended_at = case when failures + 1 >= ${failuresMax} then now() end
    where business_id = ${replay.businessId} and id = ${replay.id} and state = 'running'`
}

/** Milliseconds until the next step is due; null if none is. Runs across businesses. */
export async function nextReplayDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from due_at - now()) * 1000)::float8 as ms from replays
    where state = 'running' order by due_at limit 1`
  return rows[0]?.ms ?? null
}

// Deliveries are resent under the lock of the endpoint's lane. Only the holder of the lane, which writes outcomes,
// works on the same rows at the same time.

/** Locks the lane of an endpoint. @returns false when the endpoint is gone */
export async function lockLane(tx: Tx, businessId: string, endpointId: string): Promise<boolean> {
  willLock(tx, 'lane')
  const rows = await tx`
    select 1 from endpoint_lanes where business_id = ${businessId} and endpoint_id = ${endpointId} for no key update`
  return rows.length === 1
}

/**
 * Makes a waiting delivery due on a new schedule. A delivery that was never attempted keeps its place. An attempt in
 * flight finds `attempts_before` changed, and leaves the delivery due if it fails.
 * @returns false if the delivery is not waiting
 */
export async function expedite(tx: Tx, businessId: string, id: string): Promise<boolean> {
  const rows = await tx`
    update deliveries set attempts_before = attempts, next_attempt_at = case when next_attempt_at is not null then now() end
    where business_id = ${businessId} and id = ${id} returning id`
  return rows.length === 1
}

/**
 * Puts deliveries that wait for their next attempt on a new schedule. @returns the IDs of those that still wait for it
 */
export async function renewRetrying(tx: Tx, businessId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx<{ id: string }[]>`
    update deliveries set attempts_before = attempts
    where business_id = ${businessId} and id = any(${[...ids]}::text[]) and attempts > attempts_before returning id`
  return rows.map(({ id }) => id)
}

/**
 * Moves deliveries from the history back to the waiting ones, due now on a new schedule. They are outside the order:
 * they neither block other deliveries nor are blocked.
 * @param states the statuses that are moved; a delivery may have changed its status since the caller read it
 * @returns the IDs of those that had ended and whose event is stored
 */
export async function requeueFinished(
  tx: Tx,
  businessId: string,
  ids: readonly string[],
  states: readonly string[] = ['delivered', 'exhausted', 'cancelled'],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx<{ id: string }[]>`
    with gone as (
      delete from finished_deliveries f
      where f.id = any(${[...ids]}::text[]) and f.business_id = ${businessId} and f.status = any(${[...states]}::text[])
        and exists (select 1 from events e where e.id = f.event_id)
      returning f.*
    ), attempts as (
      insert into delivery_attempts (delivery_id, attempt, business_id, outcome, http_status, response_body,
        response_headers, response_sealed, sent_as, detail, duration_ms, started_at)
      select id, attempts, business_id, last_outcome, http_status, response_body, response_headers, response_sealed, sent_as,
        detail, duration_ms, started_at
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
      where not exists (select 1 from deliveries d where d.business_id = e.business_id and d.id = given.delivery_id)
        and not exists (select 1 from finished_deliveries f where f.id = given.delivery_id)
    ), ${deliveriesSql(tx, 'provider', endpointId)}
    select (select array_agg(delivery_id) from made) as ids, (${notifySenderSql(tx)})`
  return only(rows).ids ?? []
}

/**
 * Makes waiting deliveries of a replay due one millisecond apart, in the given order, after those it has queued before.
 * New deliveries are outside the order of their end-users; a delivery that was attempted keeps its place, and continues
 * to block later ones.
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
    update deliveries d set ordered = d.ordered and d.attempts > 0, replay_id = ${replay.id},
      next_attempt_at = slot.begins_at + make_interval(secs => given.place::float8 / 1000)
    from slot, unnest(${[...ids]}::text[]) with ordinality as given (id, place)
    where d.business_id = ${replay.businessId} and d.id = given.id`
}

/** Wakes the holder of a lane in which a delivery is due. */
export async function wakeLane(tx: Tx, endpointId: string): Promise<void> {
  await tx`
    update endpoint_lanes set wants_at = coalesce(least(wants_at, now()), now()) where endpoint_id = ${endpointId} and open`
  await wakeOnCommit(tx, 'send', endpointId)
}

/**
 * Lists the endpoints that subscribe to events of this type, whatever their status, in the order in which lanes are
 * locked.
 */
export async function endpointsWanting(
  query: Query,
  businessId: string,
  type: string,
  source: EventSource,
): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select id from webhook_endpoints e
    where business_id = ${businessId} and ${wantedSql(query, source, query`${type}::text`)} order by id`
  return rows.map(({ id }) => id)
}
