// Our webhook endpoint at the provider: registered, switched on, and its public key kept to check what it signs.

import { createHash } from 'node:crypto'
import { fail } from '../errors.ts'
import type { ProviderWebhook } from '../provider/port.ts'
import { listProviderWebhooks, saveProviderWebhook } from '../store/provider-webhooks.ts'
import type { Deps } from './deps.ts'
import { readUpstream } from './upstream.ts'

export type Connection = { webhookId: string; url: string; created: boolean }

/**
 * Makes sure that the provider sends its events to `url`. Repeating it changes nothing.
 * @throws ApiError `provider_unavailable`, `provider_timeout`, `provider_rejected`
 */
export async function connectProvider(deps: Deps, url: string): Promise<Connection> {
  const known = new Set((await deps.db.read(listProviderWebhooks)).map((row) => row.id))
  const theirs = (await readUpstream(() => deps.provider.listWebhooks())).filter(
    (webhook) => webhook.status !== 'deleted',
  )
  // One of ours under another address is moved, so that an endpoint is not left behind at every change of address.
  const existing = theirs.find((webhook) => webhook.url === url) ?? theirs.find((webhook) => known.has(webhook.id))
  const webhook = existing ?? (await createWebhook(deps, url))
  if (webhook.publicKey === null)
    throw fail('provider_unavailable', { message: 'The provider named no public key for the webhook.' })
  const { publicKey } = webhook
  // The key is kept before the endpoint is switched on: no event comes that we could not check.
  await deps.db.transaction((tx) => saveProviderWebhook(tx, { id: webhook.id, url, publicKey }))
  if (webhook.status !== 'active' || webhook.url !== url) {
    await readUpstream(() => deps.provider.updateWebhook(webhook.id, { url, status: 'active' }))
  }
  return { webhookId: webhook.id, url, created: existing === undefined }
}

async function createWebhook(deps: Deps, url: string): Promise<ProviderWebhook> {
  // The same key for the same address within a day: two replicas that connect at once make one endpoint.
  const day = new Date(deps.now()).toISOString().slice(0, 10)
  const digest = createHash('sha256').update(`causeway webhook ${url} ${day}`).digest('hex')
  return await readUpstream(() =>
    deps.provider.createWebhook(
      { url, eventEpoch: 'webhook_creation' },
      { idempotencyKey: `causeway-webhook-${digest.slice(0, 32)}` },
    ),
  )
}
