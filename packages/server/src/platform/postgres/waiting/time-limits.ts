// How long work of each kind may wait for a lock, and run: what somebody else's lock holds up is told so in time, and its
// connection is free again.

import type { TimeLimits } from '../database.ts'
import type { Parameters } from '../session.ts'

/** Longer than a migration waits for its lock (`migration`): who queues behind it is not refused for that. */
const lockMsMax = 3_000

/** PostgreSQL ends a statement itself; only a lost connection gives no answer for this much longer. */
const silenceMarginMs = 2_000

/**
 * The limits of requests and loops.
 * @param waitMs how long a caller waits for an answer
 */
export const ordinaryLimits = (waitMs: number): Required<TimeLimits> => ({
  lockMs: Math.min(lockMsMax, 0.3 * waitMs),
  statementMs: waitMs,
})

/** Pages of rows that are removed, partitions that are made and dropped: in nobody's way, and on a slow disk. */
export const housekeeping = { statementMs: 60_000 } as const satisfies TimeLimits

/**
 * Rewrites of whole tables. Everybody who needs a table queues behind a migration that waits for its lock: so it waits briefly,
 * lets them pass, and tries again.
 */
export const migration = { lockMs: 2_000, statementMs: 0 } as const satisfies TimeLimits

/** The limits as settings of PostgreSQL. */
export function limitParameters({ lockMs, statementMs }: TimeLimits): Parameters {
  return {
    ...(lockMs !== undefined && { lock_timeout: `${lockMs}ms` }),
    ...(statementMs !== undefined && { statement_timeout: `${statementMs}ms` }),
  }
}

/** How long to wait for the answer to a statement under the limit before its connection counts as lost; 0 is for ever. */
export function silenceMsOf(statementMs: number): number {
  return statementMs === 0 ? 0 : statementMs + silenceMarginMs
}
