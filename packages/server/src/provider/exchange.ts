// One HTTP exchange with the provider: bytes out, bounded bytes back, inside one deadline. It knows nothing of the
// wire's meaning; what it adds to undici is the answer to "had the request left when it failed?".

import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, Pool } from 'undici'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type HttpRequest = { method: HttpMethod; path: string; headers: Record<string, string>; body: string | null }
export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; body: string }

/**
 * - `not_sent`: nothing left this process; safe to repeat.
 * - `cut`: the connection ended before the answer's head. `torn`: it ended inside the answer.
 * - `deadline`: the answer was not complete in time. `malformed`: not HTTP, or larger than we read.
 * - `invalid`: the request itself cannot be sent by anyone.
 */
export type ExchangeEnd = 'not_sent' | 'cut' | 'torn' | 'deadline' | 'malformed' | 'invalid'

export class ExchangeError extends Error {
  readonly end: ExchangeEnd

  /** Only the failure's code is kept: undici's parser errors carry the bytes they choked on, and those may be KYC data. */
  constructor(end: ExchangeEnd, failure: Error) {
    super(`exchange ${end}: ${failureCodeOf(failure)}`)
    this.name = 'ExchangeError'
    this.end = end
  }
}

export type Exchange = {
  send(request: HttpRequest, deadline: AbortSignal): Promise<HttpAnswer>
  /** Lets calls under way finish (each is bounded by its deadline), then closes the connections. */
  close(): Promise<void>
}

// 4 MiB: a full page of 100 histories with receipts is under 300 KiB.
const bodyBytesMax = 4 * 1024 * 1024
// 32 connections at 300 ms a call carry about 100 calls a second, far above what one replica creates.
const connectionsMax = 32
const keepAliveMs = 10_000

export function openExchange(origin: string, options: { connectTimeoutMs: number }): Exchange {
  let pool: Pool | undefined
  const open = (): Pool =>
    new Pool(origin, {
      connections: connectionsMax,
      // One request on a connection at a time: a cut then concerns one call only.
      pipelining: 1,
      allowH2: false,
      connectTimeout: options.connectTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      // The deadline of the call is the only clock after connecting.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  let closed: Promise<void> | undefined
  return {
    async send(request, deadline) {
      if (closed) throw new ExchangeError('not_sent', new Error('closed'))
      pool ??= open()
      return await send(pool, request, deadline)
    },
    close: () => {
      closed ??= pool?.close() ?? Promise.resolve()
      return closed
    },
  }
}

function send(pool: Pool, request: HttpRequest, deadline: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const handler = new AnswerCollector(
      (answer) => {
        deadline.removeEventListener('abort', onDeadline)
        resolve(answer)
      },
      (error) => {
        deadline.removeEventListener('abort', onDeadline)
        reject(error)
      },
    )
    const onDeadline = () => handler.expire()
    if (deadline.aborted) return handler.expire()
    deadline.addEventListener('abort', onDeadline)
    pool.dispatch(request, handler)
  })
}

class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: HttpAnswer) => void
  readonly #reject: (error: ExchangeError) => void
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #controller: Dispatcher.DispatchController | null = null
  #head: { status: number; headers: IncomingHttpHeaders } | null = null
  #failure: ExchangeError | null = null

  constructor(resolve: (answer: HttpAnswer) => void, reject: (error: ExchangeError) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  /** A call may expire while it waits for a free connection; undici then drops it before it is written. */
  expire(): void {
    this.#fail(this.#controller ? 'deadline' : 'not_sent', new Error('deadline'))
  }

  /** Called just before the request is written to a connected socket, so before it nothing has left. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#failure) controller.abort(this.#failure)
    else this.#controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > bodyBytesMax) this.#fail('malformed', new Error('answer too large'))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.#head) this.#resolve({ ...this.#head, body: Buffer.concat(this.#chunks).toString('utf8') })
    else this.#fail('malformed', new Error('answer without head'))
  }

  onResponseError(_controller: Dispatcher.DispatchController, failure: Error): void {
    this.#fail(this.#endOf(failure), failure)
  }

  #endOf(failure: Error): ExchangeEnd {
    const code = failureCodeOf(failure)
    if (code === 'UND_ERR_INVALID_ARG') return 'invalid'
    if (!this.#controller) return 'not_sent'
    if (failure.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') return 'malformed'
    return this.#head ? 'torn' : 'cut'
  }

  /** The first failure is the truth; aborting makes undici report a second one. */
  #fail(end: ExchangeEnd, failure: Error): void {
    if (this.#failure) return
    this.#failure = new ExchangeError(end, failure)
    this.#reject(this.#failure)
    this.#controller?.abort(this.#failure)
  }
}

function failureCodeOf(failure: Error): string {
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : failure.name
}
