// Where a business wants its events. Secrets are sealed before they get here.

import { only, type Query, type Tx } from './db.ts'

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
  sequence: number
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
      do update set url = excluded.url, status = 'enabled', disabled_reason = null, updated_at = now()
      returning *`,
  )
  return { endpoint: row, created: row.id === endpoint.id }
}

/** @returns whether this call disabled it */
export async function disableEndpoint(tx: Tx, businessId: string, id: string, reason: string): Promise<boolean> {
  const rows = await tx`
    update webhook_endpoints set status = 'disabled', disabled_reason = ${reason}, updated_at = now()
    where business_id = ${businessId} and id = ${id} and status <> 'disabled' returning id`
  return rows.length > 0
}

export async function getEndpoint(query: Query, businessId: string, id: string): Promise<WebhookEndpointRow> {
  return only(
    await query<WebhookEndpointRow[]>`select * from webhook_endpoints where business_id = ${businessId} and id = ${id}`,
  )
}

/** Its deliveries and their attempts go with it; the events stay. */
export async function deleteDefaultEndpoint(tx: Tx, businessId: string): Promise<boolean> {
  const rows = await tx`delete from webhook_endpoints where business_id = ${businessId} and is_default returning id`
  return rows.length > 0
}

export async function hasEndpoints(query: Query, businessId: string): Promise<boolean> {
  const rows = await query`select 1 from webhook_endpoints where business_id = ${businessId} limit 1`
  return rows.length > 0
}
