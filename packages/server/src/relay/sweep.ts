// Housekeeping at leisure: when keys were used, which idempotency keys and ToS links have run out, what waits for endpoints
// that are gone, what events still say of erased end-users, audit entries of a version before the chain.

import { chainOlderEntries } from '../services/audit.ts'
import { noteWriter } from '../services/deployment-secrets.ts'
import type { ServerDeps } from '../services/deps.ts'
import { finishErasures } from '../services/erasure.ts'
import { finishDeletions } from '../services/webhook-endpoints.ts'
import { sweepExpiredKeys } from '../store/idempotency.ts'
import { expireTosLinks } from '../store/tos-links.ts'
import { type Loop, leisurelyMs, startLoop } from './loop.ts'

const rowsMax = 1_000
const periodMs = 10_000

export function startSweepLoop(deps: ServerDeps): Loop {
  let expiryDueAt = 0
  return startLoop({
    name: 'sweep',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      await deps.usedKeys.flush(deps.db)
      if (deps.now() < expiryDueAt) return false
      const swept = await deps.db.transaction(
        async (tx) => (await sweepExpiredKeys(tx, rowsMax)) + (await expireTosLinks(tx, rowsMax)),
      )
      await finishDeletions(deps)
      await finishErasures(deps)
      await chainOlderEntries(deps)
      await noteWriter(deps)
      const more = swept >= rowsMax
      if (!more) expiryDueAt = deps.now() + 60_000
      return more
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}
