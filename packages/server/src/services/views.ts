// How stored rows read in the API and in our own events: one shape for both.

import type { JsonObject } from '../domain/json.ts'
import { isoTime } from '../domain/time.ts'
import type { ApiKeyRow, BusinessRow } from '../store/businesses.ts'
import type { AttemptRow, DeliveryRow } from '../store/deliveries.ts'
import type { EventRow } from '../store/events.ts'
import type { VirtualAccountRow } from '../store/virtual-accounts.ts'
import type { WebhookEndpointRow } from '../store/webhook-endpoints.ts'
import type { Deps } from './deps.ts'
import { plainBody, plainResponse } from './event-bodies.ts'

/** The spec's nine fields, and ours beside them; all strings. The last ones are there where they say something. */
export function virtualAccountView(row: VirtualAccountRow) {
  const bank = row.instructions
  return {
    id: row.id,
    bankName: bank?.bankName ?? '',
    bankAccountNumber: bank?.iban ?? bank?.clabe ?? bank?.accountNumber ?? bank?.pixCode ?? bank?.breBKey ?? '',
    bankRoutingNumber: bank?.bic ?? bank?.routingNumber ?? bank?.sortCode ?? '',
    beneficiaryName: bank?.beneficiaryName ?? '',
    beneficiaryAddress: bank?.beneficiaryAddress ?? '',
    destinationAddress: row.destinationAddress,
    destinationPaymentRail: row.destinationPaymentRail,
    destinationCurrency: row.destinationCurrency,
    externalUserId: row.externalUserId,
    status: row.status,
    sourceCurrency: row.sourceCurrency,
    developerFeePercent: row.developerFeePercent,
    ...(row.destinationMemo === null ? {} : { destinationBlockchainMemo: row.destinationMemo }),
    ...(row.pendingDestination === null
      ? {}
      : pendingDestinationView(row.pendingDestination, row.pendingDestinationAt)),
    ...(row.failureCode === null ? {} : { failureCode: row.failureCode }),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/** One that is being made at the provider right now has no time any more. */
function pendingDestinationView(pending: JsonObject, from: Date | null) {
  return {
    pendingDestinationAddress: String(pending['destinationAddress']),
    pendingDestinationPaymentRail: String(pending['destinationPaymentRail']),
    pendingDestinationCurrency: String(pending['destinationCurrency']),
    ...(from === null ? {} : { pendingDestinationFrom: isoTime(from) }),
  }
}

export function eventView(deps: Pick<Deps, 'secrets'>, row: EventRow) {
  return {
    id: row.id,
    position: row.position ?? 0, // only an event without an owner has none
    type: row.type,
    externalUserId: row.externalUserId,
    providerEventId: row.providerEventId,
    source: row.trust === 'own' ? 'causeway' : 'provider',
    verified: row.trust !== 'unverified',
    createdAt: isoTime(row.createdAt),
    payload: JSON.parse(plainBody(deps, row).toString('utf8')) as JsonObject, // it was a JSON object when it was stored
  }
}

export function deliveryView(row: DeliveryRow) {
  return {
    id: row.id,
    eventId: row.eventId,
    webhookEndpointId: row.endpointId,
    sequence: row.sequence,
    status: row.status,
    attemptCount: row.attempts,
    lastOutcome: row.lastOutcome,
    nextAttemptAt: row.status === 'pending' && row.nextAttemptAt ? isoTime(row.nextAttemptAt) : null,
    createdAt: isoTime(row.createdAt),
    finishedAt: row.finishedAt ? isoTime(row.finishedAt) : null,
  }
}

export function attemptView(deps: Pick<Deps, 'secrets'>, deliveryId: string, row: AttemptRow) {
  return {
    attempt: row.attempt,
    outcome: row.outcome,
    httpStatus: row.httpStatus,
    responseBody: plainResponse(deps, deliveryId, row),
    detail: row.detail,
    durationMs: row.durationMs,
    startedAt: isoTime(row.startedAt),
  }
}

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

export function businessView(row: BusinessRow) {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

export function apiKeyView(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    lastFour: row.lastFour,
    scopes: row.scopes,
    createdAt: isoTime(row.createdAt),
    expiresAt: row.expiresAt ? isoTime(row.expiresAt) : null,
    lastUsedAt: row.lastUsedAt ? isoTime(row.lastUsedAt) : null,
    revokedAt: row.revokedAt ? isoTime(row.revokedAt) : null,
  }
}
