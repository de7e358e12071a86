// Housekeeping: what this process keeps in memory is written down, and rows that have run out are deleted.

import { finishErasures } from '../end-users/erasure.ts'
import { expireTosLinks } from '../end-users/tos-links.store.ts'
import { sweepExpiredKeys } from '../platform/http/idempotency/store.ts'
import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import { noteWriter } from '../platform/secrets/deployment-secrets.ts'
import { finishDeletions } from '../webhooks/endpoints/service.ts'
import type { ServerDeps } from './context.ts'

const rowsMax = 1_000
const periodMs = 10_000

/** Starts the loop that expires idempotency keys and ToS links, and finishes deletions and erasures, once a minute. */
export function startSweepLoop(deps: ServerDeps): Loop {
  let expiryDueAt = 0
  return startLoop({
    name: 'sweep',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      await deps.lastUsedBuffer.flush(deps.db)
      if (deps.now() < expiryDueAt) return false
      const swept = await deps.db.transaction(
        async (tx) => (await sweepExpiredKeys(tx, rowsMax)) + (await expireTosLinks(tx, rowsMax)),
      )
      await finishDeletions(deps)
      await finishErasures(deps)
      await noteWriter(deps)
      const more = swept >= rowsMax
      if (!more) expiryDueAt = deps.now() + 60_000
      return more
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}

/** Starts the loop of a process that only serves requests: it writes down what the process has seen, for the others. */
export function startFlushLoop(deps: ServerDeps): Loop {
  return startLoop({
    name: 'flush',
    log: deps.log,
    async turn() {
      await deps.lastUsedBuffer.flush(deps.db)
      return false
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}
