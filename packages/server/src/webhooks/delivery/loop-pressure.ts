// Limits the share of this process that lanes with a backlog may use while other lanes have few deliveries. A backlog
// can fill the event loop, and then every other delivery waits. The windows of such lanes shrink while the loop is
// busy, and grow again afterwards.

import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { windowMaxByDefault } from './circuit-breaker.rules.ts'

const lookMs = 25
const busyAbove = 0.6
const idleBelow = 0.5
const windowMin = 1

export class LoopPressure {
  readonly #utilization: (last?: EventLoopUtilization) => EventLoopUtilization
  #last: EventLoopUtilization
  #lookAtMs = 0
  readonly #windowMax: number
  #window: number

  /** @param utilization of the event loop, since the last call or since the start */
  constructor(
    windowMax = windowMaxByDefault,
    utilization = (last?: EventLoopUtilization) => performance.eventLoopUtilization(last),
  ) {
    this.#windowMax = windowMax
    this.#window = windowMax
    this.#utilization = utilization
    this.#last = utilization()
  }

  /**
   * Maximum of sends in flight of each lane with a backlog. @param isShared whether lanes without a backlog would wait
   */
  window(nowMs: number, isShared: boolean): number {
    if (!isShared) {
      this.#window = this.#windowMax
      return this.#windowMax
    }
    if (nowMs < this.#lookAtMs) return this.#window
    this.#lookAtMs = nowMs + lookMs
    const { utilization } = this.#utilization(this.#last)
    this.#last = this.#utilization()
    if (utilization > busyAbove) this.#window = Math.max(windowMin, Math.floor(this.#window / 2))
    else if (utilization < idleBelow) this.#window = Math.min(this.#windowMax, this.#window + 1)
    return this.#window
  }
}
