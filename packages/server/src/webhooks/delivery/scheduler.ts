// Who sends next: lanes with something to send take turns, business by business, so that neither a loud business nor one
// with many endpoints crowds out a quiet one; and slow receivers leave room for quick ones.

import type { Lane } from './lane.ts'
import type { WaitingDelivery } from './lane-reading.store.ts'

/** Sends in flight that were answered quickly so far. */
const quickMax = 256
const businessMax = 128
/** All sends in flight: sockets, and bodies in memory. */
const totalMax = 1_024
/** A send that takes longer no longer counts among the quick ones: it can not keep anybody else waiting. */
export const quickMs = 500
/** From here on a lane with a slow send in flight gets no second one. */
const slowMax = 256

export type Sending = { lane: Lane; delivery: WaitingDelivery; startedMs: number; state: 'quick' | 'slow' | 'done' }

/** `parked`: it has ready lanes and all it may have in flight. */
type BusinessLanes = { ready: Lane[]; inFlight: number; parked: boolean }

export class Slots {
  readonly #businesses = new Map<string, BusinessLanes>()
  /** Businesses with ready lanes, the next one first. */
  readonly #turns: string[] = []
  readonly #ready = new Set<Lane>()
  /** Those that have something to send and must wait for their receiver's pace, and until when. */
  readonly #resting = new Map<Lane, number>()
  #restedAtMs = Number.POSITIVE_INFINITY
  /** In the order in which they started; those done are passed over. */
  #started: Sending[] = []
  #quick = 0
  #slow = 0

  get inFlight(): number {
    return this.#quick + this.#slow
  }

  /** The lane may have something to send now. */
  offer(lane: Lane): void {
    if (this.#ready.has(lane)) return
    this.#ready.add(lane)
    const business = this.#of(lane)
    if (business.ready.length === 0 && !business.parked) this.#turns.push(lane.businessId)
    business.ready.push(lane)
  }

  /**
   * The next send that order, caps and fairness allow, or undefined. The caller sends it and says when it is `over`.
   * @param backlogWindow sends in flight at most of each lane that is behind
   */
  take(nowMs: number, backlogWindow?: number): Sending | undefined {
    this.#age(nowMs)
    this.#rouse(nowMs)
    while (this.#turns.length > 0) {
      if (this.#quick >= quickMax || this.inFlight >= totalMax) return
      const businessId = this.#turns.shift() ?? ''
      const business = this.#businesses.get(businessId)
      if (business && business.inFlight >= businessMax) {
        business.parked = true
        continue
      }
      const lane = business?.ready.shift()
      if (!business || !lane) continue
      const mayStart = lane.slow === 0 || this.#slow < slowMax
      const delivery = mayStart ? lane.next(nowMs, backlogWindow) : undefined
      // Its turn is over; with something left to send it waits behind its own business's others.
      if (delivery) business.ready.push(lane)
      else this.#letRest(lane, nowMs)
      if (business.ready.length > 0) this.#turns.push(businessId)
      if (!delivery) continue
      const sending: Sending = { lane, delivery, startedMs: nowMs, state: 'quick' }
      business.inFlight += 1
      this.#quick += 1
      this.#started.push(sending)
      return sending
    }
    return
  }

  over(sending: Sending): void {
    const business = this.#of(sending.lane)
    business.inFlight -= 1
    if (sending.state === 'slow') {
      this.#slow -= 1
      sending.lane.slow -= 1
    } else this.#quick -= 1
    sending.state = 'done'
    if (business.parked) {
      business.parked = false
      if (business.ready.length > 0) this.#turns.push(sending.lane.businessId)
    }
    if (business.inFlight === 0 && business.ready.length === 0) this.#businesses.delete(sending.lane.businessId)
  }

  /** Milliseconds until a lane has waited long enough; null when none waits for time alone. */
  nextRestedMs(nowMs: number): number | null {
    return this.#resting.size > 0 ? Math.max(0, this.#restedAtMs - nowMs) : null
  }

  /** Milliseconds until the oldest quick send counts as slow; null when there is none. */
  nextSlowMs(nowMs: number): number | null {
    const oldest = this.#started.find(({ state }) => state === 'quick')
    return oldest ? Math.max(0, oldest.startedMs + quickMs - nowMs) : null
  }

  #letRest(lane: Lane, nowMs: number): void {
    this.#ready.delete(lane)
    const untilMs = nowMs + lane.restsMs(nowMs)
    if (untilMs === Number.POSITIVE_INFINITY) return
    this.#resting.set(lane, untilMs)
    this.#restedAtMs = Math.min(this.#restedAtMs, untilMs)
  }

  #rouse(nowMs: number): void {
    if (nowMs < this.#restedAtMs) return
    this.#restedAtMs = Number.POSITIVE_INFINITY
    for (const [lane, untilMs] of this.#resting) {
      if (untilMs > nowMs) this.#restedAtMs = Math.min(this.#restedAtMs, untilMs)
      else {
        this.#resting.delete(lane)
        this.offer(lane)
      }
    }
  }

  #age(nowMs: number): void {
    let passed = 0
    for (const sending of this.#started) {
      if (sending.state !== 'done') {
        if (nowMs - sending.startedMs < quickMs) break
        if (sending.state === 'quick') {
          sending.state = 'slow'
          sending.lane.slow += 1
          this.#quick -= 1
          this.#slow += 1
        }
      }
      passed += 1
    }
    if (passed > 0) this.#started = this.#started.slice(passed)
  }

  #of(lane: Lane): BusinessLanes {
    const found = this.#businesses.get(lane.businessId)
    if (found) return found
    const made = { ready: [], inFlight: 0, parked: false }
    this.#businesses.set(lane.businessId, made)
    return made
  }
}
