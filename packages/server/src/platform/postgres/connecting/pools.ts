// The connection pools of a process, by purpose.

import { type ComingTarget, openPool, type Pool } from '../client.ts'
import type { Parameters, ServerError } from '../session.ts'
import { answerMsMax, Readiness } from '../waiting/readiness.ts'
import { onceAMinute, type Refusal, refusalOf } from '../waiting/refusals.ts'
import { limitParameters, ordinaryLimits, silenceMsOf } from '../waiting/time-limits.ts'

export type PoolsSettings = {
  poolMax: number
  applicationName: string
  waitMs: number
  isPooled: boolean
  /**
   * Called once a minute per SQLSTATE, when PostgreSQL refuses for lack of space, memory, connections or permission.
   */
  onRefusal: (refusal: Refusal) => void
}

export type Pools = {
  general: Pool
  /** Most transactions at once. The rest of the general pool is for reads, even when every write waits for a lock. */
  transactionsMax: number
  single: Pool
  byIndex: Pool
  readiness: Readiness
  close(): Promise<void>
}

// A process that hangs in a transaction must not keep rows locked until its connection is given up. And the planner's
// default cost is for a spinning disk: it would read a week of requests completely rather than a day of them by index.
export const sessionParameters: Parameters = {
  TimeZone: 'UTC',
  idle_in_transaction_session_timeout: '10s',
  random_page_cost: '1.1',
}

// Single statements have separate connections, so event intake and delivery continue while requests fill the pool. One
// batch of each kind is in flight at a time. They are planned once: planning the intake costs 1.3 ms, running it for
// one row 0.8.
const planned = { ...sessionParameters, plan_cache_mode: 'force_generic_plan', jit: 'off', enable_seqscan: 'off' }

// Queues are usually empty when a plan is cached. That plan would scan a full queue: 100,000 rows for each page of 256.
const plannedByIndex = {
  ...planned,
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/** Opens the pools of a database. They connect on first use. */
export function openPools(target: ComingTarget, { poolMax, waitMs, onRefusal, ...common }: PoolsSettings): Pools {
  const [reserved, indexed] = poolMax >= 10 ? [2, 3] : [1, 1]
  const generalMax = Math.max(1, poolMax - reserved - indexed)
  const report = onceAMinute(onRefusal)
  const poolOf = (max: number, settings: Parameters, limits = ordinaryLimits(waitMs), isProbe = false) => {
    const parameters = { ...settings, ...limitParameters(limits) }
    const silenceMs = silenceMsOf(limits.statementMs)
    const onError = (error: ServerError): void => {
      const refusal = refusalOf(error)
      if (refusal === null) return
      report(refusal)
      if (!isProbe) readiness.noteRefusal()
    }
    return openPool(target, { ...common, parameters, max, silenceMs, onWrite: () => readiness.noteWrite(), onError })
  }
  const probing = poolOf(2, sessionParameters, { lockMs: answerMsMax, statementMs: answerMsMax }, true)
  const readiness = new Readiness(probing)
  const general = poolOf(generalMax, sessionParameters)
  const single = poolOf(reserved, planned)
  const byIndex = poolOf(indexed, plannedByIndex)
  return {
    general,
    transactionsMax: Math.ceil((generalMax * 2) / 3),
    single,
    byIndex,
    readiness,
    async close() {
      await Promise.all([general, single, byIndex, probing].map((pool) => pool.close()))
    },
  }
}
