// A fetch for small documents of services that customers choose: checked addresses, one deadline, a bounded body, no
// redirects. Each request opens a new connection, so no two customers share one.

import { Agent, fetch } from 'undici'
import { dnsLookup, guardedConnector, type Lookup } from './guarded-connect.ts'

export type BoundedFetchOptions = {
  /**
   * `public`: only addresses of the public internet, by https. `public_or_loopback`: loopback addresses too, by https or
   * http. `any`: the address comes from the operator.
   */
  addresses: 'public' | 'public_or_loopback' | 'any'
  /** For the whole exchange: connecting, sending and reading. */
  timeoutMs?: number
  bytesMax?: number
  lookup?: Lookup
}

type Sent = {
  method: string
  headers: Record<string, string>
  body?: ArrayBuffer | ReadableStream | string | Uint8Array | URLSearchParams | null | undefined
  signal?: AbortSignal | undefined
}

export type BoundedFetch = (url: string, sent: Sent) => Promise<Response>

const responseHeaderBytesMax = 16_384

/** Creates the function. It rejects if the address is refused, the service is silent, or its response is too long. */
export function createBoundedFetch(options: BoundedFetchOptions): BoundedFetch {
  const { addresses, timeoutMs = 5_000, bytesMax = 256 * 1024, lookup = dnsLookup() } = options
  // A third of the exchange, so that one dead address leaves time for the next.
  const connectTimeoutMs = Math.ceil(timeoutMs / 3)
  const allowLoopback = addresses === 'public_or_loopback'
  const connect =
    addresses === 'any' ? { timeout: connectTimeoutMs } : guardedConnector({ allowLoopback, lookup, connectTimeoutMs })
  return async (url, { method, headers, body = null, signal }) => {
    const agent = new Agent({ connect, allowH2: false, pipelining: 1, maxHeaderSize: responseHeaderBytesMax })
    try {
      const deadline = AbortSignal.timeout(timeoutMs)
      const response = await fetch(url, {
        method,
        headers,
        body,
        redirect: 'manual',
        dispatcher: agent,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      })
      const bytes = await readAll(response.body, bytesMax)
      const isEmpty = response.status === 204 || response.status === 304
      return new Response(isEmpty ? null : bytes, { status: response.status, headers: [...response.headers] })
    } finally {
      await agent.destroy()
    }
  }
}

/** The body after decompression: a small response may stand for a large document. */
async function readAll(body: AsyncIterable<Uint8Array> | null, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > bytesMax) throw new Error(`The response is longer than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
