// The send loop: takes lanes, reads ahead in them, lets the slots decide who sends next, and has the outcomes written.
// Everything about one delivery on its way stands in attempt.ts.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerDeps } from '../../app/context.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import { createAttempts } from './attempt.ts'
import { Lane } from './lane.ts'
import * as store from './lanes.store.ts'
import { Lease } from './lease.ts'
import { Headroom } from './loop-pressure.ts'
import { createReader } from './reader.ts'
import { createReminder } from './reminder.ts'
import { Slots } from './scheduler.ts'
import type { Sender } from './sender/sender.ts'
import { settle } from './settlement.store.ts'
import { createSettler } from './settler.ts'

const lanesMax = 2_000
const claimMax = 200
/** An empty lane is kept this long, so that an endpoint in use costs no claim an event. */
const idleMs = 5_000
/** After a reading that failed: the database is most often away. */
const troubleMs = 1_000

export type SendLoop = Loop & {
  /** News of these endpoints, separated by commas; of all when empty. */
  hint(endpointIds: string): void
  /** After `stop`: waits this long for what is in flight, ends the rest, and gives back what is still held. */
  drain(graceMs: number): Promise<void>
}

export function startSendLoop(deps: ServerDeps, sender: Sender): SendLoop {
  const owner = deps.randomBytes(12).toString('base64url')
  const lease = new Lease(deps.db, owner, deps.config.webhookTimeoutMs)
  const lanes = new Map<string, Lane>()
  const hinted = new Set<string>()
  let allHinted = true
  const slots = new Slots()
  const headroom = new Headroom()
  let isShared = false // by lanes with a backlog and others
  const settler = createSettler(deps.db, deps.log, owner)
  const attempts = createAttempts(deps, sender, settler)
  const reader = createReader(deps.db, (lane) => lanes.get(lane.endpointId) === lane)
  let backlogReading: Promise<void> | null = null

  /** The first outcome of a busy start must not wait for connections to be made and statements to be planned. */
  const warmUp = async (): Promise<void> => {
    await Promise.all(Array.from({ length: 3 }, () => deps.db.byIndex((query) => settle(query, owner, []))))
    isWarm = true
  }

  const turn = async (): Promise<boolean> => {
    try {
      if (!isWarm) await warmUp()
      if (lanes.size > 0 && lease.dueInMs(performance.now()) < 0) await lease.renew()
      const hints = new Set(hinted)
      const isAll = allHinted
      hinted.clear()
      allHinted = false
      const isNew = isAll || [...hints].some((endpointId) => !lanes.has(endpointId))
      const claimed = isNew && lanes.size < lanesMax ? await claim() : []
      // News of a lane and its deliveries together; both to their end, so that no answer comes in the middle of the next turn.
      const known = enabled().filter((lane) => !lane.hasBacklog)
      const ends = await Promise.allSettled([
        readNews((lane) => isAll || lease.hasLapsed || hints.has(lane.endpointId)),
        reader.read(known),
      ])
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      lease.hasLapsed = false
      const quiet = enabled().filter((lane) => !lane.hasBacklog)
      await reader.read(quiet)
      for (const lane of enabled()) slots.offer(lane)
      isShared = enabled().some((lane) => !lane.hasBacklog)
      readBacklogs()
      await giveBack()
      return claimed.length === claimMax || quiet.some((lane) => !lane.hasBacklog && lane.wantsFresh() !== null)
    } catch (error) {
      allHinted = true
      throw error
    } finally {
      pump()
    }
  }

  const claim = async (): Promise<store.ClaimedLane[]> => {
    if (!(await lease.mayClaim())) return []
    const claimed = await deps.db.byIndex((query) =>
      store.claimLanes(query, owner, { held: [...lanes.keys()], limit: claimMax, graceMs: lease.ms }),
    )
    for (const row of claimed) {
      const lane = new Lane(row)
      // What a holder that died had sent and not written is sent again: so little of it as can be, if we die as well.
      if (row.wasHeld) lane.pace.beginRamp(performance.now())
      lanes.set(row.endpointId, lane)
    }
    return claimed
  }

  const readNews = async (isHinted: (lane: Lane) => boolean): Promise<void> => {
    const asked = [...lanes.values()].filter((lane) => lane.needsNews || isHinted(lane))
    if (asked.length === 0) return
    const of = new Map(asked.map((lane) => [lane.endpointId, lane]))
    const askedMs = performance.now()
    const known = [...of.values()].map((lane) => lane.askNews(askedMs))
    const news = await deps.db.byIndex((query) => store.readLanes(query, owner, known))
    const nowMs = performance.now()
    for (const row of news) {
      const lane = of.get(row.endpointId)
      if (!lane || lane.fence !== row.fence) continue
      of.delete(row.endpointId)
      lane.retryFront.saw(row.retriesFrom)
      lane.takeInNews(row, row.retryInMs === null ? null : nowMs + row.retryInMs)
      if (row.resumedAt) lane.resume(row.resumedAt, nowMs)
    }
    // Somebody else has it, or its endpoint is gone: what is in flight ends, and settles nothing.
    for (const lane of of.values()) {
      lane.lose()
      lanes.delete(lane.endpointId)
    }
  }

  const enabled = (): Lane[] => [...lanes.values()].filter((lane) => lane.config?.status === 'enabled')

  /** Lanes with a backlog are read beside the turns: a large page of theirs keeps no other lane waiting. */
  const readBacklogs = (): void => {
    const nowMs = performance.now()
    const loud = enabled().filter((lane) => lane.hasBacklog && lane.wantsReading(nowMs))
    if (loud.length === 0 || backlogReading) return
    backlogReading = reader
      .read(loud)
      .catch(async () => {
        allHinted = true
        await delay(troubleMs)
      })
      .finally(() => {
        backlogReading = null
        for (const lane of loud) if (lanes.get(lane.endpointId) === lane) slots.offer(lane)
        pump()
        loop.wake()
      })
  }

  const giveBack = async (): Promise<void> => {
    const nowMs = performance.now()
    const idle = [...lanes.values()].filter((lane) => lane.mayGo(nowMs, idleMs))
    if (idle.length === 0) return
    const held = idle.map(({ endpointId, fence, readThrough }) => ({ endpointId, fence, after: readThrough }))
    const gone = await deps.db.transaction((tx) => store.releaseIdle(tx, owner, held))
    for (const endpointId of gone) lanes.delete(endpointId)
    for (const lane of idle) lane.needsNews ||= lanes.has(lane.endpointId)
  }

  /** Starts what may start. Called whenever something has changed; touches no database. */
  const pump = (): void => {
    const nowMs = performance.now()
    if (closing || settler.isBehind() || !lease.covers(nowMs)) return
    const backlogWindow = headroom.window(nowMs, isShared)
    const take = () => slots.take(nowMs, backlogWindow)
    for (let sending = take(); sending; sending = take()) {
      const { lane, delivery } = sending
      const current = sending
      attempts.begin(lane, delivery, {
        answered() {
          slots.over(current)
          slots.offer(lane)
          // Read on while the last ones are being sent, not when they are written.
          if (lane.wantsFresh() !== null) loop.wake()
          pumpAgain.soon()
        },
        settled() {
          slots.offer(lane)
          // A retry that is due before the loop wakes by itself has to be planned.
          if (lane.wantsReading(performance.now()) || lane.retryAtMs < wakesAtMs) loop.wake()
          pumpAgain.soon()
        },
      })
    }
    const restedMs = slots.nextRestedMs(nowMs)
    if (restedMs !== null) pumpAgain.after(restedMs)
  }

  // Outcomes are written by the hundred.
  const pumpAgain = createReminder(pump)

  const nextDueMs = async (): Promise<number | null> => {
    const nowMs = performance.now()
    const soonest = Math.min(
      lanes.size > 0 ? lease.dueInMs(nowMs) : Number.POSITIVE_INFINITY,
      slots.nextSlowMs(nowMs) ?? Number.POSITIVE_INFINITY,
      ...[...lanes.values()].map((lane) => lane.dueInMs(nowMs, idleMs)),
    )
    if (soonest <= 0) return 0
    const laneMs = lanes.size < lanesMax ? await lease.nextLaneDueMs() : null
    if (laneMs !== null && laneMs <= soonest) allHinted = true
    const dueMs = Math.min(soonest, laneMs ?? Number.POSITIVE_INFINITY)
    wakesAtMs = nowMs + dueMs
    return dueMs
  }

  let closing = false
  let isWarm = false
  let wakesAtMs = 0 // when the loop goes on if nobody wakes it
  const loop = startLoop({ name: 'send', log: deps.log, turn, nextDueMs })
  return {
    ...loop,
    wake() {
      allHinted = true
      loop.wake()
    },
    hint(endpointIds) {
      if (endpointIds === '') allHinted = true
      else for (const endpointId of endpointIds.split(',')) hinted.add(endpointId)
      loop.wake()
    },
    async drain(graceMs) {
      closing = true
      const grace = new AbortController()
      const ended = attempts.ended()
      await Promise.race([ended, delay(graceMs, undefined, { signal: grace.signal }).catch(() => {})])
      grace.abort()
      await backlogReading
      settler.close()
      await sender.close()
      await ended
      await deps.db.byIndex((query) => store.releaseOwner(query, owner))
    },
  }
}
