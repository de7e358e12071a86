// The send loop of this replica: claims lanes, reads ahead in them, starts the sends that the scheduler allows, and releases idle
// lanes. A turn reads and claims in the database; `#pump` starts sends between turns and touches no database.
// Above the usual length: one turn and what it reads.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredDelivery } from '../../events/local-relay.ts'
import type { Sender } from '../../platform/guarded-http/sender.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import { Attempts } from './attempt.ts'
import { Lane } from './lane.ts'
import { type FreshRequest, readFresh, readHeldBack, readRetries } from './lane-reading.store.ts'
import * as store from './lanes.store.ts'
import { Lease } from './lease.ts'
import { LoopPressure } from './loop-pressure.ts'
import { OutcomeWriter } from './outcome-writer.ts'
import type { Delivers } from './ports.ts'
import { FairScheduler, type Sending } from './scheduler.ts'

const lanesMax = 2_000
const claimMax = 200
/** Rows of one read, which takes about 10 ms. */
const readMax = 1_024
const heldBackMax = 64
/** An empty lane is kept for this time, so that an active endpoint does not cost one claim per event. */
const idleMs = 5_000
/** Pause after a failed read, usually because the database is unavailable. */
const troubleMs = 1_000

/**
 * Notifications since the last turn: `changed` and `fresh` contain endpoints, `isAll` means both for every endpoint.
 */
type News = { isAll: boolean; changed: Set<string>; fresh: Set<string> }

export class SendLoop implements Loop {
  readonly #deps: Delivers
  readonly #sender: Sender
  readonly #lease: Lease
  readonly #lanes = new Map<string, Lane>()
  readonly #scheduler: FairScheduler
  readonly #pressure: LoopPressure
  readonly #writer: OutcomeWriter
  readonly #attempts: Attempts
  readonly #loop: Loop
  #news: News = { isAll: true, changed: new Set(), fresh: new Set() }
  /** Whether this replica also holds lanes without a backlog, for which lanes with a backlog must leave room. */
  #isShared = false
  #backlogReading: Promise<void> | null = null
  #isClosing = false
  /** When the next turn is planned. */
  #wakesAtMs = 0
  #isPumpQueued = false
  #pumpTimer: NodeJS.Timeout | undefined

