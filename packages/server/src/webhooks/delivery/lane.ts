// One endpoint's lane while this replica holds it: the deliveries read ahead and in flight, and which one is next. Pure: the
// send loop supplies the clock and the database.
// Above the usual length: one set of rules on one state, which is harder to read in pieces.

import type { WaitingDelivery } from '../../events/local-relay.ts'
import { QueueFront } from '../../platform/values/queue-front.ts'
import { CircuitBreaker } from './circuit-breaker.rules.ts'
import type { FreshRequest, RetryRequest } from './lane-reading.store.ts'
import type { ClaimedLane, LaneConfig, LaneRequest } from './lanes.store.ts'
import { type HeldBackRequest, UserOrder } from './order.ts'

const readAheadMax = 256
/** Below this number the next page is read, so that a fast receiver never waits for the database. */
const readAheadMin = 160
/**
 * Maximum of deliveries that are taken and not settled, as a multiple of the window. This many are sent twice if the
 * process is killed.
 */
const unsettledMax = 4
/**
 * One send in four is a retry, so that neither new events nor retries wait behind a long queue of the other kind.
 * Retries use a quarter of the window even if nothing else is queued.
 */
const retryShare = 4

export class Lane {
  readonly endpointId: string
  readonly businessId: string
  readonly fence: number
  readonly breaker: CircuitBreaker
  /** Where the retries start in the index. */
  readonly retryFront = new QueueFront()
  /** On the monotonic clock; null without consecutive failures. */
  failingSinceMs: number | null
  /** Resolves with the last write of the receiver's health: two concurrent writes could arrive in the wrong order. */
  healthWritten: Promise<unknown> = Promise.resolve()
  /** All fresh deliveries up to this sequence have been read. */
  readThrough: number
  /** The last page of fresh deliveries was full. */
  hasBacklog = false
  /** When the first retry that was not read is due, on the caller's clock; Infinity if there is none. */
  retryAtMs = Number.POSITIVE_INFINITY
  /** The configuration, or the time of the next retry, is not known. */
  needsRefresh = true
  /** Null until the first refresh, and after the lane is lost. */
  config: LaneConfig | null = null
  /** Sends in flight that the scheduler counts as slow. */
  slow = 0

  readonly #triedTo: number
  readonly #order = new UserOrder()
  readonly #fresh: WaitingDelivery[] = []
  readonly #retries: WaitingDelivery[] = []
  /** Deliveries that are taken and not settled, by sequence. */
  readonly #taken = new Map<number, WaitingDelivery>()
  #takenMax = unsettledMax
  #inFlight = 0
  #retriesInFlight = 0
  /** Fresh deliveries sent since the last retry; the first send is a retry. */
  #freshInARow = retryShare
  #mayHaveFresh = true
  /**
   * Number of change notifications; the number when the last refresh started; and the number when the last complete
   * refresh started.
   */
  #changes = 0
  #changesAsked = 0
  #changesRead = 0
  /** Number of notifications about new deliveries. */
  #freshNews = 0
  /** Number of restarts of the read, and the sequence that had been read before the last one. */
  #starts = 0
  #readBefore = 0
  /** A new ordering, which applies when nothing is in flight. */
  #nextConfig: LaneConfig | null = null
  /**
   * Disabling the endpoint has started (`begun`), has ended with success or failure (`ended`), or a refresh to find out
   * was requested (`asked`).
   */
  #disabling: 'begun' | 'ended' | 'asked' | null = null
  #idleSinceMs: number | null = null
  #resumedAt: number | null = null
  #pausedUntilMs = 0
  #isDoubtful = false

  /** @param windowMax sends in flight at most */
  constructor(claimed: ClaimedLane, windowMax?: number) {
    this.endpointId = claimed.endpointId
    this.businessId = claimed.businessId
    this.fence = claimed.fence
    this.failingSinceMs = claimed.failingForMs === null ? null : performance.now() - claimed.failingForMs
    this.#triedTo = claimed.triedTo
    this.readThrough = claimed.triedTo
    this.breaker = new CircuitBreaker(claimed, windowMax)
  }

