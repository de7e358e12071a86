// Keys whose requests failed because the database did not respond. They are released as soon as the database responds,
// so that a retry need not wait for the end of the lease.

import { setTimeout as delay } from 'node:timers/promises'

type Release = { release: () => Promise<void>; giveUp: (error: unknown) => void; untilMs: number }

/** Beyond this number, a key stays held until its lease expires. */
const waitingMax = 1_000
/** Longer than the failover to a standby takes. A later holder keeps the key: a release names its own lease. */
const waitMsMax = 60_000
const pauseMs = 500

export class LateReleases {
  readonly #waiting: Release[] = []
  #isRunning = false

  /** @param giveUp receives the last error if the key was not released */
  add(release: Release['release'], giveUp: Release['giveUp']): void {
    if (this.#waiting.length < waitingMax)
      this.#waiting.push({ release, giveUp, untilMs: performance.now() + waitMsMax })
    else giveUp(new Error('too many keys wait for their release'))
    if (!this.#isRunning) void this.#run()
  }

  /** Releases one key at a time, so that a recovering database is not flooded. */
  async #run(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { release, giveUp, untilMs } = next
      try {
        await release()
      } catch (error) {
        if (performance.now() < untilMs) this.#waiting.push(next)
        else giveUp(error)
        await delay(pauseMs, undefined, { ref: false })
      }
    }
    this.#isRunning = false
  }
}
