// Lanes: one for each endpoint, held by at most one replica at a time, which alone sends its deliveries. The holder
// reads ahead by sequence number and writes only outcomes. Runs across businesses, for the send loop.

import { isBehindFailedSql } from '../../events/fan-out.sql.ts'
import { leaseEndSql } from '../../platform/postgres/leases.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'

/** A lane as one replica holds it. The fence grows with each claim, so a former holder writes nothing. */
export type Hold = { endpointId: string; fence: number }

export type ClaimedLane = Hold & {
  businessId: string
  failures: number
  /** Milliseconds since the first of the consecutive failures, by the database's clock; null if there are none. */
  failingForMs: number | null
  /**
   * True if the lane had an owner when it was claimed: the owner crashed, or the result of an earlier claim was lost.
   */
  wasHeld: boolean
  /** Every delivery up to this sequence was attempted. */
  triedTo: number
}

/** Renews the lease of this replica. */
export async function renewOwner(query: Query, owner: string, leaseMs: number): Promise<void> {
  await query`
    insert into relay_owners (id, lease_until) values (${owner}, ${leaseEndSql(query, leaseMs)})
    on conflict (id) do update set lease_until = excluded.lease_until`
}

/** Claims lanes that have waiting deliveries and no holder, or a holder whose lease has expired. */
export async function claimLanes(
  query: Query,
  owner: string,
  claim: { held: readonly string[]; limit: number; grace: Grace },
): Promise<ClaimedLane[]> {
  return await query<ClaimedLane[]>`
    with free as (
      select l.endpoint_id, l.owner is not null as was_held from endpoint_lanes l
      where l.wants_at <= now() and l.open and case when l.owner = ${owner} then l.endpoint_id <> all(${[...claim.held]}::text[])
        else not exists (select 1 from relay_owners o where o.id = l.owner and ${leaseUntilSql(query, claim.grace)} > now()) end
      order by l.wants_at limit ${claim.limit} for no key update skip locked
    )
    update endpoint_lanes l set owner = ${owner}, fence = l.fence + 1 from free where l.endpoint_id = free.endpoint_id
    returning l.endpoint_id, l.business_id, l.fence, l.failures, l.tried_to, free.was_held,
      (extract(epoch from now() - l.failing_since) * 1000)::float8 as failing_for_ms`
}

/**
 * Takes every lane from its holder without waiting for the lease. Only for a database that this process alone can use,
 * where every holder is dead. The fence grows and the owner changes, so that a holder that is alive after all can no
 * longer write, and the next claim sees that the lane was held.
 */
export async function takeLanesFromDead(query: Query): Promise<void> {
  await query`
    with dead as (delete from relay_owners), held as materialized (
      select endpoint_id from endpoint_lanes where owner is not null order by endpoint_id for no key update
    )
    update endpoint_lanes l set owner = 'dead', fence = l.fence + 1 from held where l.endpoint_id = held.endpoint_id`
}

/** Ends the leases of replicas that are known to be dead, so that their lanes can be claimed immediately. */
export async function endLeases(query: Query, owners: readonly string[]): Promise<void> {
  await query`delete from relay_owners where id = any(${[...owners]}::text[])`
}

