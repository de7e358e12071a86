// How much of this process those with a backlog may take while others have little to send: a backlog can fill the event
// loop, and then every step of everybody waits for it. Their windows close while the loop is busy and open again after.

import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { windowMax } from './circuit-breaker.ts'

const lookMs = 25
const busyAbove = 0.6
const idleBelow = 0.5
const windowMin = 1

export class Headroom {
  readonly #utilization: (last?: EventLoopUtilization) => EventLoopUtilization
  #last: EventLoopUtilization
  #lookAtMs = 0
  #window = windowMax

  /** @param utilization of the event loop, since the last one or since the start */
  constructor(utilization = (last?: EventLoopUtilization) => performance.eventLoopUtilization(last)) {
    this.#utilization = utilization
    this.#last = utilization()
  }

  /** Sends in flight at most of each lane with a backlog. @param isShared whether others would wait for them */
  window(nowMs: number, isShared: boolean): number {
    if (!isShared) {
      this.#window = windowMax
      return windowMax
    }
    if (nowMs < this.#lookAtMs) return this.#window
    this.#lookAtMs = nowMs + lookMs
    const { utilization } = this.#utilization(this.#last)
    this.#last = this.#utilization()
    if (utilization > busyAbove) this.#window = Math.max(windowMin, Math.floor(this.#window / 2))
    else if (utilization < idleBelow) this.#window = Math.min(windowMax, this.#window + 1)
    return this.#window
  }
}
