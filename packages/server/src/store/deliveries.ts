// Deliveries: one row per event and endpoint. The row is the job: claimed under a lease, settled by whoever holds it.

import type { Query, Tx } from './db.ts'
import type { EventRow, EventTrust } from './events.ts'
import { wakeOnCommit } from './notify.ts'

export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'cancelled'

export type DeliveryRow = {
  businessId: string
  id: string
  eventId: string
  endpointId: string
  lane: string
  sequence: number
  status: DeliveryStatus
  attempts: number
  nextAttemptAt: Date | null
  lastOutcome: string | null
  createdAt: Date
  finishedAt: Date | null
}

export type AttemptRow = {
  attempt: number
  outcome: string
  httpStatus: number | null
  responseBody: string | null
  detail: string | null
  durationMs: number
  startedAt: Date
}

/**
 * Gives the event its next sequence number at every endpoint that wants it, whatever the endpoint's state: a paused or
 * disabled one keeps its events. The endpoint's row lock makes the sequence gapless.
 * @returns the number of deliveries made
 */
export async function fanOut(tx: Tx, event: EventRow): Promise<number> {
  if (event.businessId === null) return 0
  // Numbering and insert are one statement: a number is given out exactly when its delivery is there.
  const rows = await tx`
    with numbered as (
      update webhook_endpoints set sequence = sequence + 1
      where business_id = ${event.businessId}
        and exists (
          select 1 from unnest(event_types) wanted
          where wanted = '*' or wanted = ${event.type}
            or (right(wanted, 2) = '.*' and starts_with(${event.type}, left(wanted, -1))))
      returning id, sequence
    )
    insert into deliveries (business_id, id, event_id, endpoint_id, lane, sequence)
    select ${event.businessId}, 'dlv_' || left(replace(gen_random_uuid()::text, '-', ''), 26), ${event.id}, id, ${event.endUserId ?? ''}, sequence
    from numbered returning id`
  if (rows.length > 0) await wakeOnCommit(tx, 'send')
  return rows.length
}

/**
 * Within an endpoint and end-user the first attempts go in order; with `per_end_user` ordering a failed one also holds
 * back those behind it.
 */
const firstInLane = (query: Query) => query`
  not exists (
    select 1 from deliveries earlier
    where earlier.endpoint_id = d.endpoint_id and earlier.lane = d.lane and earlier.status = 'pending'
      and earlier.sequence < d.sequence and (e.ordering = 'per_end_user' or earlier.attempts = 0))`

export type ClaimedDelivery = {
  businessId: string
  id: string
  eventId: string
  endpointId: string
  sequence: number
  attempts: number
  url: string
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretExpiresAt: Date | null
  eventType: string
  externalUserId: string | null
  trust: EventTrust
  body: Buffer
}

/**
 * Crosses businesses: claims due deliveries of enabled endpoints under a lease.
 */
export async function claimDeliveries(
  tx: Tx,
  claim: { owner: string; leaseMs: number; limit: number },
): Promise<ClaimedDelivery[]> {
  return await tx<ClaimedDelivery[]>`
    with due as (
      select d.business_id, d.id
      from deliveries d join webhook_endpoints e on e.business_id = d.business_id and e.id = d.endpoint_id
      where d.status = 'pending' and d.next_attempt_at <= now() and (d.lease_until is null or d.lease_until < now())
        and e.status = 'enabled'
        and ${firstInLane(tx)}
      order by d.next_attempt_at, d.sequence
      limit ${claim.limit}
      for update of d skip locked
    ), claimed as (
      update deliveries d set lease_owner = ${claim.owner}, lease_until = now() + make_interval(secs => ${claim.leaseMs / 1000})
      from due where d.business_id = due.business_id and d.id = due.id
      returning d.business_id, d.id, d.event_id, d.endpoint_id, d.sequence, d.attempts
    )
    select c.*, e.url, e.secret_sealed, e.previous_secret_sealed, e.previous_secret_expires_at,
      v.type as event_type, v.external_user_id, v.trust, v.body
    from claimed c
    join webhook_endpoints e on e.business_id = c.business_id and e.id = c.endpoint_id
    join events v on v.id = c.event_id`
}

export type Settlement = { status: 'delivered' | 'exhausted' } | { status: 'pending'; retryInMs: number }

/** @returns false when the lease was lost: then nothing was written */
export async function settleDelivery(
  tx: Tx,
  delivery: Pick<ClaimedDelivery, 'businessId' | 'id' | 'attempts'>,
  owner: string,
  settlement: Settlement,
  attempt: Omit<AttemptRow, 'attempt'>,
): Promise<boolean> {
  const retrySeconds = settlement.status === 'pending' ? settlement.retryInMs / 1000 : null
  // `attempts` is part of the fence: this process may hold a later lease of the same delivery by now.
  const rows = await tx`
    update deliveries set status = ${settlement.status}, attempts = attempts + 1, last_outcome = ${attempt.outcome},
      next_attempt_at = now() + make_interval(secs => ${retrySeconds}), lease_owner = null, lease_until = null,
      finished_at = case when ${settlement.status} = 'pending' then null else now() end
    where business_id = ${delivery.businessId} and id = ${delivery.id} and status = 'pending'
      and lease_owner = ${owner} and attempts = ${delivery.attempts}
    returning id`
  if (rows.length === 0) return false
  await tx`
    insert into delivery_attempts (business_id, delivery_id, attempt, outcome, http_status, response_body, detail, duration_ms, started_at)
    values (${delivery.businessId}, ${delivery.id}, ${delivery.attempts + 1}, ${attempt.outcome}, ${attempt.httpStatus},
      ${attempt.responseBody}, ${attempt.detail}, ${attempt.durationMs}, ${attempt.startedAt})`
  return true
}

/** Gives claimed deliveries back untouched: a fault of ours, or a shutdown, never uses up an attempt. */
export async function releaseDeliveries(tx: Tx, owner: string): Promise<void> {
  await tx`update deliveries set lease_owner = null, lease_until = null where lease_owner = ${owner} and status = 'pending'`
}

/** Milliseconds until a delivery can be claimed; null when none waits. */
export async function nextDeliveryDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(greatest(d.next_attempt_at, d.lease_until)) - now()) * 1000)::float8 as ms
    from deliveries d join webhook_endpoints e on e.business_id = d.business_id and e.id = d.endpoint_id and e.status = 'enabled'
    where d.status = 'pending' and ${firstInLane(query)}`
  return rows[0]?.ms ?? null
}

export async function listDeliveriesOfEvent(query: Query, businessId: string, eventId: string): Promise<DeliveryRow[]> {
  return await query<DeliveryRow[]>`
    select business_id, id, event_id, endpoint_id, lane, sequence, status, attempts, next_attempt_at, last_outcome, created_at, finished_at
    from deliveries where business_id = ${businessId} and event_id = ${eventId} order by sequence limit 100`
}

export async function findDelivery(query: Query, businessId: string, id: string): Promise<DeliveryRow | undefined> {
  const rows = await query<DeliveryRow[]>`
    select business_id, id, event_id, endpoint_id, lane, sequence, status, attempts, next_attempt_at, last_outcome, created_at, finished_at
    from deliveries where business_id = ${businessId} and id = ${id}`
  return rows[0]
}

export async function listAttempts(query: Query, businessId: string, deliveryId: string): Promise<AttemptRow[]> {
  return await query<AttemptRow[]>`
    select attempt, outcome, http_status, response_body, detail, duration_ms, started_at
    from delivery_attempts where business_id = ${businessId} and delivery_id = ${deliveryId} order by attempt limit 100`
}
