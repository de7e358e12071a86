// One call of the provider: headers and keys, the deadline, bounded bytes, the one repeat after a cut connection, and every
// failure as a `ProviderError`. What is asked and what the answer means is told by `client.ts`.
// Above the usual length: what is sent and what a failure means must agree about whether the request had left.

import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Dispatcher, Pool } from 'undici'
import { upstreamDuration, upstreamLastCall, upstreamUnreadable } from '../../platform/observe/metrics.ts'
import { type Facts, traced } from '../../platform/observe/traces.ts'
import type { Json } from '../../platform/values/json.ts'
import { version } from '../../platform/version.ts'
import { errorOfAnswer, type HttpAnswer, isStateConflict } from '../bridge/wire/errors.ts'
import { ProviderError, type ProviderErrorKind, type Write } from '../port.ts'
import { idWithin, parseJson, WireError } from './fields.ts'

/** A member that is undefined is not sent. */
export type Body = { [member: string]: Json | Body | undefined }

export type Call<T> = {
  /** For the log. */
  operation: string
  method: HttpRequest['method']
  /** Built by `path`, so encoded already. */
  path: string
  query?: Record<string, string | number | undefined>
  body?: Body
  /** Present on every POST to the provider and on nothing else: the provider refuses the key elsewhere. */
  write?: Write
  /** Of a call that takes longer than the others. */
  timeoutMs?: number | undefined
  /** Sent once more, under its key and within its deadline, when the connection dies. A GET always is. */
  isRepeatedWhenCut?: true
  /** Reads the parsed body. `answeredAt` is the answer's `Date`: the provider's clock. `text` is the body before it was parsed. */
  read: (body: unknown, answeredAt: string | null, text: string) => T
}

export type CallerOptions = {
  baseUrl: string
  apiKey: string
  /** The whole call: waiting for a connection, the request, the answer's last byte and, for a GET, its repeat. */
  timeoutMs?: number
  connectTimeoutMs?: number
  /** Facts are names, statuses and durations, never ids, bodies or addresses. */
  log?: Record<'debug' | 'warn' | 'error', (facts: Record<string, unknown>, message: string) => void>
}

// With so many calls under way another one fails at once, instead of queueing behind a provider that hangs.
const callsUnderWayMax = 1_000

/** Makes a caller; a connection is opened by the first call. */
export function createCaller({ baseUrl, apiKey, timeoutMs = 10_000, connectTimeoutMs = 3_000, log }: CallerOptions) {
  const base = new URL(baseUrl)
  const exchange = openExchange(base.origin, connectTimeoutMs)
  let underWay = 0
  const call = async <T>(call: Call<T>): Promise<T> => {
    const startedAt = performance.now()
    const measure = (outcome: string) => {
      upstreamDuration.observe({ operation: call.operation, outcome }, (performance.now() - startedAt) / 1000)
      upstreamLastCall.labels({ outcome }).setToCurrentTime()
    }
    if (underWay >= callsUnderWayMax) throw new ProviderError('unreachable', { cause: new Error('too many calls') })
    underWay += 1
    try {
      const facts: Facts = { operation: call.operation, method: call.method }
      const answer = await traced('upstream', facts, async () => {
        const deadline = AbortSignal.timeout(call.timeoutMs ?? timeoutMs)
        const request = requestOf(call, base.pathname.replace(/\/+$/, ''), apiKey)
        const triesMax = call.method === 'GET' || call.isRepeatedWhenCut ? 2 : 1
        const answer = await sendUntilSettled(() => sendWhileCut(exchange, request, deadline, triesMax), deadline)
        facts['status'] = answer.status
        return answer
      })
      const result = readAnswer(answer, call)
      measure('ok')
      log?.debug(factsOf(call, startedAt, { status: answer.status }), 'provider call')
      return result
    } catch (error) {
      if (error instanceof ProviderError) {
        const { kind, status, code, cause } = error
        measure(kind)
        if (kind === 'unreadable') {
          upstreamUnreadable.inc({ operation: call.operation })
          // Names the field that is missing, never a value.
          const fault = cause instanceof Error ? cause.message : null
          log?.error(factsOf(call, startedAt, { status, fault }), 'provider response unreadable')
        } else log?.warn(factsOf(call, startedAt, { kind, status, code }), 'provider call failed')
      }
      throw error
    } finally {
      underWay -= 1
    }
  }
  return { call, close: exchange.close }
}

