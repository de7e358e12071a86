// The default webhook endpoint of a business as its webhook URL, set by the business or by the operator.

import type { Core } from '../../platform/core.ts'
import { fail } from '../../platform/errors.ts'
import { type Actor, operator } from '../../platform/http/caller.ts'
import { answeringTransaction } from '../../platform/http/idempotency/service.ts'
import type { HeldKey } from '../../platform/http/scope.ts'
import {
  acceptUrl,
  auditChange,
  deleteEndpoint,
  endpointView,
  makeEndpoint,
  requireRoom,
  type Writer,
} from './service.ts'
import * as store from './store.ts'

function webhookUrlView(row: store.WebhookEndpointRow) {
  const { id, webhookUrl, status, disabledReason, createdAt, updatedAt } = endpointView(row)
  return { id, webhookUrl, status, disabledReason, createdAt, updatedAt }
}

/**
 * Sets the webhook URL. A new URL keeps the secret, the sequence and the waiting deliveries; a paused or disabled endpoint is
 * enabled again.
 * @param held null for the operator
 * @throws ApiError `invalid_webhook_url`, `customer_not_found`, `webhook_endpoint_limit_reached`
 */
export async function setWebhookUrl(
  deps: Core,
  held: HeldKey | null,
  businessId: string,
  webhookUrl: string,
  by: Actor = operator,
): Promise<ReturnType<typeof webhookUrlView> & { signingSecret?: string }> {
  const url = acceptUrl(deps, webhookUrl)
  return await answeringTransaction(deps, held, async (tx) => {
    const count = await store.lockEndpointCount(tx, businessId)
    if (count === undefined) throw fail('customer_not_found')
    const known = await store.lockEndpoint(tx, businessId, null)
    if (known) {
      const changes = { url, status: 'enabled', disabledReason: null } as const
      const row = await store.changeEndpoint(tx, known, changes)
      await auditChange(deps, tx, by, known, row)
      return webhookUrlView(row)
    }
    requireRoom(count)
    const { row, signingSecret } = await makeEndpoint(deps, tx, businessId, { url, isDefault: true }, by)
    return { ...webhookUrlView(row), signingSecret }
  })
}

/** @throws ApiError `webhook_url_not_set` */
export async function getWebhookUrl(deps: Core, businessId: string) {
  return webhookUrlView(await defaultEndpoint(deps, businessId))
}

/**
 * Deletes the default endpoint and cancels its queued deliveries. The events remain. @throws ApiError
 * `webhook_url_not_set`
 */
export async function deleteWebhookUrl(deps: Core, writer: Writer): Promise<{ deleted: true }> {
  const { id } = await defaultEndpoint(deps, writer.business.id)
  return await deleteEndpoint(deps, writer, id, 'webhook_url_not_set')
}

/**
 * Decrypts the signing secret, for the local command line only: the API never shows a secret twice. @throws ApiError
 * `webhook_url_not_set`
 */
export async function revealSigningSecret(deps: Core, businessId: string): Promise<string> {
  const row = await defaultEndpoint(deps, businessId)
  return deps.secrets.open(row.secretSealed, businessId)
}

/**
 * Decrypts the signing secrets of endpoints with URLs that start with `prefix`, by URL, for the local command line
 * only.
 */
export async function revealSigningSecrets(deps: Core, prefix: string): Promise<Map<string, string[]>> {
  const rows = await deps.db.read((query) => store.listSigningSecrets(query, prefix))
  const byUrl = Map.groupBy(rows, ({ url }) => url)
  const open = (row: (typeof rows)[number]) => deps.secrets.open(row.secretSealed, row.businessId)
  return new Map([...byUrl].map(([url, rows]) => [url, rows.map(open)]))
}

async function defaultEndpoint(deps: Core, businessId: string): Promise<store.WebhookEndpointRow> {
  const row = await deps.db.read((query) => store.findEndpoint(query, businessId, null))
  if (!row) throw fail('webhook_url_not_set')
  return row
}
