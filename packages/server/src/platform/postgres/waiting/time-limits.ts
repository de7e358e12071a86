// Limits for the lock wait and the duration of each kind of work: callers get an error in time, and the connection is free again.

import type { TimeLimits } from '../database.ts'
import type { Parameters } from '../session.ts'

/** Longer than a migration waits for its lock (`migration`), so that requests queued behind it are not rejected. */
const lockMsMax = 3_000

/** PostgreSQL ends a statement itself. If no response comes for this much longer, the connection is lost. */
const silenceMarginMs = 2_000

/**
 * The limits of requests and loops.
 * @param waitMs how long a caller waits for a response
 */
export const ordinaryLimits = (waitMs: number): Required<TimeLimits> => ({
  lockMs: Math.min(lockMsMax, 0.3 * waitMs),
  statementMs: waitMs,
})

/** Removal of old rows, and work on partitions: may be slow on a slow disk, and blocks nobody. */
export const housekeeping = { statementMs: 60_000 } as const satisfies TimeLimits

/**
 * Rewrites of whole tables. Everyone who needs a table queues behind a migration that waits for its lock. So the
 * migration waits briefly, lets them pass, and retries.
 */
export const migration = { lockMs: 2_000, statementMs: 0 } as const satisfies TimeLimits

/** The limits as settings of PostgreSQL. */
export function limitParameters({ lockMs, statementMs }: TimeLimits): Parameters {
  return {
    ...(lockMs !== undefined && { lock_timeout: `${lockMs}ms` }),
    ...(statementMs !== undefined && { statement_timeout: `${statementMs}ms` }),
  }
}

/**
 * How long to wait for the response to a statement under the limit before its connection counts as lost; 0: no limit.
 */
export function silenceMsOf(statementMs: number): number {
  return statementMs === 0 ? 0 : statementMs + silenceMarginMs
}
