// Reads our webhook endpoint at the provider.

import { readObject, requiredText, strings, text } from '../../http/fields.ts'
import type { ProviderWebhook } from './types.ts'

/** The ID is opaque: the provider's own example violates the schema's pattern. */
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

/** Some responses contain the two characters `\n` instead of line ends. */
function pem(key: string): string {
  return `${key.replaceAll('\\n', '\n').replaceAll('\r\n', '\n').trim()}\n`
}
