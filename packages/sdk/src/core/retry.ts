// Retryable failures, and the delay before a retry.

import { ConnectionError } from './connection-error.ts'
import { ApiError, TimeoutError } from './errors.ts'

/**
 * A longer `Retry-After` is returned to the program, because a function call should not wait so long. A stream retries after this
 * time.
 */
export const retryAfterMsMax = 60_000
const backoffMsMax = 8_000

export interface RetryState {
  /** Retries so far. */
  readonly retries: number
  readonly retriesMax: number
  readonly backoffMs: number
  /** Reads, and writes with an idempotency key. */
  readonly isRepeatable: boolean
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly fraction: number
}

/**
 * Decides in this order: `error.retryable` of the server, `Retry-After`, then the kind of failure.
 * @returns milliseconds before the next attempt, or null without another attempt
 */
export function retryDelayMs(failure: unknown, state: RetryState): number | null {
  if (state.retries >= state.retriesMax || !isHealable(failure, state.isRepeatable)) return null
  // Full jitter: callers that failed together retry at different times.
  const backoffMs = state.fraction * Math.min(backoffMsMax, state.backoffMs * 2 ** state.retries)
  const retryAfterMs = failure instanceof ApiError ? failure.retryAfterMs : null
  if (retryAfterMs === null) return backoffMs
  return retryAfterMs > retryAfterMsMax ? null : retryAfterMs + backoffMs
}

function isHealable(failure: unknown, isRepeatable: boolean): boolean {
  // Without a key, only a 429 proves that nothing was executed.
  if (failure instanceof ApiError) return failure.retryable && (isRepeatable || failure.status === 429)
  return isRepeatable && (failure instanceof ConnectionError || failure instanceof TimeoutError)
}
