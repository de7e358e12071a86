// Connection pools of the sender, one an origin, bounded in number: the longest unused idle pool makes room.

import type { buildConnector, Pool } from 'undici'
import { undici } from '../outbound.ts'

export type PoolLimits = {
  connectionsPerOrigin: number
  poolsMax: number
  responseHeaderBytesMax: number
}

/** A pool in use; give it back exactly once. */
export type PoolLease = { pool: Pool; release: () => void }

type Entry = { pool: Pool; users: number }

// Long enough for the next event of a busy endpoint, shorter than the 5 s after which common servers hang up.
const keepAliveMs = 4_000
// A busy connection would otherwise never notice that the name has moved to another address. Counted in requests (at
// most 33 minutes at the slowest pace that keeps it open): undici's `clientTtl` costs 6 µs a send at 64 connections.
const requestsPerConnectionMax = 500

export class OriginPools {
  readonly #entries = new Map<string, Entry>()
  readonly #limits: PoolLimits
  readonly #connect: buildConnector.connector

  constructor(limits: PoolLimits, connect: buildConnector.connector) {
    this.#limits = limits
    this.#connect = connect
  }

  get size(): number {
    return this.#entries.size
  }

  lease(origin: string): PoolLease {
    const entry = this.#entries.get(origin) ?? { pool: this.#open(origin), users: 0 }
    entry.users += 1
    // A Map iterates in order of insertion: putting it in again makes it the most recently used.
    this.#entries.delete(origin)
    this.#entries.set(origin, entry)
    this.#evict()
    return {
      pool: entry.pool,
      release: () => {
        entry.users -= 1
        this.#evict()
      },
    }
  }

  async destroy(): Promise<void> {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(entries.map(({ pool }) => pool.destroy()))
  }

  /** Pools in use are never closed, so there can be more than `poolsMax` of them, but not more than sends in flight. */
  #evict(): void {
    if (this.#entries.size <= this.#limits.poolsMax) return
    for (const [origin, { pool, users }] of this.#entries) {
      if (users > 0) continue
      this.#entries.delete(origin)
      // Not `close`: whatever is still queued inside belongs to sends that have given up.
      void pool.destroy()
      if (this.#entries.size <= this.#limits.poolsMax) return
    }
  }

  #open(origin: string): Pool {
    return new (undici().Pool)(origin, {
      connect: this.#connect,
      connections: this.#limits.connectionsPerOrigin,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxRequestsPerClient: requestsPerConnectionMax,
      maxHeaderSize: this.#limits.responseHeaderBytesMax,
      // One wall clock per exchange, held by the sender, replaces both.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}
