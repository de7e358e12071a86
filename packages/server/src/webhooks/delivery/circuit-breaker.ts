// How fast one receiver is sent to: a window of sends in flight that opens with each success and closes with each failure,
// a breaker that probes one that only fails, and a ramp after it comes back. Pure: the caller brings the clock.

import { breakerFailures } from './breaker.rules.ts'

export const windowMax = 32
const windowAtFirst = 2
const probeMsMin = 5_000
const probeMsMax = 60_000
/** After a breaker or a pause: so many a second at first, doubled every second, without limit after the last. */
const rampPerSecond = 10
const rampSeconds = 8

export type PaceState = 'open' | 'probing'

export class Pace {
  /** In a row. */
  failures: number
  #window: number
  #probeAtMs = 0
  #probeMs = probeMsMin
  /** Null when nothing is held back any more. */
  #ramp: { startMs: number; tokens: number; filledMs: number } | null = null

  constructor(known: { failures: number }) {
    this.failures = known.failures
    this.#window = known.failures > 0 ? 1 : windowAtFirst
  }

  get state(): PaceState {
    return this.failures >= breakerFailures ? 'probing' : 'open'
  }

  get hasJustTripped(): boolean {
    return this.failures === breakerFailures
  }

  /** The next probe; meaningful while probing. */
  get probeAtMs(): number {
    return this.#probeAtMs
  }

  /** Sends in flight at most. */
  get window(): number {
    return this.state === 'probing' ? 1 : this.#window
  }

  /**
   * Milliseconds until another send may start, as far as time is concerned; 0 for now.
   * Does not count what is in flight: that is the window's.
   */
  waitMs(nowMs: number): number {
    if (this.state === 'probing') return Math.max(0, this.#probeAtMs - nowMs)
    return this.#rampWaitMs(nowMs)
  }

  started(): void {
    if (this.#ramp) this.#ramp.tokens -= 1
  }

  succeeded(nowMs: number): void {
    if (this.state === 'probing') this.beginRamp(nowMs)
    this.failures = 0
    this.#probeMs = probeMsMin
    this.#window = Math.min(windowMax, this.#window + 1)
  }

  failed(nowMs: number): void {
    this.failures += 1
    this.#window = Math.max(1, Math.floor(this.#window / 2))
    if (this.state !== 'probing') return
    this.#probeAtMs = nowMs + this.#probeMs
    this.#probeMs = Math.min(probeMsMax, this.#probeMs * 2)
  }

  /** Somebody has looked after the receiver: its failures are forgotten, and it is begun with gently. */
  restart(nowMs: number): void {
    this.failures = 0
    this.#probeMs = probeMsMin
    this.beginRamp(nowMs)
  }

  beginRamp(nowMs: number): void {
    this.#window = 1
    this.#ramp = { startMs: nowMs, tokens: 1, filledMs: nowMs }
  }

  #rampWaitMs(nowMs: number): number {
    const ramp = this.#ramp
    if (!ramp) return 0
    const second = Math.floor((nowMs - ramp.startMs) / 1_000)
    if (second >= rampSeconds) {
      this.#ramp = null
      return 0
    }
    const perMs = (rampPerSecond * 2 ** second) / 1_000
    ramp.tokens = Math.min(Math.max(1, perMs * 100), ramp.tokens + (nowMs - ramp.filledMs) * perMs)
    ramp.filledMs = nowMs
    return ramp.tokens >= 1 ? 0 : (1 - ramp.tokens) / perMs
  }
}
