// The provider's webhook endpoint: the requests for one, and what it answers.

import type { JsonObject } from '../../platform/values/json.ts'
import type { Provider } from '../port.ts'
import type { ProviderWebhook } from '../types.ts'
import { readObject, requiredText, strings, text } from './fields.ts'

export function webhookBody(input: Parameters<Provider['createWebhook']>[0]): JsonObject {
  return {
    url: input.url,
    event_epoch: input.eventEpoch,
    ...(input.eventCategories !== undefined && { event_categories: input.eventCategories }),
  }
}

export function webhookChangeBody(change: Parameters<Provider['updateWebhook']>[1]): JsonObject {
  return {
    ...(change.url !== undefined && { url: change.url }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.eventCategories !== undefined && { event_categories: change.eventCategories }),
  }
}

/** The id is opaque: the schema's pattern is broken by the provider's own example. */
export function readWebhook(value: unknown): ProviderWebhook {
  const webhook = readObject(value)
  const publicKey = text(webhook, 'public_key')
  return {
    id: requiredText(webhook, 'webhook', 'id'),
    url: requiredText(webhook, 'webhook', 'url'),
    status: requiredText(webhook, 'webhook', 'status'),
    publicKey: publicKey === null ? null : pem(publicKey),
    eventCategories: strings(webhook['event_categories']),
  }
}

/** Some answers hold the two characters `\n` where the line ends belong. */
function pem(key: string): string {
  return `${key.replaceAll('\\n', '\n').replaceAll('\r\n', '\n').trim()}\n`
}
