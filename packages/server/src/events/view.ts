// What the API shows of an event, of its deliveries and of their attempts.

import type { Deps } from '../app/context.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import { plainBody, plainResponse } from './bodies.ts'
import type { AttemptRow, DeliveryRow } from './deliveries.store.ts'
import type { EventRow } from './store.ts'

export type EventView = ReturnType<typeof eventView>

/** Shows an event. @throws Error when no deployment secret opens its body */
export function eventView(deps: Pick<Deps, 'secrets'>, row: EventRow) {
  return {
    id: row.id,
    position: row.position ?? 0, // only an event without an owner has none
    type: row.type,
    externalUserId: row.externalUserId,
    providerEventId: row.providerEventId,
    source: row.trust === 'own' ? ('causeway' as const) : ('provider' as const),
    verified: row.trust !== 'unverified',
    createdAt: isoTime(row.createdAt),
    payload: bodyOf(deps, row),
  }
}

/** Reads the body of a stored event. @throws Error when no deployment secret opens it */
export function bodyOf(deps: Pick<Deps, 'secrets'>, row: EventRow): JsonObject {
  return JSON.parse(plainBody(deps, row).toString('utf8')) as JsonObject // it was a JSON object when it was stored
}

/** Shows a delivery without its attempts. */
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

/** Shows an attempt. @throws Error when no deployment secret opens the receiver's answer */
export function attemptView(deps: Pick<Deps, 'secrets'>, deliveryId: string, row: AttemptRow) {
  const { attempt, outcome, httpStatus, detail, durationMs, startedAt } = row
  const responseBody = plainResponse(deps, deliveryId, row)
  return { attempt, outcome, httpStatus, responseBody, detail, durationMs, startedAt: isoTime(startedAt) }
}
