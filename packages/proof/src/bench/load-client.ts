// The load: requests written beforehand, over keep-alive connections, one at a time on each. It does as little as
// possible, because it shares the machine with what it measures.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

export type LoadResult = {
  ms: number
  /** By request, in the order given. */
  statuses: Uint16Array
  latenciesMs: Float64Array
}

const headEnd = Buffer.from('\r\n\r\n')

/** One connection. It sends a request when the response to the last one is complete. */
class Connection {
  readonly #socket: Socket
  #pending: Buffer = Buffer.alloc(0)
  #answered: ((status: number) => void) | null = null
  #failed: ((error: Error) => void) | null = null

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (error) => this.#failed?.(error))
    socket.on('close', () => this.#failed?.(new Error('the server hung up')))
  }

  request(bytes: Buffer): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.#answered = resolve
    this.#failed = reject
    this.#socket.write(bytes)
    return promise
  }

  end(): void {
    this.#failed = null
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk
    const end = bytes.indexOf(headEnd)
    const head = end < 0 ? '' : bytes.toString('latin1', 0, end)
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    if (end < 0 || bytes.length < end + headEnd.length + length) {
      this.#pending = bytes
      return
    }
    this.#pending = Buffer.alloc(0)
    this.#answered?.(Number(head.slice(9, 12)))
  }
}

async function openConnections(url: URL, count: number): Promise<Connection[]> {
  return await Promise.all(Array.from({ length: count }, () => openConnection(url)))
}

async function openConnection(url: URL): Promise<Connection> {
  const socket = connect(Number(url.port), url.hostname)
  await once(socket, 'connect')
  return new Connection(socket)
}

/** As fast as the server responds. */
export async function loadAtFull(url: URL, requests: readonly Buffer[], connectionCount: number): Promise<LoadResult> {
  const connections = await openConnections(url, connectionCount)
  const statuses = new Uint16Array(requests.length)
  const latenciesMs = new Float64Array(requests.length)
  let next = 0
  const startMs = performance.now()
  await Promise.all(
    connections.map(async (connection) => {
      for (let at = next++; at < requests.length; at = next++) {
        const sentMs = performance.now()
        statuses[at] = await connection.request(requests[at] ?? headEnd)
        latenciesMs[at] = performance.now() - sentMs
      }
    }),
  )
  const ms = performance.now() - startMs
  for (const connection of connections) connection.end()
  return { ms, statuses, latenciesMs }
}

/**
 * Sends so many requests a second, evenly: a server that stalls does not get fewer.
 * @returns when each was due, on the machine's monotonic clock, in milliseconds
 */
export async function loadAtPace(url: URL, requests: readonly Buffer[], perSecond: number): Promise<number[]> {
  const idle = await openConnections(url, 64)
  const startMs = monotonicMs()
  const dueMs = requests.map((_, at) => startMs + (at * 1_000) / perSecond)
  const running: Promise<void>[] = []
  for (const [at, request] of requests.entries()) {
    while (monotonicMs() < (dueMs[at] ?? 0)) await delay(1)
    const connection = idle.shift() ?? (await openConnection(url))
    running.push(
      connection.request(request).then((status) => {
        if (status !== 200) throw new Error(`an event was answered with ${status}`)
        idle.push(connection)
      }),
    )
  }
  await Promise.all(running)
  for (const connection of idle) connection.end()
  return dueMs
}

/** The same in every process of this machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
