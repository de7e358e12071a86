// The provider's record of our webhook endpoint.

import { readObject, requiredText, strings, text } from '../../http/fields.ts'
import type { ProviderWebhook } from './types.ts'

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
