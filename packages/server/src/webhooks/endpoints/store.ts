// Webhook endpoints, their lanes and their waiting deliveries. Secrets arrive here encrypted.
// Above the usual length: statements on the same three tables, which change together.

import type { EventSource } from '../../events/catalogue.rules.ts'
import { only } from '../../platform/postgres/database.ts'
import { willLock } from '../../platform/postgres/lock-order.ts'
import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import { type Page, type PageRequest, pageOf, toPage } from '../../platform/postgres/paging.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'

export type WebhookEndpointRow = {
  businessId: string
  id: string
  url: string
  description: string | null
  isDefault: boolean
  status: 'enabled' | 'paused' | 'disabled'
  disabledReason: string | null
  eventTypes: string[]
  sources: EventSource[]
  ordering: 'best_effort' | 'per_end_user'
  secretSealed: Buffer
  /** Null if one secret signs. */
  previousSecretExpiresAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** The last sequence number assigned. */
  sequence: number
  /** The first failure since the last success. */
  failingSince: Date | null
}

const endpointsOf = (query: Query, businessId: string) => query`
  select e.business_id, e.id, e.url, e.description, e.is_default, e.status, e.disabled_reason, e.event_types, e.sources, e.ordering,
    e.secret_sealed, case when e.previous_secret_expires_at > now() then e.previous_secret_expires_at end as
    previous_secret_expires_at, e.created_at, e.updated_at, l.failing_since,
    (select max(sequence) from endpoint_sequences s where s.endpoint_id = e.id) as sequence
  from webhook_endpoints e join endpoint_lanes l on l.endpoint_id = e.id where e.business_id = ${businessId}`

/** @param id null for the default endpoint */
export async function findEndpoint(
  query: Query,
  businessId: string,
  id: string | null,
): Promise<WebhookEndpointRow | undefined> {
  const rows = await query<WebhookEndpointRow[]>`${endpointsOf(query, businessId)} and ${isNamed(query, id)}`
  return rows[0]
}

const isNamed = (query: Query, id: string | null) => (id === null ? query`is_default` : query`id = ${id}`)

export async function listEndpoints(
  query: Query,
  businessId: string,
  page: PageRequest,
): Promise<Page<WebhookEndpointRow>> {
  const rows = await query<WebhookEndpointRow[]>`${endpointsOf(query, businessId)} ${pageOf(query, 'e', page)}`
  return toPage(rows, page.limit)
}

/** Lists the secrets that sign deliveries to URLs with this prefix. Runs across businesses. */
export async function listSigningSecrets(
  query: Query,
  prefix: string,
): Promise<{ businessId: string; url: string; secretSealed: Buffer }[]> {
  return await query`
    select business_id, url, secret_sealed from webhook_endpoints where starts_with(url, ${prefix})
    union all
    select business_id, url, previous_secret_sealed from webhook_endpoints
    where starts_with(url, ${prefix}) and previous_secret_expires_at > now() and previous_secret_sealed is not null`
}

/** Locks an endpoint against changes and deletion until the transaction ends. @param id null for the default endpoint */
export async function lockEndpoint(
  tx: Tx,
  businessId: string,
  id: string | null,
): Promise<WebhookEndpointRow | undefined> {
  willLock(tx, 'endpoint')
  await tx`select 1 from webhook_endpoints where business_id = ${businessId} and ${isNamed(tx, id)} for no key update`
  return await findEndpoint(tx, businessId, id)
}

/** Counts endpoints, and locks the business against new ones until the transaction ends. @returns undefined without such a business */
export async function lockEndpointCount(tx: Tx, businessId: string): Promise<number | undefined> {
  willLock(tx, 'business')
  const business = await tx`select 1 from businesses where id = ${businessId} for no key update`
  if (business.length === 0) return
  // A separate statement, which sees endpoints that were created during the wait for the lock.
  const rows = await tx<{ count: number }[]>`
    select count(*)::int as count from webhook_endpoints where business_id = ${businessId}`
  return only(rows).count
}

export type NewEndpoint = Pick<
  WebhookEndpointRow,
  'businessId' | 'id' | 'url' | 'description' | 'isDefault' | 'eventTypes' | 'sources' | 'ordering' | 'secretSealed'
>

