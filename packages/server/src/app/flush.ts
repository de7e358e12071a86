// What a process that only serves requests has noted in memory for the others, written down now and then.

import { type Loop, startLoop } from '../platform/loop.ts'
import { saveSeenSequences } from '../provider/reconcile/pull.ts'
import type { ServerDeps } from './context.ts'

const periodMs = 10_000

export function startNotesLoop(deps: ServerDeps): Loop {
  return startLoop({
    name: 'notes',
    log: deps.log,
    async turn() {
      await deps.usedKeys.flush(deps.db)
      if (deps.config.reconcilePeriodSeconds > 0) await saveSeenSequences(deps)
      return false
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}
