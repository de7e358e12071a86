// Lanes: one an endpoint, held by at most one replica at a time, which alone sends what waits in it. Its holder reads ahead
// by sequence number and writes only outcomes. All of it crosses businesses, for the send loop.

import type { Query, Tx } from '../../platform/postgres/query.ts'

/** Who holds the lane now. What a former holder does is lost, whatever it believes. */
export type Hold = { endpointId: string; fence: number }

export type ClaimedLane = Hold & {
  businessId: string
  failures: number
  failingSince: Date | null
  /** Its last holder died with it. */
  wasHeld: boolean
  /** Every delivery up to this sequence is tried or over. */
  triedTo: number
}

/** Says that this replica lives, and for how long it must be believed without another word. */
export async function renewOwner(query: Query, owner: string, leaseMs: number): Promise<void> {
  await query`
    insert into relay_owners (id, lease_until) values (${owner}, now() + make_interval(secs => ${leaseMs / 1000}))
    on conflict (id) do update set lease_until = excluded.lease_until`
}

/**
 * Takes lanes in which something waits and that nobody holds, or whose holder has not been heard of for its lease.
 * @param claim `held`: those this replica knows it has: a claim whose answer was lost is claimed again
 */
export async function claimLanes(
  query: Query,
  owner: string,
  claim: { held: readonly string[]; limit: number; graceMs: number },
): Promise<ClaimedLane[]> {
  return await query<ClaimedLane[]>`
    with free as (
      select l.endpoint_id, l.owner is not null as was_held from endpoint_lanes l
      where l.wants_at <= now() and l.open and case when l.owner = ${owner} then l.endpoint_id <> all(${[...claim.held]}::text[])
        else not exists (select 1 from relay_owners o where o.id = l.owner and ${heldUntil(query, claim.graceMs)} > now()) end
      order by l.wants_at limit ${claim.limit} for no key update skip locked
    )
    update endpoint_lanes l set owner = ${owner}, fence = l.fence + 1 from free where l.endpoint_id = free.endpoint_id
    returning l.endpoint_id, l.business_id, l.fence, l.failures, l.failing_since, l.tried_to, free.was_held`
}

/**
 * Takes every lane from its holder, whose lease is not waited for. Only for a database that this process alone can work with:
 * any holder is dead. The fence grows and the name changes, so that even a holder that is not dead settles nothing from now on;
 * the next claim sees that the lane was held.
 */
export async function takeLanesFromDead(query: Query): Promise<void> {
  await query`
    with dead as (delete from relay_owners), held as materialized (
      select endpoint_id from endpoint_lanes where owner is not null order by endpoint_id for no key update
    )
    update endpoint_lanes l set owner = 'dead', fence = l.fence + 1 from held where l.endpoint_id = held.endpoint_id`
}

/**
 * Milliseconds until a lane that this replica does not hold may be claimed; null when none wants anybody.
 */
