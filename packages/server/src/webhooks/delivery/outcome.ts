// Decides what a response means for its delivery (delivered, retry or exhausted), and writes the row.

import { noResponse, type StoredResponse, sealedResponse } from '../../events/bodies.ts'
import type { WaitingDelivery } from '../../events/local-relay.ts'
import type { ServerCore } from '../../platform/core.ts'
import type { Answer } from '../../platform/guarded-http/exchange.ts'
import type { Lane } from './lane.ts'
import type { Outcome } from './outcomes.store.ts'

/** Each retry delay varies by this share, so that deliveries that failed together are not retried together. */
const jitter = 0.2

export type Attempt = {
  lane: Lane
  delivery: WaitingDelivery
  answer: Answer
  startedAt: Date
  /** The event is about a person. */
  isSealed: boolean
  /** The stored form of the headers that were sent. */
  sentAs: string | null
}

export function isDelivered(answer: Answer): boolean {
  return answer.kind === 'response' && answer.status >= 200 && answer.status < 300
}

/** Names the outcome for a metric. Statuses are grouped by hundreds, because a label needs few values. */
export function outcomeLabel(answer: Answer): string {
  if (isDelivered(answer)) return 'delivered'
  return answer.kind === 'response' ? `${Math.floor(answer.status / 100)}xx` : answer.kind
}

/** Creates the row of an attempt. @returns the row, with `retryInMs` if another attempt follows */
export function outcomeOf(deps: ServerCore, attempt: Attempt): Outcome {
  const { lane, delivery, answer, startedAt } = attempt
  const response = answer.kind === 'response' ? answer : null
  const retryInMs = isDelivered(answer) ? null : retryDelayMs(deps, delivery, answer)
  const finalStatus = isDelivered(answer) ? 'delivered' : 'exhausted'
  return {
    endpointId: lane.endpointId,
    fence: lane.fence,
    sequence: delivery.sequence,
    attempts: delivery.attempts,
    attemptsBefore: delivery.attemptsBefore,
    status: retryInMs === null ? finalStatus : 'retrying',
    retryInMs,
    outcome: response ? `http_${response.status}` : answer.kind,
    httpStatus: response?.status ?? null,
    ...storedResponse(deps, attempt),
    sentAs: attempt.sentAs,
    detail: detailOf(answer),
    durationMs: Math.round(answer.durationMs),
    startedAt,
  }
}

/**
 * Milliseconds until the next attempt by the schedule, or by the receiver's request if that is later; null if no
 * attempt follows.
 */
function retryDelayMs(deps: ServerCore, delivery: WaitingDelivery, answer: Answer): number | null {
  const waitSeconds = deps.config.webhookRetrySeconds[delivery.attempts - delivery.attemptsBefore]
  if (waitSeconds === undefined || (answer.kind === 'response' && answer.stopsRetries)) return null
  const spread = 1 + jitter * (2 * (deps.randomBytes(4).readUInt32BE() / 0xffffffff) - 1)
  const retryAfterMs = answer.kind === 'response' ? (answer.retryAfterMs ?? 0) : 0
  return Math.max(waitSeconds * 1_000 * spread, retryAfterMs)
}

/**
 * Returns what to store of a response. A receiver may repeat the event in its response, so for an event about a person
 * a failed response is stored encrypted, and a successful one is not stored.
 */
function storedResponse(deps: ServerCore, { delivery, answer, isSealed }: Attempt): StoredResponse {
  if (answer.kind !== 'response') return noResponse
  const { responseHeaders, responseBody } = answer
  if (!isSealed) return { responseHeaders, responseBody, responseSealed: null }
  return isDelivered(answer) ? noResponse : sealedResponse(deps, delivery.id, { responseHeaders, responseBody })
}

/** Returns a sentence for the business if the outcome alone is not clear. */
function detailOf(answer: Answer): string | null {
  if (answer.kind !== 'response') return answer.detail
  const isStopped = answer.stopsRetries && !isDelivered(answer)
  return isStopped ? 'The receiver asked for no further attempt (svc-retry: stop).' : null
}
