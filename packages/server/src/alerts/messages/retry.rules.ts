// When a message is sent again, and what an attempt means for it.

import type { SendOutcome } from '../../platform/guarded-http/exchange.ts'

/** The result of one attempt. `said` is stored and shown: no addresses, no secrets. */
export type Attempted =
  | { result: 'sent'; said: string }
  /** `isFinal`: a further attempt cannot succeed. */
  | { result: 'failed'; said: string; isFinal: boolean }
  /** The process is stopping, or a local fault: the attempt does not count. */
  | { result: 'aborted' }

const delaysSeconds = [10, 30, 60, 300, 900, 1_800, 3_600]
const retryHours = 24

/**
 * @param attempts so far, at least 1
 * @param ageMs since the message was created
 * @returns seconds until the next attempt; null when the message has failed
 */
export function retryInSeconds(attempts: number, ageMs: number): number | null {
  if (ageMs >= retryHours * 3_600_000) return null
  return delaysSeconds[Math.min(attempts, delaysSeconds.length) - 1] ?? null
}

/** Reads the response of a receiver. Its body is not kept. */
export function attemptOf(outcome: SendOutcome): Attempted {
  if (outcome.kind === 'aborted') return { result: 'aborted' }
  if (outcome.kind !== 'response') return { result: 'failed', said: outcome.detail, isFinal: false }
  const { status, isGone } = outcome
  const said = `The receiver responded with ${status}.`
  return status < 300 ? { result: 'sent', said } : { result: 'failed', said, isFinal: isGone }
}
