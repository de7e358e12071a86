// Adds changes to the counts every half minute, and deletes the counts of attempts that retention has deleted.

import type { ServerCore } from '../platform/core.ts'
import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import { addChanges, deleteAttemptCounts } from './store.ts'

const rowsMax = 5_000
const periodMs = 30_000
const sweepPeriodMs = 3_600_000

export function startStatsLoop(deps: ServerCore): Loop {
  let sweepAtMs = performance.now()
  return startLoop({
    name: 'stats',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      if ((await deps.db.read((query) => addChanges(query, rowsMax))) === rowsMax) return true
      if (performance.now() < sweepAtMs) return false
      const { eventRetentionDays } = deps.config
      if ((await deps.db.read((query) => deleteAttemptCounts(query, eventRetentionDays, rowsMax))) === rowsMax)
        return true
      sweepAtMs = performance.now() + sweepPeriodMs
      return false
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}