/** Milliseconds until a lane of another replica may be claimed; null if no lane is waiting. */
export async function nextLaneDueMs(query: Query, owner: string, grace: Grace): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(greatest(l.wants_at, case when o.id is not null then ${leaseUntilSql(query, grace)} end))
      - now()) * 1000)::float8 as ms
    from endpoint_lanes l left join relay_owners o on o.id = l.owner
    where l.wants_at is not null and l.open and l.owner is distinct from ${owner}`
  return rows[0]?.ms ?? null
}

/** Minimum lifetime of leases: this long after the start of the database, and this long from now on. */
export type Grace = { sinceStartMs: number; fromNowMs: number }

/**
 * The end of the lease of an owner `o`. No lease could be renewed while the database was unavailable. Without the
 * grace, an outage longer than the lease would move every lane, and repeat what its holder could not write.
 */
const leaseUntilSql = (query: Query, { sinceStartMs, fromNowMs }: Grace) =>
  query`greatest(o.lease_until, pg_postmaster_start_time() + make_interval(secs => ${sinceStartMs / 1000}),
    now() + make_interval(secs => ${fromNowMs / 1000}))`

export type LaneConfig = {
  endpointId: string
  /** Grows with each change. */
  version: number
  url: string
  status: 'enabled' | 'paused' | 'disabled'
  ordering: 'best_effort' | 'per_end_user'
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  /** When the previous secret expires, on the monotonic clock of this process. */
  previousSecretUntilMs: number | null
}

/** The state of a lane that its holder needs before it reads deliveries. */
export type LaneState = LaneConfig & {
  fence: number
  /** Milliseconds until the first retry is due that may be sent and that the holder does not have. */
  retryInMs: number | null
  /** No retry is due before this time. */
  retriesFrom: Date
  /**
   * When the endpoint was enabled or moved, if within the last minute. A later holder must not start the ramp again.
   */
  resumedAt: Date | null
}

/** `inHand`: sequences that the holder has in flight or has read as retries. `retriesFrom`: no retry is due before this time. */
export type LaneRequest = { endpointId: string; inHand: readonly number[]; retriesFrom: Date }

/** Reads the lanes that this replica still holds. */
export async function readLanes(query: Query, owner: string, lanes: readonly LaneRequest[]): Promise<LaneState[]> {
  const rows = await query<(LaneState & { previousSecretForMs: number | null })[]>`
    with ${inHandSql(query, lanes)}
    select l.endpoint_id, l.fence, e.version, e.url, e.status, e.ordering, e.secret_sealed,
      e.previous_secret_sealed,
      (extract(epoch from e.previous_secret_expires_at - now()) * 1000)::float8 as previous_secret_for_ms,
      case when l.resumed_at > now() - interval '1 minute' then l.resumed_at end as resumed_at,
      (select (extract(epoch from d.next_attempt_at - now()) * 1000)::float8 from deliveries d
        where d.endpoint_id = l.endpoint_id and d.next_attempt_at >= lane.retries_from
          and ${isFreeRetrySql(query)}
        order by d.next_attempt_at limit 1) as retry_in_ms,
      (select least(min(d.next_attempt_at), now()) from deliveries d
        where d.endpoint_id = l.endpoint_id and d.next_attempt_at >= lane.retries_from) as retries_from
    from unnest(${lanes.map(({ endpointId }) => endpointId)}::text[],
        ${lanes.map(({ retriesFrom }) => retriesFrom.toISOString())}::timestamptz[]) as lane (endpoint_id, retries_from)
      join endpoint_lanes l on l.endpoint_id = lane.endpoint_id
      join webhook_endpoints e on e.business_id = l.business_id and e.id = l.endpoint_id
    where l.owner = ${owner}`
  const nowMs = performance.now()
  return rows.map(({ previousSecretForMs: forMs, ...row }) => ({
    ...row,
    previousSecretUntilMs: forMs === null ? null : nowMs + forMs,
  }))
}

/** Whether a retry `d` may be sent once it is due: it is not `in_hand`, nor behind a failed delivery of its end-user. */
export const isFreeRetrySql = (query: Query) => query`
  not exists (select 1 from in_hand b where b.endpoint_id = d.endpoint_id and b.sequence = d.sequence)
  and not (d.ordered and ${isBehindFailedSql(query)})`

/** A CTE `in_hand (endpoint_id, sequence)`. */
export const inHandSql = (query: Query, lanes: readonly LaneRequest[]) => {
  const rows = lanes.flatMap(({ endpointId, inHand }) => inHand.map((sequence) => ({ endpointId, sequence })))
  return query`in_hand as (
    select * from unnest(${rows.map((row) => row.endpointId)}::text[], ${rows.map((row) => row.sequence)}::bigint[])
      as b (endpoint_id, sequence)
  )`
}

/** Stores the failures of the receiver, for the next holder and for the API. */
export async function updateHealth(
  query: Query,
  owner: string,
  lane: Hold & { failures: number; isFailing: boolean },
): Promise<void> {
  await query`
    update endpoint_lanes set failures = ${lane.failures},
      failing_since = case when ${lane.isFailing} then coalesce(failing_since, now()) end
    where endpoint_id = ${lane.endpointId} and owner = ${owner} and fence = ${lane.fence}`
}

/**
 * Releases lanes without waiting deliveries; a lane with new deliveries is kept. The lock is taken first, in a separate
 * statement, so that the second statement sees every delivery stored before it.
 */
export async function releaseIdle(
  tx: Tx,
  owner: string,
  lanes: readonly (Hold & { after: number })[],
): Promise<string[]> {
  const ids = lanes.map((lane) => lane.endpointId)
  await tx`select 1 from endpoint_lanes where endpoint_id = any(${ids}::text[]) order by endpoint_id for no key update`
  const rows = await tx<{ endpointId: string }[]>`
    update endpoint_lanes l set owner = null, tried_to = coalesce((
        select min(d.sequence) - 1 from deliveries d
        where d.endpoint_id = l.endpoint_id and d.sequence > l.tried_to and d.next_attempt_at is null), idle.after),
      wants_at = case when l.open then (
      select min(d.next_attempt_at) from deliveries d
      where d.endpoint_id = l.endpoint_id and d.next_attempt_at is not null
        and not (d.ordered and ${isBehindFailedSql(tx)})) end
    from unnest(${ids}::text[], ${lanes.map((lane) => lane.fence)}::bigint[], ${lanes.map((lane) => lane.after)}::bigint[])
      as idle (endpoint_id, fence, after)
    where l.endpoint_id = idle.endpoint_id and l.owner = ${owner} and l.fence = idle.fence and (not l.open or not exists (
      select 1 from deliveries d
      where d.endpoint_id = l.endpoint_id and d.sequence > idle.after and d.next_attempt_at is null))
    returning l.endpoint_id`
  return rows.map((row) => row.endpointId)
}

/** Releases every lane of this replica, so that another replica can continue immediately. */
export async function releaseOwner(query: Query, owner: string): Promise<void> {
  await query`
    with ended as (delete from relay_owners where id = ${owner}), held as materialized (
      select endpoint_id from endpoint_lanes where owner = ${owner} order by endpoint_id for no key update
    )
    update endpoint_lanes l set owner = null from held where l.endpoint_id = held.endpoint_id`
}
