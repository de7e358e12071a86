// Webhook endpoints and their lanes. Secrets are sealed before they get here.

import { only } from '../../platform/postgres/db.ts'
import { willLock } from '../../platform/postgres/lock-order.ts'
import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import { type Page, type PageRequest, pageOf, toPage } from '../../platform/postgres/paging.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import { reorderPiece } from './backlog.store.ts'

export type WebhookEndpointRow = {
  businessId: string
  id: string
  url: string
  description: string | null
  isDefault: boolean
  status: 'enabled' | 'paused' | 'disabled'
  disabledReason: string | null
  eventTypes: string[]
  ordering: 'best_effort' | 'per_end_user'
  secretSealed: Buffer
  /** Null when one secret signs. */
  previousSecretExpiresAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** The last sequence number that was given out. */
  sequence: number
  /** The first failure since the last success. */
  failingSince: Date | null
}

const endpointsOf = (query: Query, businessId: string) => query`
  select e.business_id, e.id, e.url, e.description, e.is_default, e.status, e.disabled_reason, e.event_types, e.ordering,
    e.secret_sealed, case when e.previous_secret_expires_at > now() then e.previous_secret_expires_at end as
    previous_secret_expires_at, e.created_at, e.updated_at, l.failing_since,
    (select max(sequence) from endpoint_sequences s where s.endpoint_id = e.id) as sequence
  from webhook_endpoints e join endpoint_lanes l on l.endpoint_id = e.id where e.business_id = ${businessId}`

export async function findEndpoint(
  query: Query,
  businessId: string,
  id: string,
): Promise<WebhookEndpointRow | undefined> {
  const rows = await query<WebhookEndpointRow[]>`${endpointsOf(query, businessId)} and e.id = ${id}`
  return rows[0]
}

export async function findDefaultEndpoint(query: Query, businessId: string): Promise<WebhookEndpointRow | undefined> {
  const rows = await query<WebhookEndpointRow[]>`${endpointsOf(query, businessId)} and e.is_default`
  return rows[0]
}

export async function listEndpoints(
  query: Query,
  businessId: string,
  page: PageRequest,
): Promise<Page<WebhookEndpointRow>> {
  const rows = await query<WebhookEndpointRow[]>`${endpointsOf(query, businessId)} ${pageOf(query, 'e', page)}`
  return toPage(rows, page.limit)
}

/** Lists the secrets that sign deliveries to URLs with this prefix. Crosses businesses. */
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

/** Locks an endpoint against changes and deletion until the transaction ends. */
export async function lockEndpoint(tx: Tx, businessId: string, id: string): Promise<WebhookEndpointRow | undefined> {
  willLock(tx, 'endpoint')
  await tx`select 1 from webhook_endpoints where business_id = ${businessId} and id = ${id} for no key update`
  return await findEndpoint(tx, businessId, id)
}

export async function lockDefaultEndpoint(tx: Tx, businessId: string): Promise<WebhookEndpointRow | undefined> {
  willLock(tx, 'endpoint')
  await tx`select 1 from webhook_endpoints where business_id = ${businessId} and is_default for no key update`
  return await findDefaultEndpoint(tx, businessId)
}

/** Counts endpoints, and locks the business against new ones until the transaction ends. @returns undefined without such a business */
export async function lockEndpointCount(tx: Tx, businessId: string): Promise<number | undefined> {
  willLock(tx, 'business')
  const business = await tx`select 1 from businesses where id = ${businessId} for no key update`
  if (business.length === 0) return
  // A statement of its own: it sees endpoints that were created during the wait for the lock.
  const rows = await tx<{ count: number }[]>`
    select count(*)::int as count from webhook_endpoints where business_id = ${businessId}`
  return only(rows).count
}

export type NewEndpoint = Pick<
  WebhookEndpointRow,
  'businessId' | 'id' | 'url' | 'description' | 'isDefault' | 'eventTypes' | 'ordering' | 'secretSealed'
>

/** Inserts an endpoint and its lane. */
export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<WebhookEndpointRow> {
  const { businessId, id, ordering } = endpoint
  await tx`
    insert into webhook_endpoints (business_id, id, url, description, is_default, event_types, ordering, secret_sealed)
    values (${businessId}, ${id}, ${endpoint.url}, ${endpoint.description}, ${endpoint.isDefault}, ${endpoint.eventTypes},
      ${ordering}, ${endpoint.secretSealed})`
  await tx`
    insert into endpoint_lanes (endpoint_id, business_id, ordered) values (${id}, ${businessId}, ${ordering === 'per_end_user'})`
  await tx`insert into endpoint_sequences (endpoint_id, sequence) values (${id}, 0)`
  return await getEndpoint(tx, businessId, id)
}

export type EndpointChanges = Partial<
  Pick<WebhookEndpointRow, 'url' | 'description' | 'eventTypes' | 'ordering' | 'status' | 'disabledReason'>
>

/** Changes an endpoint. Waiting deliveries stay, under the new ordering. @param known as `lockEndpoint` returned it */
export async function changeEndpoint(
  tx: Tx,
  known: WebhookEndpointRow,
  changes: EndpointChanges,
): Promise<WebhookEndpointRow> {
  const { businessId, id } = known
  const next = { ...known, ...changes }
  await tx`
    update webhook_endpoints set url = ${next.url}, description = ${next.description}, event_types = ${next.eventTypes},
      ordering = ${next.ordering}, status = ${next.status}, disabled_reason = ${next.disabledReason},
      updated_at = now(), version = version + 1
    where business_id = ${businessId} and id = ${id}`
  // No replica claims a closed lane. `resumed_at` tells the holder of a lane that was opened to begin gently.
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
  // The lane first: deliveries that are stored from here on have the new ordering.
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
  // All lanes, in the order of their ids: the event about this endpoint goes into the others.
  const lanes = await tx<{ isReopened: boolean | null }[]>`
    select endpoint_id = ${id} and resumed_at > now() - ${beganMsAgo}::float8 * interval '1 millisecond' as is_reopened
    from endpoint_lanes where business_id = ${businessId} order by endpoint_id for no key update`
  if (!known || known.status === 'disabled' || lanes.some((lane) => lane.isReopened)) return
  return await changeEndpoint(tx, known, { status: 'disabled', disabledReason })
}

/** Makes the present secret the previous one, which signs beside the new one; an older one ends. */
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
  // A transaction that stores an event holds the lane, or waits for its lock and then finds no lane to take a number from.
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
