// One endpoint's lane while this replica holds it: what has been read ahead, what is in flight, whose turn is next. Pure:
// no clock, no database; the send loop moves things between here and there.
// Above the usual length: one set of rules on one state, which reads worse in pieces.

import { QueueFront } from '../../platform/values/queue-front.ts'
import { Pace, windowMax } from './circuit-breaker.ts'
import type { Reading, Retrying, WaitingDelivery } from './lane-reading.store.ts'
import type { ClaimedLane, KnownLane, LaneConfig } from './lanes.store.ts'

const readAheadMax = 256
/** Below it the next page is read, so that a fast receiver never waits for the database. */
const readAheadMin = 160
/** Answered and not written yet, in windows: what is sent twice when we are killed. */
const unsettledMax = 4
/** One in so many is a retry, in flight and in a row: new events do not wait behind a heap of old ones, nor these for ever. */
const retryShare = 4

export type Freed = { endUserId: string; after: number }

export class Lane {
  readonly endpointId: string
  readonly businessId: string
  readonly fence: number
  readonly pace: Pace
  /** Where its retries begin. */
  readonly retryFront = new QueueFront()
  failingSince: Date | null
  /** All fresh deliveries up to this sequence have been read. */
  readThrough: number
  /** More may wait behind what was read. */
  mayHaveFresh = true
  /** The last page was full: it is behind, and not for a moment. */
  hasBacklog = false
  /** When the first retry is due that is neither read nor taken, on the caller's clock; Infinity when none is. */
  retryAtMs = Number.POSITIVE_INFINITY
  /** Its configuration, or the time of its next retry, is not known. */
  needsNews = true
  /** Sends in flight that have taken long already: the slots keep count. */
  slow = 0

  readonly #triedTo: number
  readonly #fresh: WaitingDelivery[] = []
  readonly #retries: WaitingDelivery[] = []
  /** Taken and not settled yet, by sequence. */
  readonly #taken = new Map<number, WaitingDelivery>()
  #inFlight = 0
  #retriesInFlight = 0
  /** New ones sent since the last retry; a retry is the first. */
  #freshInARow = retryShare
  /** End-users one of whose deliveries is being sent now: the next one waits, so that first attempts keep their order. */
  readonly #busyUsers = new Set<string>()
  /** With per_end_user ordering: end-users with a failed delivery; what was read of them is dropped and read again after it. */
  readonly #heldUsers = new Set<string>()
  /** End-users who are held up no more, and behind what to read of them. */
  readonly #freed: Freed[] = []
  #config: LaneConfig | null = null
  #closing: 'begun' | 'ended' | 'asked' | null = null
  #nextConfig: LaneConfig | null = null
  #idleSinceMs: number | null = null
  /** The last time it was switched on again that the pace knows of. */
  #resumedAt: number | null = null
  #pausedUntilMs = 0
  #isDoubtful = false

  constructor(claimed: ClaimedLane) {
    this.endpointId = claimed.endpointId
    this.businessId = claimed.businessId
    this.fence = claimed.fence
    this.failingSince = claimed.failingSince
    this.#triedTo = claimed.triedTo
    this.readThrough = claimed.triedTo
    this.pace = new Pace(claimed)
  }

  /** Null until the first reading of the lane. */
  get config(): LaneConfig | null {
    return this.#config
  }

