// The lease of this replica on its lanes. What is sent under the lease is over before another replica may take a lane: a send
// that still runs when the lease ends is ended with it.

import { performance } from 'node:perf_hooks'
import type { Database } from '../../platform/postgres/database.ts'
import { type Grace, nextLaneDueMs, renewOwner } from './lanes.store.ts'

/** So long after its last renewal the lanes of a replica that died go to others. */
export const leaseMs = 4_000
/** Longer than most receivers take to answer. With less time left no send begins. */
const sendMsMin = 1_000
/** To end the sends that run: a timer may be late, and a request that is written may still be read. */
const endMs = 250

export class Lease {
  /** The lease ran out before it was renewed: another replica may hold any lane, so nothing is sent before each is read again. */
  hasLapsed = false
  readonly owner: string
  readonly #db: Database
  readonly #onEnd: () => void
  #endsMs = 0
  #endTimer: NodeJS.Timeout | undefined
  #renewals: NodeJS.Timeout | undefined
  #isInterrupted = false
  #takesOverFromMs = 0

  /** @param onEnd is called when the lease is about to end unrenewed */
  constructor(db: Database, owner: string, onEnd: () => void) {
    this.#db = db
    this.owner = owner
    this.#onEnd = onEnd
  }

  /** Milliseconds until the lease is to be renewed: when a third of it is over. */
  dueInMs(nowMs: number): number {
    return this.#endsMs - (leaseMs * 2) / 3 - nowMs
  }

  /** @returns whether a send may begin now */
  covers(nowMs: number): boolean {
    return !this.hasLapsed && nowMs + sendMsMin + endMs <= this.#endsMs
  }

  async renew(): Promise<void> {
    const askedMs = performance.now()
    await this.#asked(this.#db.byIndex((query) => renewOwner(query, this.owner, leaseMs)))
    const nowMs = performance.now()
    if (nowMs > this.#endsMs) this.hasLapsed = true
    this.#endsMs = askedMs + leaseMs
    clearTimeout(this.#endTimer)
    this.#endTimer = setTimeout(this.#onEnd, this.#endsMs - endMs - nowMs).unref()
  }

  /** Renews the lease without the turns of the loop, while sends that run get their time to end. */
  keep(): void {
    this.#renewals ??= setInterval(() => void this.renew().catch(() => {}), leaseMs / 3).unref()
  }

  end(): void {
    clearInterval(this.#renewals)
    clearTimeout(this.#endTimer)
  }

  /**
   * Prepares a claim: renews the lease if there is a lane to claim, because other replicas respect only a valid lease.
   * @returns whether to claim; without a lane to claim nothing is written
   */
  async mayClaim(): Promise<boolean> {
    if (performance.now() <= this.#endsMs - leaseMs / 2) return true
    const dueMs = await this.nextLaneDueMs()
    if (dueMs === null || dueMs > 1) return false
    await this.renew()
    return true
  }

  /** Milliseconds until a lane may be claimed; null when no lane waits. */
  async nextLaneDueMs(): Promise<number | null> {
    const asked = this.#db.byIndex((query) => nextLaneDueMs(query, this.owner, this.grace()))
    return await this.#asked(asked)
  }

  /**
   * How much longer than written the leases of others count. While the database was away no replica could renew, so each lease
   * counts for its length once more: from the start of a database that was started again, and from the moment at which this
   * replica finds the database, which may be another one, that took over from the first.
   */
  grace(): Grace {
    return { sinceStartMs: leaseMs, fromNowMs: Math.max(0, this.#takesOverFromMs - performance.now()) }
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      const given = await answer
      if (this.#isInterrupted) this.#takesOverFromMs = performance.now() + leaseMs
      this.#isInterrupted = false
      return given
    } catch (error) {
      this.#isInterrupted = true
      throw error
    }
  }
}
