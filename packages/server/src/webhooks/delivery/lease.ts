// This replica's word that it lives. Whatever is sent under it is over before anybody else may have its lanes.

import { performance } from 'node:perf_hooks'
import type { Database } from '../../platform/postgres/db.ts'
import { nextLaneDueMs, renewOwner } from './lanes.store.ts'

const leaseMsMin = 3_000

export class Lease {
  /** It had run out: somebody else may have had any of the lanes, so nothing is sent before each was asked about. */
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
    // Twice the send deadline: whatever was begun under the lease is over before anybody else can have the lane.
    this.ms = Math.max(sendMs * 2 + 1_000, leaseMsMin)
  }

  /** Milliseconds until it wants to be renewed. */
  dueInMs(nowMs: number): number {
    return this.#endsMs - (this.ms * 2) / 3 - nowMs
  }

  /** What begins now ends, at the latest, with the lease. */
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
   * Before lanes are claimed. A claim that finds nothing writes nothing; one that finds something needs an owner whom
   * others believe.
   * @returns whether there is something to claim
   */
  async mayClaim(): Promise<boolean> {
    if (performance.now() <= this.#endsMs - this.ms / 2) return true
    const dueMs = await this.nextLaneDueMs()
    if (dueMs === null || dueMs > 1) return false
    await this.renew()
    return true
  }

  /** Milliseconds until a lane may be claimed that somebody else holds or nobody; null when none wants anybody. */
  async nextLaneDueMs(): Promise<number | null> {
    return await this.#db.byIndex((query) => nextLaneDueMs(query, this.owner, this.ms))
  }
}
