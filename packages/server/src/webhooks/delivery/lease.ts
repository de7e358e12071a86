// The lease of this replica on its lanes. What is sent under the lease is over before another replica may take a lane.

import { performance } from 'node:perf_hooks'
import type { Database } from '../../platform/postgres/db.ts'
import { nextLaneDueMs, renewOwner } from './lanes.store.ts'

const leaseMsMin = 3_000

export class Lease {
  /** The lease ran out before it was renewed: another replica may hold any lane, so nothing is sent before each is read again. */
  hasLapsed = false
  readonly owner: string
  readonly ms: number
  readonly #db: Database
  readonly #sendMs: number
  #endsMs = 0

  /** @param sendMs how long one send may take */
  constructor(db: Database, owner: string, sendMs: number) {
    this.#db = db
    this.owner = owner
    this.#sendMs = sendMs
    // Twice the send deadline: sends may still start while a renewal is late. `covers` refuses those that could end after the lease.
    this.ms = Math.max(sendMs * 2 + 1_000, leaseMsMin)
  }

  /** Milliseconds until the lease is to be renewed. */
  dueInMs(nowMs: number): number {
    return this.#endsMs - (this.ms * 2) / 3 - nowMs
  }

  /** @returns whether a send that begins now ends before the lease does */
  covers(nowMs: number): boolean {
    return !this.hasLapsed && nowMs + this.#sendMs <= this.#endsMs
  }

  async renew(): Promise<void> {
    const askedMs = performance.now()
    await this.#db.byIndex((query) => renewOwner(query, this.owner, this.ms))
    if (performance.now() > this.#endsMs) this.hasLapsed = true
    this.#endsMs = askedMs + this.ms
  }

  /**
   * Prepares a claim: renews the lease if there is a lane to claim, because other replicas respect only a valid lease.
   * @returns whether to claim; without a lane to claim nothing is written
   */
  async mayClaim(): Promise<boolean> {
    if (performance.now() <= this.#endsMs - this.ms / 2) return true
    const dueMs = await this.nextLaneDueMs()
    if (dueMs === null || dueMs > 1) return false
    await this.renew()
    return true
  }

  /** Milliseconds until a lane may be claimed; null when no lane waits. */
  async nextLaneDueMs(): Promise<number | null> {
    return await this.#db.byIndex((query) => nextLaneDueMs(query, this.owner, this.ms))
  }
}
