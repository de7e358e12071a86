// One call of the provider: headers and keys, the deadline, the one repeat after a cut connection, and every failure as a
// `ProviderError`. What is asked and what the answer means is told by `client.ts`.

import { setTimeout as delay } from 'node:timers/promises'
import { upstreamDuration } from '../platform/observe/metrics.ts'
import { type Facts, traced } from '../platform/observe/traces.ts'
import type { Json } from '../platform/values/json.ts'
import { version } from '../platform/version.ts'
import {
  type Exchange,
  ExchangeError,
  type HttpAnswer,
  type HttpMethod,
  type HttpRequest,
  openExchange,
} from './exchange.ts'
import { type Provider, ProviderError, type SandboxControl, type Write } from './port.ts'
import { errorOfAnswer, errorOfExchange, isStateConflict } from './wire/errors.ts'
import { parseJson, WireError } from './wire/fields.ts'

/** A member that is undefined is not sent. */
export type Body = { [member: string]: Json | Body | undefined }

export type Call<T> = {
  /** The port's name of the operation, for the log. */
  operation: keyof Provider | keyof SandboxControl
  method: HttpMethod
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
  log?: Record<'debug' | 'warn', (facts: Record<string, unknown>, message: string) => void>
}

export type Caller = { call: <T>(call: Call<T>) => Promise<T>; close: Exchange['close'] }

// With so many calls under way another one fails at once, instead of queueing behind a provider that hangs.
const callsUnderWayMax = 1_000

/** Makes a caller; a connection is opened by the first call. */
export function createCaller({ baseUrl, apiKey, timeoutMs = 10_000, connectTimeoutMs, log }: CallerOptions): Caller {
  const base = new URL(baseUrl)
  const exchange = openExchange(base.origin, { connectTimeoutMs: connectTimeoutMs ?? 3_000 })
  let underWay = 0
  const call: Caller['call'] = async (call) => {
    const startedAt = performance.now()
    const measure = (outcome: string) =>
      upstreamDuration.observe({ operation: call.operation, outcome }, (performance.now() - startedAt) / 1000)
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
      const result = readAnswer(answer, call.read)
      measure('ok')
      log?.debug(factsOf(call, startedAt, { status: answer.status }), 'provider call')
      return result
    } catch (error) {
      const failure = error instanceof ExchangeError ? errorOfExchange(error) : error
      if (failure instanceof ProviderError) {
        const { kind, status, code } = failure
        measure(kind)
        log?.warn(factsOf(call, startedAt, { kind, status, code }), 'provider call failed')
      }
      throw failure
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
async function sendWhileCut(
  exchange: Exchange,
  request: HttpRequest,
  deadline: AbortSignal,
  triesMax: number,
): Promise<HttpAnswer> {
  for (let tries = 1; ; tries++) {
    try {
      return await exchange.send(request, deadline)
    } catch (error) {
      const isCut = error instanceof ExchangeError && error.end === 'cut'
      if (!isCut || tries === triesMax) throw error
    }
  }
}

function readAnswer<T>(answer: HttpAnswer, read: Call<T>['read']): T {
  if (answer.status < 200 || answer.status > 299) throw errorOfAnswer(answer)
  try {
    return read(parseJson(answer.body), answer.headers.date ?? null, answer.body)
  } catch (error) {
    // Done upstream for all we know, yet not told in a way we can use: only a repeat or a read can tell.
    if (error instanceof WireError) throw new ProviderError('unavailable', { status: answer.status, cause: error })
    throw error
  }
}

function factsOf<T>(call: Call<T>, startedAt: number, outcome: Record<string, unknown>): Record<string, unknown> {
  const durationMs = Math.round(performance.now() - startedAt)
  return { operation: call.operation, method: call.method, ...outcome, durationMs }
}
