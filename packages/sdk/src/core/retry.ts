// Which failures a repeat may heal, and how long to wait before it.

import { ConnectionError } from './connection-error.ts'
import { ApiError, TimeoutError } from './errors.ts'

/** A longer `Retry-After` is for the program to plan, not for a function call to sit through. */
const retryAfterMsMax = 60_000
const backoffMsMax = 8_000

export interface RetryState {
  /** Repeats so far. */
  readonly retries: number
  readonly retriesMax: number
  readonly backoffMs: number
  /** Reads, and writes with an idempotency key. */
  readonly isRepeatable: boolean
  /** From 0 up to, not including, 1. */
  readonly fraction: number
}

/**
 * Decides about a failure, in this order: `error.retryable` of the server, `Retry-After`, then the kind of failure.
 * @returns milliseconds to wait before the next attempt, or null when there is none
 */
export function retryDelayMs(failure: unknown, state: RetryState): number | null {
  if (state.retries >= state.retriesMax || !isHealable(failure, state.isRepeatable)) return null
  // Full jitter: callers that failed together come back spread over the whole wait.
  const backoffMs = state.fraction * Math.min(backoffMsMax, state.backoffMs * 2 ** state.retries)
  const retryAfterMs = failure instanceof ApiError ? failure.retryAfterMs : null
  if (retryAfterMs === null) return backoffMs
  return retryAfterMs > retryAfterMsMax ? null : retryAfterMs + backoffMs
}

function isHealable(failure: unknown, isRepeatable: boolean): boolean {
  // Without a key only a refusal for haste is certain to have done nothing.
  if (failure instanceof ApiError) return failure.retryable && (isRepeatable || failure.status === 429)
  return isRepeatable && (failure instanceof ConnectionError || failure instanceof TimeoutError)
}
