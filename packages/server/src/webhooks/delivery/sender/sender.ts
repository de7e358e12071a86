// Sends one event to one address: guarded connection, one wall clock for the whole exchange, bounded reading, no
// redirects, nothing decompressed. Whatever the receiver does is an outcome; only misuse of the sender is thrown.

import { Exchange, type SendOutcome } from './exchange.ts'
import { dnsLookup, guardedConnector, type Lookup } from './guarded-connect.ts'
import { OriginPools } from './origin-pools.ts'

export type SendRequest = {
  /** Whose endpoint it is: businesses share no connections, so that none waits for another's receiver. */
  businessId: string
  /** As `parseWebhookUrl` gave it back. */
  url: string
  headers: Record<string, string>
  body: Uint8Array
  /** Ends the send at once with `aborted`. */
  signal?: AbortSignal
}

export type SenderOptions = {
  /** Sandbox mode: loopback addresses, by http or https, may be sent to. */
  allowLoopback: boolean
  /** Wall clock for the whole exchange: waiting for a connection, connecting, sending and reading. */
  timeoutMs?: number
  /** Read at most; an answer that is longer still counts, by its status. */
  responseBytesMax?: number
  responseKeptBytesMax?: number
  responseHeaderBytesMax?: number
  /** For requests whose headers name none. */
  userAgent?: string
  lookup?: Lookup
  /** Of one business at one origin. */
  connectionsPerPool?: number
  poolsMax?: number
  /** Of all pools together: beyond it those in use stay, and idle ones are closed. */
  connectionsMax?: number
}

export type Sender = {
  send(request: SendRequest): Promise<SendOutcome>
  /** Closes every connection now; sends still running end as `aborted`. Wait for them first to end gently. */
  close(): Promise<void>
}

/** Taking an address apart costs a twentieth of a send; most are sent to again. */
type Target = { origin: string; path: string }
const targetsMax = 10_000

export function createSender(options: SenderOptions): Sender {
  const {
    timeoutMs = 15_000,
    responseBytesMax = 65_536,
    responseKeptBytesMax = 4_096,
    responseHeaderBytesMax = 16_384,
    userAgent = 'Causeway',
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
  const targets = new Map<string, Target>()
  const targetOf = (url: string): Target => {
    const known = targets.get(url)
    if (known) return known
    const { origin, pathname, search } = new URL(url)
    const target = { origin, path: pathname + search }
    if (targets.size >= targetsMax) targets.clear()
    targets.set(url, target)
    return target
  }
  let isClosed = false

  return {
    async send({ businessId, url, headers, body, signal }) {
      if (isClosed || signal?.aborted) return { kind: 'aborted', durationMs: 0 }
      const { origin, path } = targetOf(url)
      const { pool, release } = pools.lease(origin, businessId)
      const exchange = new Exchange(limits, signal, release)
      const named = 'user-agent' in headers ? headers : { ...headers, 'user-agent': userAgent }
      pool.dispatch({ method: 'POST', path, headers: named, body }, exchange)
      return await exchange.outcome
    },
    async close() {
      isClosed = true
      await pools.destroy()
    },
  }
}
