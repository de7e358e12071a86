// Housekeeping: what this process keeps in memory is written down, and rows that have run out are deleted.

import { sweepConsole } from '../console/store.ts'
import { finishErasures } from '../end-users/erasure.ts'
import { expireTosLinks } from '../end-users/store.ts'
import { settleExpired } from '../onboarding/links.ts'
import { sweepExpiredKeys } from '../platform/http/idempotency/service.ts'
import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import { housekeeping } from '../platform/postgres/waiting/time-limits.ts'
import { noteWriter } from '../platform/secrets/deployment-secrets.ts'
import { finishDeletions } from '../webhooks/endpoints/service.ts'
import type { ServerDeps } from './context.ts'

const rowsMax = 1_000
const periodMs = 10_000

/**
 * Starts the loop that writes down what this process has seen, and renews its note as a server that writes once a minute.
 * @param isApiOnly of a process that leaves it to others to expire idempotency keys and ToS links, and to finish deletions and erasures
 */
export function startSweepLoop(deps: ServerDeps, isApiOnly = false): Loop {
  let dueAt = 0
  return startLoop({
    name: 'sweep',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      await deps.lastUsedBuffer.flush(deps.db)
      if (deps.now() < dueAt) return false
      await noteWriter(deps)
      const isMore = !isApiOnly && (await sweep(deps))
      if (!isMore) dueAt = deps.now() + 60_000
      return isMore
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}

async function sweep(deps: ServerDeps): Promise<boolean> {
  const swept = await deps.db.transaction(
    async (tx) =>
      (await sweepExpiredKeys(tx, rowsMax)) + (await expireTosLinks(tx, rowsMax)) + (await sweepConsole(tx, rowsMax)),
    housekeeping,
  )
  await finishDeletions(deps)
  await finishErasures(deps)
  await settleExpired(deps, rowsMax)
  return swept >= rowsMax
}
