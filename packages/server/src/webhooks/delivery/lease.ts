// The lease of this replica on its lanes. Sends end before another replica can take the lane: a send in progress is
// aborted when the lease ends.

import { performance } from 'node:perf_hooks'
import type { Database } from '../../platform/postgres/database.ts'
import { type Grace, nextLaneDueMs, renewOwner } from './lanes.store.ts'

/** Time after the last renewal after which other replicas take the lanes of a crashed replica. */
export const leaseMs = 4_000
/** Longer than most receivers need to respond. With less time left, no send starts. */
const sendMsMin = 1_000
/** Time to abort the sends in progress: a timer may be late, and a written request may still be read. */
const endMs = 250

export class Lease {
  /**
   * The lease expired before it was renewed: another replica may hold any lane, so each lane is reloaded before the
   * next send.
   */
  hasLapsed = false
  readonly owner: string
  readonly #db: Database
  readonly #onEnd: () => void
  #endsMs = 0
  #endTimer: NodeJS.Timeout | undefined
  #renewals: NodeJS.Timeout | undefined
  #isInterrupted = false
  #takesOverFromMs = 0

  /** @param onEnd called shortly before the lease expires without a renewal */
  constructor(db: Database, owner: string, onEnd: () => void) {
    this.#db = db
    this.owner = owner
    this.#onEnd = onEnd
  }

  /** Milliseconds until the next renewal, after a third of the lease. */
  dueInMs(nowMs: number): number {
    return this.#endsMs - (leaseMs * 2) / 3 - nowMs
  }

  /** @returns whether a send may start now */
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

  /** Renews the lease without the turns of the loop, while sends in progress get their time to end. */
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

  /** Milliseconds until a lane may be claimed; null if no lane is waiting. */
  async nextLaneDueMs(): Promise<number | null> {
    const asked = this.#db.byIndex((query) => nextLaneDueMs(query, this.owner, this.grace()))
    return await this.#asked(asked)
  }

  /**
   * Extra lifetime of the leases of other replicas. While the database was unavailable no replica could renew, so each
   * lease is extended once: from the start of a restarted database, and from the moment at which this replica reaches a
   * database, which may be a standby that took over.
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
