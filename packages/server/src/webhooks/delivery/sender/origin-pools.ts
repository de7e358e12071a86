// Connection pools of the sender, one for each business at each origin, bounded in number and in connections. The idle pool
// that was used longest ago is closed first. A silent receiver fills a pool, and then only its own business waits.

import type { Socket } from 'node:net'
import { type buildConnector, Pool } from 'undici'

export type PoolLimits = {
  connectionsPerPool: number
  poolsMax: number
  connectionsMax: number
  responseHeaderBytesMax: number
}

/** A pool in use. `release` is called exactly once. */
export type PoolLease = { pool: Pool; release: () => void }

type Entry = { pool: Pool; users: number }

// Long enough for the next event of a busy endpoint, shorter than the 5 s after which common servers close.
const keepAliveMs = 4_000
// A busy connection would otherwise never notice that its name has another address. Counted in requests (at most 33 minutes at
// the slowest pace that keeps it open): undici's `clientTtl` costs 6 µs a send at 64 connections.
const requestsPerConnectionMax = 500

export class OriginPools {
  readonly #entries = new Map<string, Entry>()
  readonly #limits: PoolLimits
  readonly #connect: buildConnector.connector
  #connections = 0

  constructor(limits: PoolLimits, connect: buildConnector.connector) {
    this.#limits = limits
    this.#connect = (target, callback) =>
      connect(target, (...result) => {
        const [, socket] = result
        if (socket) this.#count(socket)
        callback(...result)
      })
  }

  get size(): number {
    return this.#entries.size
  }

  lease(origin: string, businessId: string): PoolLease {
    const key = `${businessId} ${origin}`
    const entry = this.#entries.get(key) ?? { pool: this.#open(origin), users: 0 }
    entry.users += 1
    // A Map iterates in order of insertion: the entry becomes the most recently used one.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
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

  #count(socket: Socket): void {
    this.#connections += 1
    socket.once('close', () => {
      this.#connections -= 1
    })
  }

  /** Pools in use are never closed: there can be more of them than the limits say, but not more than sends in flight. */
  #evict(): void {
    const { poolsMax, connectionsMax } = this.#limits
    let connections = this.#connections
    for (const [key, { pool, users }] of this.#entries) {
      if (this.#entries.size <= poolsMax && connections <= connectionsMax) return
      if (users > 0) continue
      this.#entries.delete(key)
      connections -= pool.stats.connected
      // Not `close`: what is queued in it belongs to sends that have ended.
      void pool.destroy()
    }
  }

  #open(origin: string): Pool {
    return new Pool(origin, {
      connect: this.#connect,
      connections: this.#limits.connectionsPerPool,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxRequestsPerClient: requestsPerConnectionMax,
      maxHeaderSize: this.#limits.responseHeaderBytesMax,
      // The deadline of the exchange replaces both.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}
