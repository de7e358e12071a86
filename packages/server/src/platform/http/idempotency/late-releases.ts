// Keys whose requests failed because the database did not answer: released as soon as it does, so that a repeat need not wait
// for the end of the lease.

import { setTimeout as delay } from 'node:timers/promises'

type Release = { release: () => Promise<void>; giveUp: (error: unknown) => void; untilMs: number }

/** Beyond that many a key is free at the end of its lease. */
const waitingMax = 1_000
/** Longer than a standby takes to become primary. Who holds the key by then keeps it: a release names its own lease. */
const waitMsMax = 60_000
const pauseMs = 500

export class LateReleases {
  readonly #waiting: Release[] = []
  #isRunning = false

  /** @param giveUp told why the release failed to the end */
  add(release: Release['release'], giveUp: Release['giveUp']): void {
    if (this.#waiting.length < waitingMax)
      this.#waiting.push({ release, giveUp, untilMs: performance.now() + waitMsMax })
    else giveUp(new Error('too many keys wait for their release'))
    if (!this.#isRunning) void this.#run()
  }

  /** One at a time: a database that comes back is not met by all at once. */
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