/** Inserts an endpoint and its lane. */
export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<WebhookEndpointRow> {
  const { businessId, id, ordering } = endpoint
  await tx`
    insert into webhook_endpoints (business_id, id, url, description, is_default, event_types, sources, ordering, secret_sealed)
    values (${businessId}, ${id}, ${endpoint.url}, ${endpoint.description}, ${endpoint.isDefault}, ${endpoint.eventTypes},
      ${endpoint.sources}, ${ordering}, ${endpoint.secretSealed})`
  await tx`
    insert into endpoint_lanes (endpoint_id, business_id, ordered) values (${id}, ${businessId}, ${ordering === 'per_end_user'})`
  await tx`insert into endpoint_sequences (endpoint_id, sequence) values (${id}, 0)`
  return await getEndpoint(tx, businessId, id)
}

export type EndpointChanges = Partial<
  Pick<WebhookEndpointRow, 'url' | 'description' | 'eventTypes' | 'sources' | 'ordering' | 'status' | 'disabledReason'>
>

/**
 * Changes an endpoint. Waiting deliveries remain, under the new ordering. @param known as `lockEndpoint` returned it
 */
export async function changeEndpoint(
  tx: Tx,
  known: WebhookEndpointRow,
  changes: EndpointChanges,
): Promise<WebhookEndpointRow> {
  const { businessId, id } = known
  const next = { ...known, ...changes }
  await tx`
    update webhook_endpoints set url = ${next.url}, description = ${next.description}, event_types = ${next.eventTypes},
      sources = ${next.sources},      ordering = ${next.ordering}, status = ${next.status}, disabled_reason = ${next.disabledReason},
      updated_at = now(), version = version + 1
    where business_id = ${businessId} and id = ${id}`
  // No replica claims a closed lane. `resumed_at` makes the holder of a reopened lane start with the ramp.
  if (next.status !== 'enabled')
    await tx`update endpoint_lanes set open = false, wants_at = null where endpoint_id = ${id}`
  else if (known.status !== 'enabled' || known.url !== next.url)
    await tx`
      update endpoint_lanes set open = true, wants_at = coalesce(least(wants_at, now()), now()), failures = 0,
        failing_since = null, resumed_at = clock_timestamp()
      where endpoint_id = ${id}`
  if (known.ordering !== next.ordering) await reorderLane(tx, id, next.ordering === 'per_end_user')
  await wakeOnCommit(tx, 'send', id)
  return await getEndpoint(tx, businessId, id)
}

async function reorderLane(tx: Tx, id: string, isOrdered: boolean): Promise<void> {
  // The lane first: deliveries stored from now on have the new ordering.
  await tx`update endpoint_lanes set ordered = ${isOrdered} where endpoint_id = ${id}`
  if (!isOrdered) return
  let after: number | null = 0
  while (after !== null) after = await reorderPiece(tx, id, isOrdered, after)
}

/**
 * Disables an endpoint, unless it was enabled or moved after the attempt began that the verdict rests on.
 * @param beganMsAgo the age of that attempt at the begin of the transaction
 * @returns the endpoint, if this call disabled it
 */
export async function disableEndpoint(
  tx: Tx,
  businessId: string,
  id: string,
  { disabledReason, beganMsAgo }: { disabledReason: string; beganMsAgo: number },
): Promise<WebhookEndpointRow | undefined> {
  const known = await lockEndpoint(tx, businessId, id)
  willLock(tx, 'lane')
  // All lanes, in the order of their IDs: the event about this endpoint is delivered to the others.
  const lanes = await tx<{ isReopened: boolean | null }[]>`
    select endpoint_id = ${id} and resumed_at > now() - ${beganMsAgo}::float8 * interval '1 millisecond' as is_reopened
    from endpoint_lanes where business_id = ${businessId} order by endpoint_id for no key update`
  if (!known || known.status === 'disabled' || lanes.some((lane) => lane.isReopened)) return
  return await changeEndpoint(tx, known, { status: 'disabled', disabledReason })
}

