// The send rate to one receiver: a window of sends in flight that grows with each success and shrinks with each
// failure, probes while every attempt fails, and a ramp after the receiver recovers. The caller supplies the clock.

/** Consecutive failures after which Causeway probes the receiver. */
export const breakerFailures = 10

/** Default maximum of sends in flight to one receiver (`WEBHOOK_CONCURRENCY`). */
export const windowMaxByDefault = 32
const windowAtFirst = 2
const probeMsMin = 5_000
const probeMsMax = 60_000
/**
 * Sends in the first second after probes or a pause. The rate doubles every second; after the last second there is no
 * limit.
 */
const rampPerSecond = 10
const rampSeconds = 8

export class CircuitBreaker {
  /** Consecutive failures. */
  failures: number
  readonly #windowMax: number
  #window: number
  #probeAtMs = 0
  #probeMs = probeMsMin
  /** Null when the rate has no limit. */
  #ramp: { startMs: number; tokens: number; filledMs: number } | null = null

  constructor(known: { failures: number }, windowMax = windowMaxByDefault) {
    this.failures = known.failures
    this.#windowMax = windowMax
    this.#window = known.failures > 0 ? 1 : Math.min(windowMax, windowAtFirst)
  }

  get state(): 'sending' | 'probing' {
    return this.failures >= breakerFailures ? 'probing' : 'sending'
  }

  get hasJustTripped(): boolean {
    return this.failures === breakerFailures
  }

  /** Sends in flight at most. */
  get window(): number {
    return this.state === 'probing' ? 1 : this.#window
  }

  /** Milliseconds until time allows another send; 0 for now. Sends in flight are limited by `window`. */
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
    this.#window = Math.min(this.#windowMax, this.#window + 1)
  }

  failed(nowMs: number): void {
    this.failures += 1
    this.#window = Math.max(1, Math.floor(this.#window / 2))
    // Sends that were in flight when the breaker tripped are not probes: a window of further failures would make the first wait 60 s.
    if (this.state !== 'probing' || nowMs < this.#probeAtMs) return
    this.#probeAtMs = nowMs + this.#probeMs
    this.#probeMs = Math.min(probeMsMax, this.#probeMs * 2)
  }

  /** Clears the failures because someone enabled or changed the endpoint, and starts with the ramp. */
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
