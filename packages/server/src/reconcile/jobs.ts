// Keeps Causeway in sync with the provider if webhooks are missed: pulls missed events and information requests, reads
// open deposits often and everything else once a day. This file decides when; the other files do the work.

import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import { nextInformationRequestPullDueMs } from './information-requests.store.ts'
import { pullInformationRequests } from './information-requests.ts'
import { nextOpenDepositsDueMs, rereadOpenDeposits } from './open-deposits.ts'
import type { Reconciles } from './ports.ts'
import { pullEvents } from './pull.ts'
import { reread } from './reread.ts'
import { nextEventPullDueMs, nextRereadDueMs, requestEventPull } from './store.ts'

export function startReconcileLoop(deps: Reconciles): Loop {
  if (deps.config.reconcilePeriodSeconds === 0) return { wake() {}, async stop() {} }
  // A sandbox provider that starts together with Causeway is available by the first turn.
  const shared = { log: deps.log, firstAfterMs: leisurelyMs }
  // At the start, and after each failure of the loop: the database was unavailable then, and events may be missing.
  let mayHaveMissed = true
  const noticingOutage = async <T>(work: () => Promise<T>): Promise<T> => {
    mayHaveMissed = true
    const result = await work()
    mayHaveMissed = false
    return result
  }
  const pulls = startLoop({
    ...shared,
    name: 'pull',
    async turn() {
      if (mayHaveMissed) await deps.db.transaction(requestEventPull)
      return await noticingOutage(() => pullEvents(deps))
    },
    nextDueMs: () => noticingOutage(() => deps.db.read(nextEventPullDueMs)),
  })
  // A separate loop, because a walk over a million accounts must not delay a missed event.
  const rereads = startLoop({
    ...shared,
    name: 'reread',
    turn: () => reread(deps),
    nextDueMs: () => deps.db.read(nextRereadDueMs),
  })
  const { informationRequests } = deps.provider
  const requests =
    informationRequests &&
    startLoop({
      ...shared,
      name: 'information_requests',
      turn: () => pullInformationRequests(deps, informationRequests),
      nextDueMs: () => deps.db.read(nextInformationRequestPullDueMs),
    })
  const openDeposits = startLoop({
    ...shared,
    name: 'open_deposits',
    turn: () => rereadOpenDeposits(deps),
    nextDueMs: () => nextOpenDepositsDueMs(deps),
  })
  const loops = [pulls, rereads, openDeposits, ...(requests ? [requests] : [])]
  return {
    wake() {
      for (const loop of loops) loop.wake()
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