export async function nextLaneDueMs(query: Query, owner: string, graceMs: number): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(greatest(l.wants_at, case when o.id is not null then ${heldUntil(query, graceMs)} end))
      - now()) * 1000)::float8 as ms
    from endpoint_lanes l left join relay_owners o on o.id = l.owner
    where l.wants_at is not null and l.open and l.owner is distinct from ${owner}`
  return rows[0]?.ms ?? null
}

/**
 * Of an owner `o`. A database that was away could not be told that its holders live: those get `graceMs` from its start to
 * say so. Otherwise an outage longer than the lease would move every lane, and repeat all that its holder could not write.
 */
const heldUntil = (query: Query, graceMs: number) =>
  query`greatest(o.lease_until, pg_postmaster_start_time() + make_interval(secs => ${graceMs / 1000}))`

export type LaneConfig = {
  endpointId: string
  /** Grows with each change. */
  version: number
  url: string
  status: 'enabled' | 'paused' | 'disabled'
  ordering: 'best_effort' | 'per_end_user'
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretExpiresAt: Date | null
}

/** What a holder must know of its lanes before it reads on. A lane that it has lost is not among them. */
export type LaneNews = LaneConfig & {
  fence: number
  /** When the first of those is due that were tried before and are not in the holder's hands, in milliseconds from now. */
  retryInMs: number | null
  /** No retry was due before, nor will one be. */
  retriesFrom: Date
  /** When it was switched on again or moved, within the last minute: long enough for a holder that died to be replaced. */
  resumedAt: Date | null
}

/** Sequence numbers, of one endpoint, that the holder has in hand. */
export type Busy = { endpointId: string; busy: readonly number[] }

/** What its holder knows of a lane. `retriesFrom`: no retry was due before. */
export type KnownLane = Busy & { retriesFrom: Date }

export async function readLanes(query: Query, owner: string, lanes: readonly KnownLane[]): Promise<LaneNews[]> {
  return await query<LaneNews[]>`
    with ${busyRows(query, lanes)}
    select l.endpoint_id, l.fence, e.version, e.url, e.status, e.ordering, e.secret_sealed,
      e.previous_secret_sealed, e.previous_secret_expires_at,
      case when l.resumed_at > now() - interval '1 minute' then l.resumed_at end as resumed_at,
      (select (extract(epoch from d.next_attempt_at - now()) * 1000)::float8 from deliveries d
        where d.endpoint_id = l.endpoint_id and d.next_attempt_at >= lane.retries_from
          and not exists (select 1 from busy b where b.endpoint_id = d.endpoint_id and b.sequence = d.sequence)
        order by d.next_attempt_at limit 1) as retry_in_ms,
      (select least(min(d.next_attempt_at), now()) from deliveries d
        where d.endpoint_id = l.endpoint_id and d.next_attempt_at >= lane.retries_from) as retries_from
    from unnest(${lanes.map(({ endpointId }) => endpointId)}::text[],
        ${lanes.map(({ retriesFrom }) => retriesFrom.toISOString())}::timestamptz[]) as lane (endpoint_id, retries_from)
      join endpoint_lanes l on l.endpoint_id = lane.endpoint_id
      join webhook_endpoints e on e.business_id = l.business_id and e.id = l.endpoint_id
    where l.owner = ${owner}`
}

/** A CTE `busy`. */
export const busyRows = (query: Query, lanes: readonly Busy[]) => {
  const rows = lanes.flatMap(({ endpointId, busy }) => busy.map((sequence) => ({ endpointId, sequence })))
  return query`busy as (
    select * from unnest(${rows.map((row) => row.endpointId)}::text[], ${rows.map((row) => row.sequence)}::bigint[])
      as b (endpoint_id, sequence)
  )`
}

/** Keeps what the holder has learnt of the receiver, for the next one. */
export async function noteHealth(
  query: Query,
  owner: string,
  lane: Hold & { failures: number; isFailing: boolean },
): Promise<{ failingSince: Date | null } | undefined> {
  const rows = await query<{ failingSince: Date | null }[]>`
    update endpoint_lanes set failures = ${lane.failures},
      failing_since = case when ${lane.isFailing} then coalesce(failing_since, now()) end
    where endpoint_id = ${lane.endpointId} and owner = ${owner} and fence = ${lane.fence} returning failing_since`
  return rows[0]
}

/**
 * Gives lanes back in which nothing is left to do now; those with news stay. The lock comes first, in a statement of its
 * own: what is looked at afterwards can not have missed what was written before it.
 * @param lanes `after`: how far each has been read
 * @returns those that were given back
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
      select min(d.next_attempt_at) from deliveries d where d.endpoint_id = l.endpoint_id and d.next_attempt_at is not null) end
    from unnest(${ids}::text[], ${lanes.map((lane) => lane.fence)}::bigint[], ${lanes.map((lane) => lane.after)}::bigint[])
      as idle (endpoint_id, fence, after)
    where l.endpoint_id = idle.endpoint_id and l.owner = ${owner} and l.fence = idle.fence and (not l.open or not exists (
      select 1 from deliveries d
      where d.endpoint_id = l.endpoint_id and d.sequence > idle.after and d.next_attempt_at is null))
    returning l.endpoint_id`
  return rows.map((row) => row.endpointId)
}

/** Gives everything back at once, so that another replica goes on where this one ends. */
export async function releaseOwner(query: Query, owner: string): Promise<void> {
  await query`
    with ended as (delete from relay_owners where id = ${owner}), held as materialized (
      select endpoint_id from endpoint_lanes where owner = ${owner} order by endpoint_id for no key update
    )
    update endpoint_lanes l set owner = null from held where l.endpoint_id = held.endpoint_id`
}
