// A webhook endpoint as the API shows it, and the default endpoint as the webhook URL.

import { isoTime } from '../../platform/values/time.ts'
import type { WebhookEndpointRow } from './store.ts'

export function webhookUrlView(row: WebhookEndpointRow) {
  return {
    id: row.id,
    webhookUrl: row.url,
    status: row.status,
    disabledReason: row.disabledReason,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

export function endpointView(row: WebhookEndpointRow) {
  return {
    id: row.id,
    webhookUrl: row.url,
    description: row.description,
    isDefault: row.isDefault,
    status: row.status,
    disabledReason: row.disabledReason,
    eventTypes: row.eventTypes,
    ordering: row.ordering,
    sequence: row.sequence,
    failingSince: row.failingSince ? isoTime(row.failingSince) : null,
    previousSecretExpiresAt: row.previousSecretExpiresAt ? isoTime(row.previousSecretExpiresAt) : null,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}
