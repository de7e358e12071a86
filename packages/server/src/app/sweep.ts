// Housekeeping: what this process keeps in memory is written down, and rows that have run out are deleted.

import type { LastUsedBuffer } from '../businesses/last-used-buffer.ts'
import { sweepConsole } from '../console/store.ts'
import { finishErasures } from '../end-users/erasure.ts'
import { expireTosLinks } from '../end-users/store.ts'
import { settleExpired } from '../onboarding/links.ts'
import type { Core, ServerCore } from '../platform/core.ts'
import { sweepExpiredKeys } from '../platform/http/idempotency/service.ts'
import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import { housekeeping } from '../platform/postgres/waiting/time-limits.ts'
import { noteWriter, type WriterDeps } from '../platform/secrets/deployment-secrets.ts'
import { finishDeletions } from '../webhooks/endpoints/service.ts'

const rowsMax = 1_000
const periodMs = 10_000
const sweepPeriodMs = 60_000
/** A server counts as gone three minutes after its last note. */
const notePeriodMs = 30_000

/**
 * Starts the loop that writes down what this process has seen.
 * @param isApiOnly of a process that leaves it to others to expire idempotency keys and ToS links, and to finish deletions and erasures
 */
export function startSweepLoop(deps: ServerCore & { lastUsedBuffer: LastUsedBuffer }, isApiOnly = false): Loop {
  let dueAtMs = 0
  return startLoop({
    name: 'sweep',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      await deps.lastUsedBuffer.flush(deps.db)
      if (performance.now() < dueAtMs) return false
      const isMore = !isApiOnly && (await sweep(deps))
      if (!isMore) dueAtMs = performance.now() + sweepPeriodMs
      return isMore
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}

/** Starts the loop that notes this process as a server that writes. No housekeeping, however long, makes the note late. */
export function startWriterNoteLoop(deps: Core & WriterDeps): Loop {
  return startLoop({
    name: 'writer-note',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      await noteWriter(deps)
      return false
    },
    nextDueMs: () => Promise.resolve(notePeriodMs),
  })
}

async function sweep(deps: ServerCore): Promise<boolean> {
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
