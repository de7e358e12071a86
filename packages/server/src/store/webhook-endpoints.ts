// Where a business wants its events. Secrets are sealed before they get here.

import { only, type Query, type Tx } from './db.ts'
import { wakeOnCommit } from './notify.ts'

export type WebhookEndpointRow = {
  businessId: string
  id: string
  url: string
  isDefault: boolean
  status: 'enabled' | 'paused' | 'disabled'
  disabledReason: string | null
  eventTypes: string[]
  ordering: 'best_effort' | 'per_end_user'
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretExpiresAt: Date | null
  /** Grows with each change. */
  version: number
  createdAt: Date
  updatedAt: Date
}

export async function findDefaultEndpoint(query: Query, businessId: string): Promise<WebhookEndpointRow | undefined> {
  const rows = await query<
    WebhookEndpointRow[]
  >`select * from webhook_endpoints where business_id = ${businessId} and is_default`
  return rows[0]
}

/** Creates the default endpoint, or changes its address and switches it on again. `created` tells which. */
export async function upsertDefaultEndpoint(
  tx: Tx,
  endpoint: { businessId: string; id: string; url: string; secretSealed: Buffer },
): Promise<{ endpoint: WebhookEndpointRow; created: boolean }> {
  const row = only(
    await tx<WebhookEndpointRow[]>`
      insert into webhook_endpoints (business_id, id, url, is_default, secret_sealed)
      values (${endpoint.businessId}, ${endpoint.id}, ${endpoint.url}, true, ${endpoint.secretSealed})
      on conflict (business_id) where is_default
      do update set url = excluded.url, status = 'enabled', disabled_reason = null, updated_at = now(),
        version = webhook_endpoints.version + 1
      returning *`,
  )
  await openLane(tx, row)
  return { endpoint: row, created: row.id === endpoint.id }
}

/** The endpoint's place in the relay: made with it, and open whenever it is enabled. Whoever holds it is told. */
async function openLane(tx: Tx, endpoint: { businessId: string; id: string }): Promise<void> {
  await tx`
    insert into endpoint_lanes (endpoint_id, business_id) values (${endpoint.id}, ${endpoint.businessId})
    on conflict (endpoint_id) do update set open = true, wants_at = coalesce(endpoint_lanes.wants_at, now())`
  await wakeOnCommit(tx, 'send', endpoint.id)
}

/** Pauses, disables or enables. What waits stays; on enabling it goes on. @returns whether this call changed it */
export async function setEndpointStatus(
  tx: Tx,
  businessId: string,
  id: string,
  status: WebhookEndpointRow['status'],
  reason: string | null = null,
): Promise<boolean> {
  const rows = await tx<{ id: string; businessId: string }[]>`
    update webhook_endpoints set status = ${status}, disabled_reason = ${reason}, updated_at = now(), version = version + 1
    where business_id = ${businessId} and id = ${id} and status <> ${status} returning id, business_id`
  const [endpoint] = rows
  if (!endpoint) return false
  if (status === 'enabled') await openLane(tx, endpoint)
  else await closeLane(tx, endpoint)
  return true
}

/** Nobody takes it up while it is closed; whoever holds it is told. */
async function closeLane(tx: Tx, endpoint: { id: string }): Promise<void> {
  await tx`update endpoint_lanes set open = false, wants_at = null where endpoint_id = ${endpoint.id}`
  await wakeOnCommit(tx, 'send', endpoint.id)
}

export async function getEndpoint(query: Query, businessId: string, id: string): Promise<WebhookEndpointRow> {
  return only(
    await query<WebhookEndpointRow[]>`select * from webhook_endpoints where business_id = ${businessId} and id = ${id}`,
  )
}

/** Its waiting deliveries go with it; the events and the history stay. */
export async function deleteDefaultEndpoint(tx: Tx, businessId: string): Promise<boolean> {
  const rows = await tx<{ id: string }[]>`
    delete from webhook_endpoints where business_id = ${businessId} and is_default returning id`
  for (const { id } of rows) {
    // The lane first: an event that is being stored waits for it, and then finds no endpoint any more.
    await tx`delete from endpoint_lanes where endpoint_id = ${id}`
    await tx`delete from deliveries where endpoint_id = ${id}`
    await wakeOnCommit(tx, 'send', id)
  }
  return rows.length > 0
}
