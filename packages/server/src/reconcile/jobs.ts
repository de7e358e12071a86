// Keeps us level with the provider, whatever its webhooks did not bring: pulls missed events and requests for information, and reads
// again open deposits often and everything that we hold once a day. This file decides when; the files beside it do the work.

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
  // An emulator that is started with us is there by the first turn.
  const shared = { log: deps.log, firstAfterMs: leisurelyMs }
  // At the start, and whenever the loop failed: the database was away then, and events with it.
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
  // A loop of its own, because a walk over a million accounts must not hold a missed event up.
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
