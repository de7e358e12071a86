// Chooses the lane that sends next. Businesses take turns, so that a business with many events or endpoints does not
// crowd out others, and slow receivers leave room for fast ones.

import type { WaitingDelivery } from '../../events/local-relay.ts'
import type { Lane } from './lane.ts'
import { overtakeMs } from './order.ts'

/** Maximum of sends that have been in flight for less than `quickMs`. */
const quickMax = 256
/** Maximum of sends in flight of one business, or the window of one endpoint if that is larger. */
const businessMaxByDefault = 128
/** Maximum of all sends in flight: limits sockets, and bodies in memory. */
const totalMax = 1_024
/** A send in flight for longer than this counts as slow: fast sends do not wait for its place. */
export const quickMs = 500
/** With this many slow sends in flight, a lane that has one gets no further send. */
const slowMax = 256

export type Sending = { lane: Lane; delivery: WaitingDelivery; startedMs: number; state: 'quick' | 'slow' | 'done' }

/** `isParked`: the business has ready lanes, but has reached its maximum of sends in flight. */
type BusinessLanes = { ready: Lane[]; inFlight: number; isParked: boolean }

export class FairScheduler {
  readonly #businesses = new Map<string, BusinessLanes>()
  /** Businesses with ready lanes, the next one first. */
  readonly #turns: string[] = []
  readonly #ready = new Set<Lane>()
  /** Lanes with queued deliveries that wait for a probe, a ramp or the end of a pause. */
  readonly #resting = new Map<Lane, number>()
  readonly #businessMax: number
  #wakeAtMs = Number.POSITIVE_INFINITY
  /** In the order in which they started, until they count as slow. */
  #started: Sending[] = []
  /** Slow sends in the same order, until the next delivery of their end-user may overtake them. */
  #blocking: Sending[] = []
  #quick = 0
  #slow = 0

  /** @param windowMax sends in flight to one endpoint at most */
  constructor(windowMax = 0) {
    this.#businessMax = Math.max(businessMaxByDefault, windowMax)
  }

  get inFlight(): number {
    return this.#quick + this.#slow
  }

  /** Businesses with ready lanes or sends in flight. */
  get businessCount(): number {
    return this.#businesses.size
  }

  /** Puts a lane into the queue of its business, because it may have a delivery to send. */
  offer(lane: Lane): void {
    if (this.#ready.has(lane)) return
    this.#ready.add(lane)
    const business = this.#businessOf(lane)
    if (business.ready.length === 0 && !business.isParked) this.#turns.push(lane.businessId)
    business.ready.push(lane)
  }

  /**
   * Takes the next send that order, limits and fairness allow. The caller reports the end of the send with `end`.
   * @param backlogWindow maximum of sends in flight of each lane with a backlog
   */
  take(nowMs: number, backlogWindow?: number): Sending | undefined {
    this.#countSlow(nowMs)
    this.#offerOvertaking(nowMs)
    this.#wake(nowMs)
    while (this.#turns.length > 0) {
      if (this.#quick >= quickMax || this.inFlight >= totalMax) return
      const businessId = this.#turns.shift() ?? ''
      const business = this.#businesses.get(businessId)
      if (business && business.inFlight >= this.#businessMax) {
        business.isParked = true
        continue
      }
      const lane = business?.ready.shift()
      if (!business || !lane) continue
      const mayStart = lane.slow === 0 || this.#slow < slowMax
      const delivery = mayStart ? lane.next(nowMs, backlogWindow) : undefined
      // A lane with more deliveries goes behind the other lanes of its business.
      if (delivery) business.ready.push(lane)
      else this.#rest(lane, nowMs)
      if (business.ready.length > 0) this.#turns.push(businessId)
      if (!delivery) {
        this.#forgetIdle(businessId, business)
        continue
      }
      const sending: Sending = { lane, delivery, startedMs: nowMs, state: 'quick' }
      business.inFlight += 1
      this.#quick += 1
      this.#started.push(sending)
      return sending
    }
    return
  }

  end(sending: Sending): void {
    const business = this.#businessOf(sending.lane)
    business.inFlight -= 1
    if (sending.state === 'slow') {
      this.#slow -= 1
      sending.lane.slow -= 1
    } else this.#quick -= 1
    sending.state = 'done'
    if (business.isParked) {
      business.isParked = false
      if (business.ready.length > 0) this.#turns.push(sending.lane.businessId)
    }
    this.#forgetIdle(sending.lane.businessId, business)
  }

  /**
   * Milliseconds until time alone allows a send: a resting lane is ready, the oldest quick send counts as slow, or the
   * oldest slow send may be overtaken. Null when `take` has nothing to wait for.
   */
  nextWakeMs(nowMs: number): number | null {
    const restingAtMs = this.#resting.size > 0 ? this.#wakeAtMs : Number.POSITIVE_INFINITY
    const quick = this.#started.find(({ state }) => state === 'quick')
    const blocking = this.#blocking.find(({ state }) => state === 'slow')
    const slowAtMs = quick ? quick.startedMs + quickMs : Number.POSITIVE_INFINITY
    const overtakeAtMs = blocking ? blocking.startedMs + overtakeMs : Number.POSITIVE_INFINITY
    const atMs = Math.min(restingAtMs, slowAtMs, overtakeAtMs)
    return atMs === Number.POSITIVE_INFINITY ? null : Math.max(0, atMs - nowMs)
  }

  #rest(lane: Lane, nowMs: number): void {
    this.#ready.delete(lane)
    const untilMs = nowMs + lane.waitMs(nowMs)
    if (untilMs === Number.POSITIVE_INFINITY) return
    this.#resting.set(lane, untilMs)
    this.#wakeAtMs = Math.min(this.#wakeAtMs, untilMs)
  }

  #wake(nowMs: number): void {
    if (nowMs < this.#wakeAtMs) return
    this.#wakeAtMs = Number.POSITIVE_INFINITY
    for (const [lane, untilMs] of this.#resting) {
      if (untilMs > nowMs) this.#wakeAtMs = Math.min(this.#wakeAtMs, untilMs)
      else {
        this.#resting.delete(lane)
        this.offer(lane)
      }
    }
  }

  #countSlow(nowMs: number): void {
    let passed = 0
    for (const sending of this.#started) {
      if (sending.state !== 'done') {
        if (nowMs - sending.startedMs < quickMs) break
        if (sending.state === 'quick') {
          sending.state = 'slow'
          sending.lane.slow += 1
          this.#quick -= 1
          this.#slow += 1
          this.#blocking.push(sending)
        }
      }
      passed += 1
    }
    if (passed > 0) this.#started = this.#started.slice(passed)
  }

  #offerOvertaking(nowMs: number): void {
    let passed = 0
    for (const { state, startedMs, lane } of this.#blocking) {
      if (state !== 'done') {
        if (nowMs - startedMs < overtakeMs) break
        this.offer(lane)
      }
      passed += 1
    }
    if (passed > 0) this.#blocking = this.#blocking.slice(passed)
  }

  #forgetIdle(businessId: string, { inFlight, ready }: BusinessLanes): void {
    if (inFlight === 0 && ready.length === 0) this.#businesses.delete(businessId)
  }

  #businessOf(lane: Lane): BusinessLanes {
    const found = this.#businesses.get(lane.businessId)
    if (found) return found
    const made = { ready: [], inFlight: 0, isParked: false }
    this.#businesses.set(lane.businessId, made)
    return made
  }
}
