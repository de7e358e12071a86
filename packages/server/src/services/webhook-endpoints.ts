// Where a business receives its events: the default webhook URL, set by the business itself or by the operator.

import { makeId } from '../domain/ids.ts'
import { newSecret } from '../domain/webhook-secret.ts'
import { parseWebhookUrl } from '../domain/webhook-url.ts'
import { fail } from '../errors.ts'
import { findBusiness } from '../store/businesses.ts'
import type { Tx } from '../store/db.ts'
import * as store from '../store/webhook-endpoints.ts'
import type { Deps } from './deps.ts'
import { appendOwnEvent } from './own-events.ts'
import { endpointView } from './views.ts'

export type EndpointView = ReturnType<typeof endpointView>
/** The signing secret is shown once, when the endpoint is made. */
export type SetEndpoint = EndpointView & { signingSecret?: string }

/**
 * Sets the default webhook URL. A new address keeps the secret, the sequence and the waiting events; a disabled
 * endpoint is switched on again.
 * @throws ApiError `invalid_webhook_url`, `customer_not_found`
 */
export async function setWebhookUrl(deps: Deps, businessId: string, webhookUrl: string): Promise<SetEndpoint> {
  const parsed = parseWebhookUrl(webhookUrl, { allowLoopbackHttp: deps.config.mode === 'sandbox' })
  if (!parsed.ok) {
    const message = `webhookUrl ${parsed.message}`
    throw fail('invalid_webhook_url', {
      message,
      details: [{ param: 'webhookUrl', code: 'invalid_webhook_url', message }],
    })
  }
  const secret = newSecret(deps.randomBytes)
  const result = await deps.db.transaction(async (tx) => {
    if (!(await findBusiness(tx, businessId))) throw fail('customer_not_found')
    const id = makeId('webhookEndpoint', deps.randomBytes(16))
    return await store.upsertDefaultEndpoint(tx, {
      businessId,
      id,
      url: parsed.url,
      secretSealed: deps.secrets.seal(secret, businessId),
    })
  })
  deps.wake('send')
  return { ...endpointView(result.endpoint), ...(result.created ? { signingSecret: secret } : {}) }
}

/** @throws ApiError `webhook_url_not_set` */
export async function getWebhookUrl(deps: Deps, businessId: string): Promise<EndpointView> {
  const row = await deps.db.read((query) => store.findDefaultEndpoint(query, businessId))
  if (!row) throw fail('webhook_url_not_set')
  return endpointView(row)
}

/** Ends deliveries to it, waiting ones included; the events themselves stay. @throws ApiError `webhook_url_not_set` */
export async function deleteWebhookUrl(deps: Deps, businessId: string): Promise<{ deleted: true }> {
  const found = await deps.db.transaction((tx) => store.deleteDefaultEndpoint(tx, businessId))
  if (!found) throw fail('webhook_url_not_set')
  return { deleted: true }
}

/** For the relay: switches off an endpoint that wants no more events, or can not take any. */
export async function disableFailingEndpoint(
  deps: Deps,
  businessId: string,
  endpointId: string,
  reason: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await store.setEndpointStatus(tx, businessId, endpointId, 'disabled', reason))
      await announceDisabled(deps, tx, businessId, endpointId)
  })
}

/** Tells the business's other endpoints; this one keeps the event, with the rest, until it is switched on again. */
async function announceDisabled(deps: Deps, tx: Tx, businessId: string, endpointId: string): Promise<void> {
  const row = await store.getEndpoint(tx, businessId, endpointId)
  const owner = { businessId, endUserId: null, virtualAccountId: null, externalUserId: null }
  await appendOwnEvent(deps, tx, 'webhook_endpoint.disabled', owner, endpointView(row))
}

/** For the local command line only: the API never shows a secret twice. @throws ApiError `webhook_url_not_set` */
export async function revealSigningSecret(deps: Deps, businessId: string): Promise<string> {
  const row = await deps.db.read((query) => store.findDefaultEndpoint(query, businessId))
  if (!row) throw fail('webhook_url_not_set')
  return deps.secrets.open(row.secretSealed, businessId)
}