  constructor(deps: Delivers, sender: Sender) {
    this.#deps = deps
    this.#sender = sender
    this.#scheduler = new FairScheduler(deps.config.webhookConcurrency)
    this.#pressure = new LoopPressure(deps.config.webhookConcurrency)
    const { owner } = deps.localRelay
    this.#lease = new Lease(deps.db, owner, () => sender.abort())
    this.#writer = new OutcomeWriter(deps.db, deps.log, owner)
    this.#attempts = new Attempts(deps, sender, this.#writer, {
      isLeased: () => this.#lease.covers(performance.now()),
      answered: (sending) => this.#onAnswered(sending),
      settled: (sending) => this.#onSettled(sending),
    })
    const work = { turn: () => this.#turn(), nextDueMs: () => this.#nextDueMs() }
    this.#loop = startLoop({ name: 'send', log: deps.log, ...work })
    deps.localRelay.attach((stored) => this.#addStored(stored))
  }

  wake(): void {
    this.hint('')
  }

  /** Marks endpoints as changed. `endpointIds` is comma-separated; an empty string marks all endpoints. */
  hint(endpointIds: string): void {
    this.#note('changed', endpointIds)
  }

  /** Marks endpoints that have new deliveries only, in the same format. */
  hintDeliveries(endpointIds: string): void {
    this.#note('fresh', endpointIds)
  }

  #note(kind: 'changed' | 'fresh', endpointIds: string): void {
    if (endpointIds === '') this.#news.isAll = true
    else
      for (const endpointId of endpointIds.split(',')) {
        this.#news[kind].add(endpointId)
        if (kind === 'changed') this.#lanes.get(endpointId)?.expectChange()
      }
    this.#loop.wake()
  }

  stop(): Promise<void> {
    this.#deps.localRelay.attach(null)
    if (this.#lanes.size > 0) this.#lease.keep()
    return this.#loop.stop()
  }

  /**
   * Sends deliveries that were just stored without waiting for a turn, as far as their lanes have room; the next turn
   * reads the rest.
   */
  #addStored(stored: readonly StoredDelivery[]): void {
    for (const { fence, endpointVersion, ...delivery } of stored) {
      const { endpointId } = delivery
      const lane = this.#lanes.get(endpointId)
      // The endpoint was paused or its URL changed, and the notification has not arrived yet.
      if (lane?.config && lane.config.version !== endpointVersion) this.hint(endpointId)
      else if (lane?.fence === fence && lane.addStored(delivery)) this.#scheduler.offer(lane)
      else this.hintDeliveries(endpointId)
    }
    this.#pumpSoon()
  }

  /** After `stop`: waits for sends in flight for the grace time, aborts the rest, and releases every lane. */
  async drain(graceMs: number): Promise<void> {
    this.#isClosing = true
    const grace = new AbortController()
    const ended = this.#attempts.ended()
    await Promise.race([ended, delay(graceMs, undefined, { signal: grace.signal }).catch(() => {})])
    grace.abort()
    await this.#backlogReading
    this.#writer.close()
    await this.#sender.close()
    await ended
    this.#lease.end()
    await this.#deps.db.byIndex((query) => store.releaseOwner(query, this.#lease.owner))
  }

  /** @returns whether another turn has work now */
  async #turn(): Promise<boolean> {
    try {
      if (this.#lanes.size > 0 && this.#lease.dueInMs(performance.now()) < 0) await this.#lease.renew()
      const news = this.#news
      this.#news = { isAll: false, changed: new Set(), fresh: new Set() }
      const claimedCount = await this.#claim(news)
      for (const endpointId of news.fresh) this.#lanes.get(endpointId)?.expectFresh()
      // State and deliveries are read concurrently: `#refresh` marks its lanes before it waits, and the second read
      // below takes what these lanes then need. Both are awaited, so that no result arrives during the next turn.
      const ends = await Promise.allSettled([this.#refresh(news), this.#read(this.#quietLanes())])
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      this.#lease.hasLapsed = false
      const quiet = this.#quietLanes()
      await this.#read(quiet)
      for (const lane of this.#enabledLanes()) this.#scheduler.offer(lane)
      this.#isShared = this.#quietLanes().length > 0
      this.#readBacklogs()
      await this.#releaseIdle()
      return claimedCount === claimMax || quiet.some((lane) => !lane.hasBacklog && lane.freshRequest() !== null)
    } catch (error) {
      this.#news.isAll = true
      throw error
    } finally {
      this.#pump()
    }
  }

  async #claim({ isAll, changed, fresh }: News): Promise<number> {
    const isNew = isAll || [...changed, ...fresh].some((endpointId) => !this.#lanes.has(endpointId))
    if (!isNew || this.#lanes.size >= lanesMax || !(await this.#lease.mayClaim())) return 0
    const claim = { held: [...this.#lanes.keys()], limit: claimMax, grace: this.#lease.grace() }
    const claimed = await this.#deps.db.byIndex((query) => store.claimLanes(query, this.#lease.owner, claim))
    for (const row of claimed) {
      const lane = new Lane(row, this.#deps.config.webhookConcurrency)
      // Deliveries that a crashed holder sent without storing the outcome are sent again: few at a time, in case this
      // replica crashes as well.
      if (row.wasHeld) lane.breaker.beginRamp(performance.now())
      this.#lanes.set(row.endpointId, lane)
    }
    return claimed.length
  }

  /** Reads the configuration and next retry of the lanes that need it, and drops lanes that another replica holds. */
  async #refresh({ isAll, changed }: News): Promise<void> {
    const isAny = isAll || this.#lease.hasLapsed
    const stale = [...this.#lanes.values()].filter((lane) => isAny || lane.needsRefresh || changed.has(lane.endpointId))
    if (stale.length === 0) return
    const missing = new Map(stale.map((lane) => [lane.endpointId, lane]))
    const requestedMs = performance.now()
    const requests = stale.map((lane) => lane.beginRefresh(requestedMs))
    const states = await this.#deps.db.byIndex((query) => store.readLanes(query, this.#lease.owner, requests))
    const nowMs = performance.now()
    for (const state of states) {
      const lane = missing.get(state.endpointId)
      if (!lane || lane.fence !== state.fence) continue
      missing.delete(state.endpointId)
      lane.retryFront.saw(state.retriesFrom)
      lane.refresh(state, state.retryInMs === null ? null : nowMs + state.retryInMs)
      if (state.resumedAt) lane.resume(state.resumedAt, nowMs)
    }
    for (const lane of missing.values()) {
      lane.lose()
      this.#lanes.delete(lane.endpointId)
    }
  }

  #enabledLanes(): Lane[] {
    return [...this.#lanes.values()].filter((lane) => lane.config?.status === 'enabled')
  }

  #quietLanes(): Lane[] {
    return this.#enabledLanes().filter((lane) => !lane.hasBacklog)
  }

  /** Reads what the lanes need, and adds the rows to lanes whose hold has not changed in the meantime. */
  async #read(lanes: readonly Lane[]): Promise<void> {
    const { db } = this.#deps
    const nowMs = performance.now()
    const fresh = firstPage(lanes.flatMap((lane) => lane.freshRequest() ?? []))
    const retries = lanes.flatMap((lane) => lane.retryRequest(nowMs) ?? [])
    const [freshRows, retryRows] = await Promise.all([
      fresh.length > 0 ? db.byIndex((query) => readFresh(query, fresh)) : [],
      retries.length > 0 ? db.byIndex((query) => readRetries(query, retries)) : [],
    ])
    const held = new Map(lanes.filter((lane) => this.#holds(lane)).map((lane) => [lane.endpointId, lane]))
    const freshOf = Map.groupBy(freshRows, (row) => row.endpointId)
    for (const request of fresh) held.get(request.endpointId)?.addFresh(request, freshOf.get(request.endpointId) ?? [])
    const retriesOf = Map.groupBy(retryRows, (row) => row.endpointId)
    for (const { endpointId } of retries) held.get(endpointId)?.addRetries(retriesOf.get(endpointId) ?? [])
    // Last, because the rows that `addFresh` has just dropped as blocked are read here.
    for (const lane of held.values()) await this.#readHeldBack(lane)
  }

  async #readHeldBack(lane: Lane): Promise<void> {
    for (let request = lane.heldBackRequest(); request; request = lane.heldBackRequest()) {
      const wanted = { ...request, endpointId: lane.endpointId, through: lane.readThrough, limit: heldBackMax }
      const rows = await this.#deps.db.byIndex((query) => readHeldBack(query, wanted))
      lane.addHeldBack(request, rows, rows.length < heldBackMax)
    }
  }

  #holds(lane: Lane): boolean {
    return this.#lanes.get(lane.endpointId) === lane
  }

  /** Reads lanes with a backlog outside of the turns, so that their large pages do not delay other lanes. */
  #readBacklogs(): void {
    const nowMs = performance.now()
    const backlogged = this.#enabledLanes().filter((lane) => lane.hasBacklog && lane.wantsReading(nowMs))
    if (backlogged.length === 0 || this.#backlogReading) return
    this.#backlogReading = this.#read(backlogged)
      .catch(async () => {
        this.#news.isAll = true
        await delay(troubleMs)
      })
      .finally(() => {
        this.#backlogReading = null
        for (const lane of backlogged) if (this.#holds(lane)) this.#scheduler.offer(lane)
        this.#pump()
        this.#loop.wake()
      })
  }

  async #releaseIdle(): Promise<void> {
    const nowMs = performance.now()
    const idle = [...this.#lanes.values()].filter((lane) => lane.mayRelease(nowMs, idleMs))
    if (idle.length === 0) return
    const held = idle.map(({ endpointId, fence, emptyThrough }) => ({ endpointId, fence, after: emptyThrough }))
    const released = await this.#deps.db.transaction((tx) => store.releaseIdle(tx, this.#lease.owner, held))
    for (const endpointId of released) this.#lanes.delete(endpointId)
    for (const lane of idle) lane.needsRefresh ||= this.#lanes.has(lane.endpointId)
  }

  /** Starts every send that may start now. */
  #pump(): void {
    clearTimeout(this.#pumpTimer)
    const nowMs = performance.now()
    if (this.#isClosing || this.#writer.isBehind() || !this.#lease.covers(nowMs)) return
    const backlogWindow = this.#pressure.window(nowMs, this.#isShared)
    const take = () => this.#scheduler.take(nowMs, backlogWindow)
    for (let sending = take(); sending; sending = take()) this.#attempts.begin(sending)
    const wakeMs = this.#scheduler.nextWakeMs(nowMs)
    if (wakeMs !== null) this.#pumpTimer = setTimeout(() => this.#pump(), wakeMs).unref()
  }

  /** Outcomes are written in batches of hundreds: one run serves all that ask at the same moment. */
  #pumpSoon(): void {
    if (this.#isPumpQueued) return
    this.#isPumpQueued = true
    queueMicrotask(() => {
      this.#isPumpQueued = false
      this.#pump()
    })
  }

  #onAnswered(sending: Sending): void {
    this.#scheduler.end(sending)
    this.#scheduler.offer(sending.lane)
    // Reads the next page while the last sends are in flight, instead of after their outcomes are written.
    if (sending.lane.freshRequest() !== null) this.#loop.wake()
    this.#pumpSoon()
  }

  #onSettled({ lane }: Sending): void {
    this.#scheduler.offer(lane)
    // A retry that is due before the next planned turn needs an earlier turn.
    if (lane.wantsReading(performance.now()) || lane.retryAtMs < this.#wakesAtMs) this.#loop.wake()
    this.#pumpSoon()
  }

  async #nextDueMs(): Promise<number | null> {
    const nowMs = performance.now()
    const soonestMs = Math.min(
      this.#lanes.size > 0 ? this.#lease.dueInMs(nowMs) : Number.POSITIVE_INFINITY,
      ...[...this.#lanes.values()].map((lane) => lane.dueInMs(nowMs, idleMs)),
    )
    if (soonestMs <= 0) return 0
    const laneMs = this.#lanes.size < lanesMax ? await this.#lease.nextLaneDueMs() : null
    if (laneMs !== null && laneMs <= soonestMs) this.#news.isAll = true
    const dueMs = Math.min(soonestMs, laneMs ?? Number.POSITIVE_INFINITY)
    this.#wakesAtMs = nowMs + dueMs
    return dueMs
  }
}

/** Takes the requests for most rows first, until the page is full. */
function firstPage(requests: readonly FreshRequest[]): FreshRequest[] {
  let room = readMax
  return requests
    .toSorted((a, b) => b.limit - a.limit)
    .filter(({ limit }) => {
      const fits = room > 0
      room -= limit
      return fits
    })
}