/** Path with each value percent-encoded. A value that would name another resource than its own is refused. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  const encoded = values.map((value) => {
    if (value === '' || value === '.' || value === '..')
      throw new ProviderError('rejected', { cause: new Error('not an id') })
    return encodeURIComponent(value)
  })
  return String.raw({ raw: parts }, ...encoded)
}

function requestOf<T>(call: Call<T>, basePath: string, apiKey: string): HttpRequest {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value))
  return {
    method: call.method,
    path: `${basePath}${call.path}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      'api-key': apiKey,
      accept: 'application/json',
      'user-agent': `Causeway/${version}`,
      ...(call.body && { 'content-type': 'application/json' }),
      ...(call.write && { 'idempotency-key': call.write.idempotencyKey }),
    },
    body: call.body ? JSON.stringify(call.body) : null,
  }
}

// Half a second, one and two: longer than the provider's other work on an object takes, and well within a call's deadline.
const conflictDelaysMs = [500, 1_000, 2_000]

/** The provider is at work on the object and asks for a repeat of the same request, under the same key. */
async function sendUntilSettled(send: () => Promise<HttpAnswer>, deadline: AbortSignal): Promise<HttpAnswer> {
  for (const delayMs of conflictDelaysMs) {
    const answer = await send()
    if (!isStateConflict(answer)) return answer
    const isOver = await delay(delayMs, false, { signal: deadline }).catch(() => true)
    if (isOver) return answer
  }
  return await send()
}

/** A kept-alive connection may die under a request; all tries share one deadline. */
async function sendWhileCut(exchange: Exchange, request: HttpRequest, deadline: AbortSignal, triesMax: number) {
  for (let tries = 1; ; tries++) {
    try {
      return await exchange.send(request, deadline)
    } catch (error) {
      const isCut = error instanceof ExchangeError && error.end === 'cut'
      if (!isCut || tries === triesMax) throw error
    }
  }
}

function readAnswer<T>({ status, headers, body: text }: HttpAnswer, { method, read }: Call<T>): T {
  if (!isSuccess(status)) throw errorOfAnswer({ status, headers, body: text })
  let body: unknown
  try {
    body = parseJson(text)
    return read(body, headers.date ?? null, text)
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause
    const carriedOut = method === 'GET' ? null : { objectId: idWithin(body) }
    throw new ProviderError('unreadable', { status, cause, carriedOut })
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

function factsOf<T>(call: Call<T>, startedAt: number, outcome: Record<string, unknown>): Record<string, unknown> {
  const durationMs = Math.round(performance.now() - startedAt)
  return { operation: call.operation, method: call.method, ...outcome, durationMs }
}

type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  headers: Record<string, string>
  body: string | null
}

/** How an exchange that brought no answer ended, and what that means. */
const exchangeEnds = {
  /** Nothing left this process; safe to repeat. */
  not_sent: 'unreachable',
  /** The connection ended before the answer's head. */
  cut: 'timeout',
  /** The connection ended inside the answer. */
  torn: 'timeout',
  deadline: 'timeout',
  /** Not HTTP, or a failure that is larger than we read. */
  malformed: 'unavailable',
  /** A success that is larger than we read. */
  oversized: 'unreadable',
  /** No repeat can help, so it must not look like an outage. */
  invalid: 'rejected',
} as const satisfies Record<string, ProviderErrorKind>
type ExchangeEnd = keyof typeof exchangeEnds

export class ExchangeError extends ProviderError {
  readonly end: ExchangeEnd

  /** Only the failure's code is kept: undici's parser errors carry the bytes they choked on, and those may be KYC data. */
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

type Exchange = ReturnType<typeof openExchange>

/** Opens exchanges of bytes within a deadline. Beyond undici they tell whether the request had left when they failed. */
export function openExchange(origin: string, connectTimeout: number) {
  // Made by the first call, so that a process which asks nothing opens nothing.
  let pool: Pool | undefined
  let closed: Promise<void> | undefined
  return {
    async send(request: HttpRequest, deadline: AbortSignal): Promise<HttpAnswer> {
      if (closed) throw new ExchangeError('not_sent', new Error('closed'))
      pool ??= new Pool(origin, {
        connections: connectionsMax,
        // One request on a connection at a time: a cut then concerns one call only.
        pipelining: 1,
        allowH2: false,
        connectTimeout,
        keepAliveTimeout: keepAliveMs,
        // The deadline of the call is the only clock after connecting.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      return await send(pool, request, deadline)
    },
    /** Lets calls under way finish (each is bounded by its deadline), then closes the connections. */
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
  // The first failure is the truth; aborting makes undici report a second one.
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
    // Called just before the request is written to a connected socket, so before it nothing has left.
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
        fail(isSuccess(head?.status ?? 0) ? 'oversized' : 'malformed', new Error('answer too large'))
      else chunks.push(chunk)
    },
    onResponseEnd() {
      if (head) resolve({ ...head, body: Buffer.concat(chunks).toString('utf8') })
      else fail('malformed', new Error('answer without head'))
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