  /** Before the database is asked: what is settled meanwhile sets the next retry itself. */
  askNews(nowMs: number): KnownLane {
    this.needsNews = false
    if (this.#closing === 'ended') this.#closing = 'asked'
    this.mayHaveFresh = true
    this.retryAtMs = Number.POSITIVE_INFINITY
    return this.#known(nowMs)
  }

  /** @param retryAtMs when the first retry is due that is not in hand; null when none is */
  takeInNews(config: LaneConfig, retryAtMs: number | null): void {
    this.#configure(config)
    if (this.#closing === 'asked') this.#closing = null
    this.retryAtMs = Math.min(this.retryAtMs, retryAtMs ?? Number.POSITIVE_INFINITY)
  }

  /** It was switched on again, or moved. @param resumedAt of several calls with the same time the first one counts */
  resume(resumedAt: Date, nowMs: number): void {
    if (resumedAt.getTime() === this.#resumedAt) return
    this.#resumedAt = resumedAt.getTime()
    this.failingSince = null
    this.pace.restart(nowMs)
  }

  /** Another ordering counts once nothing is under way any more: what was read ahead is read again under it. */
  #configure(config: LaneConfig): void {
    const isReordered = this.#config !== null && this.#config.ordering !== config.ordering
    if (isReordered && this.#taken.size > 0) {
      this.#nextConfig = config
      return
    }
    if (isReordered) this.#readAgain()
    this.#config = config
    this.#nextConfig = null
  }

  get isOrdered(): boolean {
    return this.#config?.ordering === 'per_end_user'
  }

  /** Whether it has been empty for so long, with no retry due soon, or may not send at all: then it can be given back. */
  mayGo(nowMs: number, idleMs: number): boolean {
    if (this.#taken.size > 0 || this.needsNews) return false
    if (this.#config?.status !== 'enabled') return true
    if (!this.#isEmpty() || this.retryAtMs - nowMs < idleMs) {
      this.#idleSinceMs = null
      return false
    }
    this.#idleSinceMs ??= nowMs
    return nowMs - this.#idleSinceMs >= idleMs
  }

  /** Whether the database is to be read for it now. */
  wantsReading(nowMs: number): boolean {
    if (this.needsNews || this.#config?.status !== 'enabled') return this.needsNews
    return [this.wantsHeldUp(), this.wantsFresh(), this.wantsRetries(nowMs)].some((wanted) => wanted !== null)
  }

  /** Milliseconds until it may send what it has, if nothing but time is in the way; Infinity otherwise. */
  restsMs(nowMs: number): number {
    const hasRows = this.#fresh.length + this.#retries.length > 0
    if (!hasRows || this.#inFlight >= this.pace.window || this.#config?.status !== 'enabled')
      return Number.POSITIVE_INFINITY
    return this.#waitMs(nowMs) || Number.POSITIVE_INFINITY
  }

  /** Milliseconds until time alone makes it want something of the database: a retry, or its end. */
  dueInMs(nowMs: number, idleMs: number): number {
    const retry = this.#retries.length === 0 ? this.retryAtMs - nowMs : Number.POSITIVE_INFINITY
    const end = this.#idleSinceMs === null ? Number.POSITIVE_INFINITY : this.#idleSinceMs + idleMs - nowMs
    return Math.min(retry, end)
  }

  /** What to read of it next, or null when it has enough. */
  wantsFresh(): Reading | null {
    if (!this.mayHaveFresh || this.#fresh.length >= readAheadMin) return null
    return { endpointId: this.endpointId, after: this.readThrough, limit: readAheadMax - this.#fresh.length }
  }

  wantsRetries(nowMs: number): Retrying | null {
    if (this.retryAtMs > nowMs || this.#retries.length > 0) return null
    return { ...this.#known(nowMs), limit: readAheadMin }
  }

  #known(nowMs: number): KnownLane {
    return { endpointId: this.endpointId, busy: this.busy(), retriesFrom: this.retryFront.from(nowMs) }
  }

  /** What the database still shows as waiting and this replica has in hand. */
  busy(): number[] {
    return [...this.#taken.keys(), ...this.#retries.map(({ sequence }) => sequence)]
  }

  takeInFresh(asked: Reading, rows: readonly WaitingDelivery[]): void {
    // Asked for before all of it was to be read again: what lies before these would be passed over.
    if (asked.after !== this.readThrough) return
    for (const row of rows) {
      this.readThrough = row.sequence
      if (this.#isHeld(row)) this.#hold(row)
      else this.#fresh.push(row)
    }
    this.hasBacklog = this.mayHaveFresh = rows.length >= asked.limit
  }

  takeInRetries(rows: readonly WaitingDelivery[]): void {
    this.#retries.push(...rows)
    this.needsNews = true
  }

  /** What to read next of those who were held up, or null. It stays so until that was taken in. */
  wantsHeldUp(): Freed | null {
    return this.#fresh.length < readAheadMax ? (this.#freed[0] ?? null) : null
  }

  /** @param all whether nothing of this end-user is left behind these */
  takeInHeldUp(asked: Freed, rows: readonly WaitingDelivery[], all: boolean): void {
    // Meanwhile all of it is to be read again, these among it.
    if (this.#freed[0] !== asked) return
    this.#freed.shift()
    // Behind those of an earlier page, before what has been read since.
    this.#fresh.push(...rows)
    this.#fresh.sort((one, other) => one.sequence - other.sequence)
    const last = rows.at(-1)
    if (!all && last) this.#freed.push({ ...asked, after: last.sequence })
    else this.#heldUsers.delete(asked.endUserId)
  }

  /**
   * The delivery to send now, or undefined when the order, the window or the receiver's pace forbids one.
   * @param backlogWindow sends in flight at most while it is behind
   */
  next(nowMs: number, backlogWindow = windowMax): WaitingDelivery | undefined {
    if (this.#config?.status !== 'enabled' || this.#nextConfig || this.#isDoubtful) return
    if (this.#closing !== null) return
    const window = this.hasBacklog ? Math.min(this.pace.window, backlogWindow) : this.pace.window
    if (this.#inFlight >= window || this.#taken.size >= unsettledMax * window) return
    if (this.#waitMs(nowMs) > 0) return
    const taken = this.#shiftRetry() ?? this.#shiftIdle(this.#fresh) ?? this.#shiftRetry(true)
    if (!taken) return
    this.#freshInARow = isRetry(taken) ? 0 : this.#freshInARow + 1
    this.#taken.set(taken.sequence, taken)
    this.#inFlight += 1
    if (isRetry(taken)) this.#retriesInFlight += 1
    if (taken.endUserId !== null) this.#busyUsers.add(taken.endUserId)
    this.pace.started()
    return taken
  }

  /** The receiver has answered, or has not in time. What it held up in best_effort order goes on. */
  answered(delivery: WaitingDelivery): void {
    this.#inFlight -= 1
    if (isRetry(delivery)) this.#retriesInFlight -= 1
    if (!this.isOrdered && delivery.endUserId !== null) this.#busyUsers.delete(delivery.endUserId)
  }

  /** Its endpoint is being switched off: nothing is sent from now on, for others see it off before we have heard of it. */
  beginClosing(): void {
    this.#closing = 'begun'
  }

  /** Whether it was switched off, news that are asked for from now on say. */
  endClosing(): void {
    this.#closing = 'ended'
    this.needsNews = true
  }

  /** Somebody else has it now, or its endpoint is gone: it sends nothing more. */
  lose(): void {
    this.#config = null
    this.#fresh.length = 0
    this.#retries.length = 0
  }

  /** The outcome is written. @param retryAtMs null when the delivery is over */
  settled(delivery: WaitingDelivery, retryAtMs: number | null): void {
    this.#taken.delete(delivery.sequence)
    const { endUserId } = delivery
    if (retryAtMs !== null) this.retryAtMs = Math.min(this.retryAtMs, retryAtMs)
    if (endUserId !== null && this.isOrdered) {
      this.#busyUsers.delete(endUserId)
      // What was sent again on demand is out of the order already: it holds nobody up, and nobody waits for it.
      const isAwaited = delivery.isOrdered && (this.#heldUsers.has(endUserId) || isRetry(delivery))
      if (retryAtMs === null && isAwaited) this.#freeUser(endUserId, delivery)
      if (retryAtMs !== null && delivery.isOrdered) this.#holdUser(endUserId)
    }
    this.#afterSettling()
  }

  /** Whether the outcome is written is not known, or it is not: what the database holds is read again. */
  doubt(delivery: WaitingDelivery): void {
    this.#taken.delete(delivery.sequence)
    if (delivery.endUserId !== null) this.#busyUsers.delete(delivery.endUserId)
    this.#isDoubtful = true
    this.#afterSettling()
  }

  #afterSettling(): void {
    if (this.#taken.size > 0) return
    if (this.#isDoubtful) this.#readAgain()
    if (this.#nextConfig) this.#configure(this.#nextConfig)
  }

  #waitMs(nowMs: number): number {
    return Math.max(this.#pausedUntilMs - nowMs, this.pace.waitMs(nowMs))
  }

  /** Not sent, through no fault of the receiver: it is the first again, after a pause. */
  putBack(delivery: WaitingDelivery, pausedUntilMs: number): void {
    this.#pausedUntilMs = pausedUntilMs
    this.answered(delivery)
    this.#taken.delete(delivery.sequence)
    if (delivery.endUserId !== null) this.#busyUsers.delete(delivery.endUserId)
    const queue = isRetry(delivery) ? this.#retries : this.#fresh
    queue.unshift(delivery)
    this.#afterSettling()
  }

  #readAgain(): void {
    this.#isDoubtful = false
    this.needsNews = true
    this.readThrough = this.#triedTo
    this.mayHaveFresh = true
    this.retryAtMs = 0
    this.#fresh.length = 0
    this.#retries.length = 0
    this.#heldUsers.clear()
    this.#freed.length = 0
  }

  #isEmpty(): boolean {
    return this.#fresh.length + this.#retries.length + this.#freed.length === 0 && !this.mayHaveFresh
  }

  /** @param isAlone nothing new can be sent now */
  #shiftRetry(isAlone = false): WaitingDelivery | undefined {
    if (this.#retriesInFlight >= Math.max(1, Math.floor(this.pace.window / retryShare))) return
    return isAlone || this.#freshInARow >= retryShare - 1 ? this.#shiftIdle(this.#retries) : undefined
  }

  #shiftIdle(queue: WaitingDelivery[]): WaitingDelivery | undefined {
    const at = queue.findIndex(({ endUserId }) => endUserId === null || !this.#busyUsers.has(endUserId))
    return at < 0 ? undefined : queue.splice(at, 1)[0]
  }

  #isHeld(row: WaitingDelivery): boolean {
    // Before a change of the ordering is complete, what waits may be marked for the other one.
    return this.isOrdered && (row.isHeld || (row.endUserId !== null && this.#heldUsers.has(row.endUserId)))
  }

  #hold(row: WaitingDelivery): void {
    if (row.endUserId !== null) this.#heldUsers.add(row.endUserId)
  }

  /** One who is being freed already goes on from there; what was asked for before a retry was over does not count. */
  #freeUser(endUserId: string, delivery: WaitingDelivery): void {
    const at = this.#freed.findIndex((freed) => freed.endUserId === endUserId)
    const known = this.#freed[at]
    if (!known) this.#freed.push({ endUserId, after: delivery.sequence })
    else if (isRetry(delivery)) this.#freed[at] = { ...known }
  }

  /** What was read of this end-user is read again when the failed one is over. */
  #holdUser(endUserId: string): void {
    this.#heldUsers.add(endUserId)
    const freedAt = this.#freed.findIndex((freed) => freed.endUserId === endUserId)
    if (freedAt >= 0) this.#freed.splice(freedAt, 1)
    for (let at = this.#fresh.length - 1; at >= 0; at--) {
      if (this.#fresh[at]?.endUserId === endUserId) this.#fresh.splice(at, 1)
    }
  }
}

function isRetry(delivery: WaitingDelivery): boolean {
  return delivery.isRetry
}
