// A webhook endpoint as the API shows it.

import { isoTime } from '../../platform/values/time.ts'
import type { WebhookEndpointRow } from './store.ts'

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