/** Makes the current secret the previous one, which also signs during the overlap; an older secret ends. */
export async function rotateSecret(
  tx: Tx,
  businessId: string,
  id: string,
  rotation: { secretSealed: Buffer; overlapHours: number },
): Promise<WebhookEndpointRow | undefined> {
  const { secretSealed, overlapHours } = rotation
  willLock(tx, 'endpoint')
  const isCut = overlapHours === 0
  await tx`
    update webhook_endpoints set previous_secret_sealed = ${isCut ? null : tx`secret_sealed`},
      previous_secret_expires_at = ${isCut ? null : tx`now() + make_interval(hours => ${overlapHours})`},
      secret_sealed = ${secretSealed}, updated_at = now(), version = version + 1
    where business_id = ${businessId} and id = ${id}`
  await wakeOnCommit(tx, 'send', id)
  return await findEndpoint(tx, businessId, id)
}

/** Deletes an endpoint and its lane. Its waiting deliveries are left for `cancelPiece`. */
export async function deleteEndpoint(tx: Tx, businessId: string, id: string): Promise<boolean> {
  willLock(tx, 'endpoint')
  const { count } = await tx`delete from webhook_endpoints where business_id = ${businessId} and id = ${id}`
  if (count === 0) return false
  // A transaction that stores an event holds the lane, or waits for its lock and then finds no lane to take a number
  // from.
  await tx`
    with lane as (delete from endpoint_lanes where endpoint_id = ${id} returning endpoint_id)
    delete from endpoint_sequences where endpoint_id in (select endpoint_id from lane)`
  await tx`insert into deleted_endpoints (endpoint_id) values (${id})`
  await wakeOnCommit(tx, 'send', id)
  return true
}

async function getEndpoint(tx: Tx, businessId: string, id: string): Promise<WebhookEndpointRow> {
  const row = await findEndpoint(tx, businessId, id)
  if (!row) throw new Error('an endpoint vanished from under its lock')
  return row
}

// The waiting deliveries of a changed or deleted endpoint are rewritten in bounded pieces: a transaction that stores an
// event or an outcome waits for one piece at most.

/** About 100 ms: 50,000 rows are deleted in 1.2 s and reordered in 3. */
const pieceRows = 2_000

/**
 * Marks a piece of the waiting deliveries for another ordering, by sequence.
 * @param after the sequence where the last piece ended; 0 at first
 * @returns the sequence where this piece ended, or null when nothing is left
 */
export async function reorderPiece(
  tx: Tx,
  endpointId: string,
  isOrdered: boolean,
  after: number,
): Promise<number | null> {
  const rows = await tx<{ count: number; last: number | null }[]>`
    with piece as materialized (
      select sequence from deliveries
      where endpoint_id = ${endpointId} and sequence > ${after} and ordered <> ${isOrdered}
      order by sequence limit ${pieceRows} for no key update
    ), changed as (
      update deliveries d set ordered = ${isOrdered} from piece
      where d.endpoint_id = ${endpointId} and d.sequence = piece.sequence
    )
    select count(*)::int as count, max(sequence) as last from piece`
  const { count, last } = only(rows)
  return count === pieceRows ? last : null
}

/**
 * Moves a piece of the waiting deliveries of a deleted endpoint to the history, as `cancelled`.
 * @returns whether more may be left; false while another transaction does it
 */
export async function cancelPiece(tx: Tx, endpointId: string): Promise<boolean> {
  const locked = await tx`select 1 from deleted_endpoints where endpoint_id = ${endpointId} for update skip locked`
  if (locked.length === 0) return false
  const { count } = await tx`
    with piece as materialized (
      select sequence from deliveries where endpoint_id = ${endpointId} order by sequence limit ${pieceRows} for update
    ), gone as (
      delete from deliveries d using piece where d.endpoint_id = ${endpointId} and d.sequence = piece.sequence returning d.*
    )
    insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts,
      last_outcome, created_at)
    select id, endpoint_id, sequence, business_id, event_id, end_user_id, 'cancelled', attempts, last_outcome, created_at
    from gone`
  if (count === pieceRows) return true
  await tx`delete from deleted_endpoints where endpoint_id = ${endpointId}`
  return false
}

/** Lists deleted endpoints that may have waiting deliveries. Runs across businesses, for the sweep. */
export async function listDeletedEndpoints(query: Query): Promise<string[]> {
  const rows = await query<{ endpointId: string }[]>`
    select endpoint_id from deleted_endpoints order by deleted_at limit 100`
  return rows.map(({ endpointId }) => endpointId)
}
