// Housekeeping: saves what this process keeps in memory, and deletes expired rows.

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
/** A server counts as stopped three minutes after its last note. */
const notePeriodMs = 30_000

/**
 * Starts the loop that saves what this process has seen.
 * @param isApiOnly leaves the expiry of idempotency keys and ToS links, and the completion of deletions, to other
 * processes
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

/** Starts the loop that records this process as a writing server. Long housekeeping does not delay the record. */
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
