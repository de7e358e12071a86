// Sends one HTTP request within a deadline, with bounded bytes. Unlike undici, reports whether a failed request had
// left this process.

import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { ProviderError, type ProviderErrorKind } from '../port.ts'
import { type HttpAnswer, isSuccess } from './failures.ts'

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  headers: Record<string, string>
  body: string | null
}

/** The ends of an exchange without a response, with their meaning. */
const exchangeEnds = {
  /** Nothing left this process: a retry is safe. */
  not_sent: 'unreachable',
  /** The connection ended before the head of the response. */
  cut: 'timeout',
  /** The connection ended inside the response. */
  torn: 'timeout',
  deadline: 'timeout',
  /** Not HTTP, or an error response above the size limit. */
  malformed: 'unavailable',
  /** A success response above the size limit. */
  oversized: 'unreadable',
  /** A retry cannot help, so it must not look like an outage. */
  invalid: 'rejected',
} as const satisfies Record<string, ProviderErrorKind>
type ExchangeEnd = keyof typeof exchangeEnds

export class ExchangeError extends ProviderError {
  readonly end: ExchangeEnd

  /** Keeps only the failure's code: undici's parser errors contain the rejected bytes, which may be KYC data. */
  constructor(end: ExchangeEnd, failure: Error, method: HttpRequest['method'] = 'GET') {
    const cause = new Error(`exchange ${end}: ${failureCodeOf(failure)}`)
    const carriedOut = end === 'oversized' && method !== 'GET' ? { objectId: null } : null
    super(exchangeEnds[end], { cause, carriedOut })
    this.end = end
  }
}

// 4 MiB: a full page of 100 histories with receipts is under 300 KiB.
const bodyBytesMax = 4 * 1024 * 1024
// 32 connections at 300 ms a call carry about 100 calls a second, far above what one replica creates.
const connectionsMax = 32
const keepAliveMs = 10_000

export type Exchange = ReturnType<typeof openExchange>

/** Opens exchanges with a deadline. Unlike undici, they report whether a failed request had left this process. */
export function openExchange(origin: string, connectTimeout: number) {
  // Created by the first call, so that a process without calls opens nothing.
  let pool: Pool | undefined
  let closed: Promise<void> | undefined
  return {
    async send(request: HttpRequest, deadline: AbortSignal): Promise<HttpAnswer> {
      if (closed) throw new ExchangeError('not_sent', new Error('closed'))
      pool ??= new Pool(origin, {
        connections: connectionsMax,
        // One request per connection at a time, so that a cut affects one call only.
        pipelining: 1,
        allowH2: false,
        connectTimeout,
        keepAliveTimeout: keepAliveMs,
        // After connecting, only the deadline of the call applies.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      return await send(pool, request, deadline)
    },
    /** Lets calls in progress finish (each has a deadline), then closes the connections. */
    close: () => (closed ??= pool?.close() ?? Promise.resolve()),
  }
}

function send(pool: Pool, request: HttpRequest, deadline: AbortSignal): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  const chunks: Buffer[] = []
  let bytes = 0
  let started: Dispatcher.DispatchController | null = null
  let head: { status: number; headers: IncomingHttpHeaders } | null = null
  let failure: ExchangeError | null = null
  // The first failure counts; aborting makes undici report a second one.
  const fail = (end: ExchangeEnd, cause: Error): void => {
    if (failure) return
    failure = new ExchangeError(end, cause, request.method)
    reject(failure)
    started?.abort(failure)
  }
  // A call may expire while it waits for a free connection; undici then drops it before it is written.
  const expire = () => fail(started ? 'deadline' : 'not_sent', new Error('deadline'))
  deadline.addEventListener('abort', expire, { once: true })
  if (deadline.aborted) expire()
  pool.dispatch(request, {
    // Called just before the request is written to a connected socket: before that, nothing has left.
    onRequestStart(controller) {
      if (failure) controller.abort(failure)
      else started = controller
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) head = { status, headers }
    },
    onResponseData(_controller, chunk) {
      bytes += chunk.length
      if (bytes > bodyBytesMax)
        fail(isSuccess(head?.status ?? 0) ? 'oversized' : 'malformed', new Error('response too large'))
      else chunks.push(chunk)
    },
    onResponseEnd() {
      if (head) resolve({ ...head, body: Buffer.concat(chunks).toString('utf8') })
      else fail('malformed', new Error('response without head'))
    },
    onResponseError(_controller, error) {
      fail(endOf(error, started !== null, head !== null), error)
    },
  })
  return promise.finally(() => deadline.removeEventListener('abort', expire))
}

function endOf(error: Error, isSent: boolean, hasHead: boolean): ExchangeEnd {
  const code = failureCodeOf(error)
  if (code === 'UND_ERR_INVALID_ARG') return 'invalid'
  if (!isSent) return 'not_sent'
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') return 'malformed'
  return hasHead ? 'torn' : 'cut'
}

function failureCodeOf(failure: Error): string {
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : failure.name
}