  get #isEnabled(): boolean {
    return this.config?.status === 'enabled'
  }

  get #isOrdered(): boolean {
    return this.config?.ordering === 'per_end_user'
  }

  /** Starts a refresh. Outcomes that are written before its result arrives set the next retry themselves. */
  beginRefresh(nowMs: number): LaneRequest {
    this.needsRefresh = false
    this.#changesAsked = this.#changes
    if (this.#disabling === 'ended') this.#disabling = 'asked'
    this.expectFresh()
    this.retryAtMs = Number.POSITIVE_INFINITY
    return this.#request(nowMs)
  }

  /** Records that the database contains fresh deliveries after those that were read. */
  expectFresh(): void {
    this.#mayHaveFresh = true
    this.#freshNews += 1
  }

  /** Records that the endpoint may have changed: nothing is sent under the old configuration. */
  expectChange(): void {
    this.#changes += 1
  }

  /** @param retryAtMs when the first retry is due that is not in hand; null when there is none */
  refresh(config: LaneConfig, retryAtMs: number | null): void {
    this.#configure(config)
    this.#changesRead = this.#changesAsked
    if (this.#disabling === 'asked') this.#disabling = null
    this.retryAtMs = Math.min(this.retryAtMs, retryAtMs ?? Number.POSITIVE_INFINITY)
  }

  /** Clears the failures because the endpoint was enabled or its URL changed. @param resumedAt each time counts once */
  resume(resumedAt: Date, nowMs: number): void {
    if (resumedAt.getTime() === this.#resumedAt) return
    this.#resumedAt = resumedAt.getTime()
    this.failingSinceMs = null
    this.breaker.restart(nowMs)
  }

  /** Applies a new ordering when nothing is in flight, and then reads the queue again under it. */
  #configure(config: LaneConfig): void {
    const isReordered = this.config !== null && this.config.ordering !== config.ordering
    if (isReordered && this.#taken.size > 0) {
      this.#nextConfig = config
      return
    }
    if (isReordered) this.#readAgain()
    this.config = config
    this.#nextConfig = null
  }

  /** @returns whether the lane can be given back: empty for `idleMs` with no retry due soon, or its endpoint is not enabled */
  mayRelease(nowMs: number, idleMs: number): boolean {
    if (this.#taken.size > 0 || this.needsRefresh) return false
    if (!this.#isEnabled) return true
    const isEmpty = !this.#hasRows && !this.#order.heldBackRequest && !this.#mayHaveFresh
    if (!isEmpty || this.retryAtMs - nowMs < idleMs) {
      this.#idleSinceMs = null
      return false
    }
    this.#idleSinceMs ??= nowMs
    return nowMs - this.#idleSinceMs >= idleMs
  }

  /**
   * No delivery is queued up to this sequence, if the lane can be released. A lane that is not enabled may have read
   * queued deliveries.
   */
  get emptyThrough(): number {
    return this.#isEnabled ? this.readThrough : this.#triedTo
  }

  wantsReading(nowMs: number): boolean {
    if (this.needsRefresh || !this.#isEnabled) return this.needsRefresh
    return [this.heldBackRequest(), this.freshRequest(), this.retryRequest(nowMs)].some((request) => request !== null)
  }

  /** Milliseconds until the lane may send a delivery that it has, if only time prevents it; Infinity otherwise. */
  waitMs(nowMs: number): number {
    if (!this.#hasRows || this.#inFlight >= this.breaker.window || !this.#isEnabled) return Number.POSITIVE_INFINITY
    return this.#paceMs(nowMs) || Number.POSITIVE_INFINITY
  }

  /** Milliseconds until a retry is due, or the lane has been idle for `idleMs`. */
  dueInMs(nowMs: number, idleMs: number): number {
    const retry = this.#retries.length === 0 ? this.retryAtMs - nowMs : Number.POSITIVE_INFINITY
    const end = this.#idleSinceMs === null ? Number.POSITIVE_INFINITY : this.#idleSinceMs + idleMs - nowMs
    return Math.min(retry, end)
  }

  freshRequest(): FreshRequest | null {
    if (!this.#mayHaveFresh || this.#fresh.length >= readAheadMin) return null
    const limit = readAheadMax - this.#fresh.length
    return { endpointId: this.endpointId, after: this.readThrough, limit, news: this.#freshNews, start: this.#starts }
  }

  retryRequest(nowMs: number): RetryRequest | null {
    if (this.retryAtMs > nowMs || this.#retries.length > 0) return null
    return { ...this.#request(nowMs), limit: readAheadMin }
  }

  heldBackRequest(): HeldBackRequest | null {
    return this.#fresh.length < readAheadMax ? this.#order.heldBackRequest : null
  }

  /** Leaves out deliveries that the database shows as waiting and this replica already holds. */
  #request(nowMs: number): LaneRequest {
    const inHand = [...this.#taken.keys(), ...this.#retries.map(({ sequence }) => sequence)]
    return { endpointId: this.endpointId, inHand, retriesFrom: this.retryFront.from(nowMs) }
  }

  addFresh(request: FreshRequest, rows: readonly WaitingDelivery[]): void {
    // The read was restarted after this request: these rows would leave a gap, or are already settled.
    if (request.start !== this.#starts) return
    for (const row of rows) {
      if (row.sequence <= this.readThrough) continue // `addStored` has added it since the request
      this.readThrough = row.sequence
      // Until a change of the ordering is complete, rows may be marked for the other ordering.
      if (!this.#isOrdered || !this.#order.holdsBack(row)) this.#fresh.push(row)
    }
    this.hasBacklog = rows.length >= request.limit
    // A delivery announced after the request may have been stored after the page was read.
    this.#mayHaveFresh = this.hasBacklog || request.news !== this.#freshNews
  }

  /**
   * Adds a delivery that was just stored, if it directly follows those that were read.
   * @returns false if the delivery must be read: there is a gap, the lane is full, or an earlier delivery may block it
   */
  addStored(row: WaitingDelivery): boolean {
    const isNext = row.sequence === this.readThrough + 1 && !this.hasBacklog && this.#fresh.length < readAheadMax
    // Deliveries that were read before the restart may be settled by now.
    if (!isNext || row.sequence <= this.#readBefore || !this.#isEnabled || this.#isDoubtful || this.#nextConfig)
      return false
    if (row.isOrdered !== this.#isOrdered || (row.isOrdered && this.#order.mayHoldBack(row))) return false
    this.readThrough = row.sequence
    this.#fresh.push(row)
    this.#idleSinceMs = null
    return true
  }

  addRetries(rows: readonly WaitingDelivery[]): void {
    this.#retries.push(...rows)
    this.needsRefresh = true
  }

  /** @param isAll whether no further delivery of this end-user is blocked after these rows */
  addHeldBack(request: HeldBackRequest, rows: readonly WaitingDelivery[], isAll: boolean): void {
    const last = rows.at(-1)
    if (!this.#order.answer(request, isAll || !last ? null : last.sequence)) return
    // After the rows of an earlier page, before the rows read since.
    this.#fresh.push(...rows)
    this.#fresh.sort((one, other) => one.sequence - other.sequence)
  }

  /**
   * Takes the delivery to send now.
   * @param backlogWindow sends in flight at most while the lane has a backlog
   * @returns undefined when the order, the window or the circuit breaker forbids a send
   */
  next(nowMs: number, backlogWindow = Number.POSITIVE_INFINITY): WaitingDelivery | undefined {
    if (!this.#isEnabled || this.#nextConfig || this.#isDoubtful || this.#disabling !== null) return
    if (this.#changes !== this.#changesRead) return
    const window = this.hasBacklog ? Math.min(this.breaker.window, backlogWindow) : this.breaker.window
    this.#takenMax = unsettledMax * window
    if (this.#inFlight >= window || this.#taken.size >= this.#takenMax) return
    if (this.#paceMs(nowMs) > 0) return
    const taken = this.#takeRetry(nowMs) ?? this.#takeFrom(this.#fresh, nowMs) ?? this.#takeRetry(nowMs, true)
    if (!taken) return
    this.#freshInARow = taken.isRetry ? 0 : this.#freshInARow + 1
    this.#taken.set(taken.sequence, taken)
    this.#inFlight += 1
    if (taken.isRetry) this.#retriesInFlight += 1
    this.#order.start(taken, nowMs)
    this.breaker.started()
    return taken
  }

  /**
   * Records that the receiver has responded, or the deadline has passed. With best_effort ordering the end-user's next
   * delivery may start.
   */
  answered(delivery: WaitingDelivery): void {
    this.#inFlight -= 1
    if (delivery.isRetry) this.#retriesInFlight -= 1
    if (!this.#isOrdered) this.#order.end(delivery)
  }

  /** Returns whether a further delivery may start only when the outcome of this one is stored. */
  awaits({ endUserId, isOrdered }: WaitingDelivery): boolean {
    return (isOrdered && endUserId !== null) || this.#taken.size >= this.#takenMax
  }

  /** Stops sending because the endpoint is being disabled: others may see it disabled before this replica does. */
  beginDisabling(): void {
    this.#disabling = 'begun'
  }

  endDisabling(): void {
    this.#disabling = 'ended'
    this.needsRefresh = true
  }

  /** Stops sending because another replica holds the lane, or the endpoint was deleted. */
  lose(): void {
    this.config = null
    this.#fresh.length = 0
    this.#retries.length = 0
  }

  /** Records that the outcome is stored. @param retryAtMs null if the delivery has ended */
  settled(delivery: WaitingDelivery, retryAtMs: number | null): void {
    this.#taken.delete(delivery.sequence)
    if (retryAtMs !== null) this.retryAtMs = Math.min(this.retryAtMs, retryAtMs)
    if (this.#isOrdered && this.#order.settle(delivery, retryAtMs === null)) {
      const kept = this.#fresh.filter(({ endUserId }) => endUserId !== delivery.endUserId)
      this.#fresh.splice(0, this.#fresh.length, ...kept)
    }
    this.#afterSettling()
  }

  /** Restarts the read because it is not known whether the outcome was stored. */
  doubt(delivery: WaitingDelivery): void {
    this.#taken.delete(delivery.sequence)
    this.#order.end(delivery)
    this.#isDoubtful = true
    this.#afterSettling()
  }

  /** Returns an unsent delivery to the front after a local fault, and pauses the lane. */
  putBack(delivery: WaitingDelivery, pausedUntilMs: number): void {
    this.#pausedUntilMs = pausedUntilMs
    this.answered(delivery)
    this.#taken.delete(delivery.sequence)
    this.#order.end(delivery)
    const queue = delivery.isRetry ? this.#retries : this.#fresh
    queue.unshift(delivery)
    this.#afterSettling()
  }

  #afterSettling(): void {
    if (this.#taken.size > 0) return
    if (this.#isDoubtful) this.#readAgain()
    if (this.#nextConfig) this.#configure(this.#nextConfig)
  }

  #readAgain(): void {
    this.#isDoubtful = false
    this.needsRefresh = true
    this.#starts += 1
    this.#readBefore = Math.max(this.#readBefore, this.readThrough)
    this.readThrough = this.#triedTo
    this.#mayHaveFresh = true
    this.retryAtMs = 0
    this.#fresh.length = 0
    this.#retries.length = 0
    this.#order.clear()
  }

  get #hasRows(): boolean {
    return this.#fresh.length + this.#retries.length > 0
  }

  #paceMs(nowMs: number): number {
    return Math.max(this.#pausedUntilMs - nowMs, this.breaker.waitMs(nowMs))
  }

  /** @param isAlone no fresh delivery can be sent now */
  #takeRetry(nowMs: number, isAlone = false): WaitingDelivery | undefined {
    if (this.#retriesInFlight >= Math.max(1, Math.floor(this.breaker.window / retryShare))) return
    return isAlone || this.#freshInARow >= retryShare - 1 ? this.#takeFrom(this.#retries, nowMs) : undefined
  }

  #takeFrom(queue: WaitingDelivery[], nowMs: number): WaitingDelivery | undefined {
    const at = queue.findIndex((delivery) => this.#order.mayStart(delivery, this.#isOrdered ? null : nowMs))
    return at < 0 ? undefined : queue.splice(at, 1)[0]
  }
}
