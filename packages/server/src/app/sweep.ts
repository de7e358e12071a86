// Housekeeping at leisure: when keys were used, which idempotency keys and ToS links have run out, what waits for endpoints
// that are gone, what events still say of erased end-users, audit entries of a version before the chain.

import { chainOlderEntries } from '../audit/log.ts'
import { finishErasures } from '../end-users/erasure.ts'
import { expireTosLinks } from '../end-users/tos-links.store.ts'
import { sweepExpiredKeys } from '../platform/http/idempotency/store.ts'
import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import { noteWriter } from '../platform/secrets/deployment-secrets.ts'
import { finishDeletions } from '../webhooks/endpoints/service.ts'
import type { ServerDeps } from './context.ts'

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
