// How much of this process the lanes with a backlog may take while other lanes have little to send. A backlog can fill the event
// loop, and then every other delivery waits. The windows of such lanes close while the loop is busy, and open again afterwards.

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

  /** @param utilization of the event loop, since the last look or since the start */
  constructor(
    windowMax = windowMaxByDefault,
    utilization = (last?: EventLoopUtilization) => performance.eventLoopUtilization(last),
  ) {
    this.#windowMax = windowMax
    this.#window = windowMax
    this.#utilization = utilization
    this.#last = utilization()
  }

  /** Sends in flight at most of each lane with a backlog. @param isShared whether other lanes have none and would wait */
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
