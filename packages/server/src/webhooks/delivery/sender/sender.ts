// Sends one event to one URL: a guarded connection, one deadline for the whole exchange, a bounded answer, no redirects, no
// decompression. Whatever the receiver does is an outcome; only a request that cannot be written is thrown.

import { Exchange, type SendOutcome } from './exchange.ts'
import { dnsLookup, guardedConnector, type Lookup } from './guarded-connect.ts'
import { OriginPools } from './origin-pools.ts'

export type SendRequest = {
  /** Businesses share no connections, so that no business waits for another's receiver. */
  businessId: string
  url: string
  headers: Record<string, string>
  body: Uint8Array
  /** Ends the send at once as `aborted`. */
  signal?: AbortSignal
}

export type SenderOptions = {
  /** Sandbox mode: loopback addresses are allowed, by http or https. */
  allowLoopback: boolean
  /** For the whole exchange: waiting for a connection, connecting, sending and reading. */
  timeoutMs?: number
  /** Read of a body at most. A longer answer counts by its status. */
  responseBytesMax?: number
  responseKeptBytesMax?: number
  responseHeaderBytesMax?: number
  lookup?: Lookup
  /** Of one business at one origin. */
  connectionsPerPool?: number
  poolsMax?: number
  /** Of all pools together. Beyond it idle pools are closed. */
  connectionsMax?: number
}

export type Sender = {
  send(request: SendRequest): Promise<SendOutcome>
  /** Closes every connection now; sends that run end as `aborted`. */
  close(): Promise<void>
}

export function createSender(options: SenderOptions): Sender {
  const {
    timeoutMs = 15_000,
    responseBytesMax = 65_536,
    responseKeptBytesMax = 4_096,
    responseHeaderBytesMax = 16_384,
    // The caller caps each endpoint well below this, and all that is in flight at half of all connections.
    connectionsPerPool = 64,
    poolsMax = 1_000,
    connectionsMax = 2_048,
  } = options
  const connect = guardedConnector({
    allowLoopback: options.allowLoopback,
    lookup: options.lookup ?? dnsLookup(),
    // A third of the exchange, so that one dead address, or a slow name server, leaves time for the next.
    connectTimeoutMs: Math.ceil(timeoutMs / 3),
  })
  const pools = new OriginPools({ connectionsPerPool, poolsMax, connectionsMax, responseHeaderBytesMax }, connect)
  const limits = { timeoutMs, responseBytesMax, responseKeptBytesMax }
  let isClosed = false

  return {
    async send({ businessId, url, headers, body, signal }) {
      if (isClosed || signal?.aborted) return { kind: 'aborted', durationMs: 0 }
      const { origin, pathname, search } = new URL(url)
      const { pool, release } = pools.lease(origin, businessId)
      const exchange = new Exchange(limits, signal, release)
      pool.dispatch({ method: 'POST', path: pathname + search, headers, body }, exchange)
      return await exchange.outcome
    },
    async close() {
      isClosed = true
      await pools.destroy()
    },
  }
}
