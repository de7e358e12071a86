// Keeps us level with the provider, whatever its webhooks did not bring: pulls missed events, and walks over everything we
// hold. What is done stands in provider/reconcile/pull and provider/reconcile/reread; here: when.

import type { Deps } from '../../app/context.ts'
import { type Loop, leisurelyMs, startLoop } from '../../platform/loop.ts'
import { nextEventPullDueMs } from './pull.store.ts'
import { pullEvents, requestPull } from './pull.ts'
import { nextRereadDueMs } from './reread.store.ts'
import { reread } from './reread.ts'

export function startReconcileLoop(deps: Deps): Loop {
  if (deps.config.reconcilePeriodSeconds === 0) return { wake() {}, async stop() {} }
  // Two loops, because a walk over a million accounts must not hold a missed event up.
  const loops = [startPullLoop(deps), startRereadLoop(deps)]
  return {
    wake() {
      for (const loop of loops) loop.wake()
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

function startPullLoop(deps: Deps): Loop {
  // At the start, and whenever a turn failed: the database was away then, and events with it.
  let mayHaveMissed = true
  return startLoop({
    name: 'pull',
    log: deps.log,
    // An emulator that is started with us is there by then.
    firstAfterMs: leisurelyMs,
    async turn() {
      const requests = mayHaveMissed
      mayHaveMissed = true
      if (requests) await requestPull(deps)
      const more = await pullEvents(deps)
      mayHaveMissed = false
      return more
    },
    nextDueMs: () => deps.db.read(nextEventPullDueMs),
  })
}

function startRereadLoop(deps: Deps): Loop {
  return startLoop({
    name: 'reread',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    turn: () => reread(deps),
    nextDueMs: () => deps.db.read(nextRereadDueMs),
  })
}
