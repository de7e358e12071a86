// What the API shows of an event, of its deliveries and of their attempts.

import type { Deps } from '../app/context.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import { plainBody, plainResponse } from './bodies.ts'
import type { AttemptRow, DeliveryRow } from './deliveries.store.ts'
import type { EventRow } from './store.ts'

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
