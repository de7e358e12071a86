// Sends one event to one URL: a guarded connection, one deadline for the whole exchange, a bounded response, no
// redirects, no decompression. Every behavior of the receiver is an outcome; only a request that cannot be written
// throws.

import { LRUCache } from 'lru-cache'
import { type buildConnector, Pool } from 'undici'
import { Exchange, type SendOutcome } from './exchange.ts'
import { dnsLookup, guardedConnector, type Lookup } from './guarded-connect.ts'

export type SendRequest = {
  /** Businesses share no connections, so that no business waits for another business's receiver. */
  businessId: string
  url: string
  headers: Record<string, string>
  body: Uint8Array
}

export type SenderOptions = {
  /** Sandbox mode: loopback addresses are allowed, by http or https. */
  allowLoopback: boolean
  /** For the whole exchange: waiting for a connection, connecting, sending and reading. */
  timeoutMs?: number
  lookup?: Lookup
  /** To one endpoint at once, as far as the caller sends. */
  concurrency?: number
  /** Of one business at one origin. */
  connectionsPerPool?: number
  poolsMax?: number
  /** For all pools together. Beyond it, the least recently used pools are closed. */
  connectionsMax?: number
}

export type Sender = {
  send(request: SendRequest): Promise<SendOutcome>
  /** Aborts the sends in progress, which end as `aborted`. */
  abort(): void
  /** Closes every connection now; sends in progress end as `aborted`. */
  close(): Promise<void>
}

export function createSender(options: SenderOptions): Sender {
  const { timeoutMs = 15_000, allowLoopback, lookup = dnsLookup() } = options
  // A third of the exchange, so that one dead address or a slow name server leaves time for the next.
  const connect = guardedConnector({ allowLoopback, lookup, connectTimeoutMs: Math.ceil(timeoutMs / 3) })
  const pools = new OriginPools(options, connect)
  const running = new Set<Exchange>()
  let isClosed = false

  return {
    async send({ businessId, url, headers, body }) {
      if (isClosed) return { kind: 'aborted', durationMs: 0 }
      const { origin, pathname, search } = new URL(url)
      const exchange = new Exchange(timeoutMs)
      const pool = pools.at(origin, businessId)
      running.add(exchange)
      try {
        pool.dispatch({ method: 'POST', path: pathname + search, headers, body }, exchange)
        return await exchange.outcome
      } finally {
        running.delete(exchange)
      }
    },
    abort() {
      for (const exchange of running) exchange.abort()
    },
    async close() {
      isClosed = true
      await pools.destroy()
    },
  }
}

// Long enough for the next event of a busy endpoint, shorter than the 5 s after which common servers close.
const keepAliveMs = 4_000
// A busy connection would otherwise never notice that its name has another address. Counted in requests (at most 33 minutes at
// the slowest pace that keeps it open): undici's `clientTtl` costs 6 µs a send at 64 connections.
const requestsPerConnectionMax = 500
const responseHeaderBytesMax = 16_384

/** Connections, in one pool for each business at each origin: a silent receiver fills a pool, and only its own business waits. */
class OriginPools {
  readonly #pools: LRUCache<string, Pool>
  /** Includes closing pools: their requests are still running. */
  readonly #open = new Set<Pool>()
  readonly #options: Pool.Options
  readonly #connectionsMax: number
  #connections = 0

  constructor(options: SenderOptions, connect: buildConnector.connector) {
    // A lane sends at most `concurrency` at once, so a pool has room for two of them; all that is in flight is half of all connections.
    const { concurrency = 32, poolsMax = 1_000, connectionsMax = 2_048 } = options
    const { connectionsPerPool = Math.max(64, 2 * concurrency) } = options
    this.#connectionsMax = connectionsMax
    this.#pools = new LRUCache({ max: poolsMax, dispose: (pool) => this.#close(pool) })
    this.#options = {
      connect: (target, callback) =>
        connect(target, (...result) => {
          this.#connections += result[1] ? 1 : 0
          result[1]?.once('close', () => {
            this.#connections -= 1
          })
          callback(...result)
        }),
      connections: connectionsPerPool,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxRequestsPerClient: requestsPerConnectionMax,
      maxHeaderSize: responseHeaderBytesMax,
      // The deadline of the exchange replaces both.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }

  at(origin: string, businessId: string): Pool {
    const key = `${businessId} ${origin}`
    let pool = this.#pools.get(key)
    if (!pool) {
      pool = new Pool(origin, this.#options)
      this.#open.add(pool)
      this.#pools.set(key, pool)
    }
    let excess = this.#connections - this.#connectionsMax
    while (excess > 0 && this.#pools.size > 1) excess -= this.#pools.pop()?.stats.connected ?? 0
    return pool
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#open].map((pool) => pool.destroy()))
  }

  /** Ends idle connections now, and every other connection after its current requests. */
  #close(pool: Pool): void {
    const end = () => void this.#open.delete(pool)
    // Rejected if the sender destroys the pool in the meantime.
    pool.close().then(end, end)
  }
}
