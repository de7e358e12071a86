// What the connection to the provider needs: the webhook endpoints there.

import type { Core } from '../../platform/core.ts'
import type { ProviderWebhook, WebhookChange, WebhookInput } from '../bridge/wire/types.ts'
import type { Write } from '../port.ts'

/** Each function rejects with a `ProviderError` and with nothing else. */
export interface WebhooksAtProvider {
  createWebhook(webhook: WebhookInput, write: Write): Promise<ProviderWebhook>
  listWebhooks(): Promise<ProviderWebhook[]>
  updateWebhook(id: string, change: WebhookChange): Promise<ProviderWebhook>
  /** Sends one event once more, also to an endpoint whose delivery the provider has given up: success resumes it. */
  sendWebhookEvent(id: string, eventId: string, write: Write): Promise<unknown>
}

export type Connects = Core & { provider: WebhooksAtProvider }
