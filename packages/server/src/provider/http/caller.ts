// One call to the provider: headers and keys, the deadline, bounded bytes, one retry after a cut connection, and every
// failure as a `ProviderError`. An adapter defines the request and reads the response.

import { setTimeout as delay } from 'node:timers/promises'
import { upstreamDuration, upstreamLastCall, upstreamUnreadable } from '../../platform/observe/metrics.ts'
import { type Facts, traced } from '../../platform/observe/traces.ts'
import type { Json } from '../../platform/values/json.ts'
import { version } from '../../platform/version.ts'
import { ProviderError, type Write } from '../port.ts'
import { type Exchange, ExchangeError, type HttpRequest, openExchange } from './exchange.ts'
import { type HttpAnswer, isSuccess } from './failures.ts'
import { idWithin, parseJson, WireError } from './fields.ts'

/** A member that is undefined is not sent. */
export type Body = { [member: string]: Json | Body | undefined }

export type Call<T> = {
  /** For the log. */
  operation: string
  method: HttpRequest['method']
  /** Created by `path`, so already encoded. */
  path: string
  query?: Record<string, string | number | undefined>
  body?: Body
  /** Present on every POST to the provider and on nothing else: the provider refuses the key elsewhere. */
  write?: Write
  /** For a call that takes longer than the others. */
  timeoutMs?: number | undefined
  /** Sent once more, under its key and within its deadline, if the connection breaks. A GET always is. */
  isRepeatedWhenCut?: true
  /**
   * Reads the parsed body. `answeredAt` is the response's `Date`: the provider's clock. `text` is the body before it
   * was parsed.
   */
  read: (body: unknown, answeredAt: string | null, text: string) => T
}

/** The format of one provider's calls, and the meaning of its failures. */
export type Wire = {
  /** In addition to the common headers: our key, and the key of a write. */
  headersOf(write: Write | undefined): Record<string, string>
  /** Creates the error for a response without success. */
  errorOf(answer: HttpAnswer): ProviderError
  /** True if the provider is still working on the object and the same request must be retried, under the same key. */
  isBusy?(answer: HttpAnswer): boolean
}

export type CallerOptions = {
  baseUrl: string
  /** For the whole call: waiting for a connection, the request, the response's last byte and, for a GET, its retry. */
  timeoutMs?: number
  connectTimeoutMs?: number
  /** Facts are names, statuses and durations, never ids, bodies or addresses. */
  log?: Record<'debug' | 'warn' | 'error', (facts: Record<string, unknown>, message: string) => void>
}

// Beyond this number, a call fails at once instead of queueing behind a provider that hangs.
const callsUnderWayMax = 1_000

/** Creates a caller. The first call opens a connection. */
export function createCaller(
  wire: Wire,
  { baseUrl, timeoutMs = 10_000, connectTimeoutMs = 3_000, log }: CallerOptions,
) {
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
        const request = requestOf(call, base.pathname.replace(/\/+$/, ''), wire.headersOf(call.write))
        const triesMax = call.method === 'GET' || call.isRepeatedWhenCut ? 2 : 1
        const send = () => sendWhileCut(exchange, request, deadline, triesMax)
        const answer = await sendUntilSettled(send, wire.isBusy, deadline)
        facts['status'] = answer.status
        return answer
      })
      const result = readAnswer(answer, call, wire)
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

/** Path with each value percent-encoded. Refuses a value that would name another resource. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  const encoded = values.map((value) => {
    if (value === '' || value === '.' || value === '..')
      throw new ProviderError('rejected', { cause: new Error('not an id') })
    return encodeURIComponent(value)
  })
  return String.raw({ raw: parts }, ...encoded)
}

function requestOf<T>(call: Call<T>, basePath: string, own: Record<string, string>): HttpRequest {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value))
  return {
    method: call.method,
    path: `${basePath}${call.path}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      accept: 'application/json',
      'user-agent': `Causeway/${version}`,
      ...(call.body && { 'content-type': 'application/json' }),
      ...own,
    },
    body: call.body ? JSON.stringify(call.body) : null,
  }
}

// Half a second, one and two: longer than the provider's other work on an object takes, and well within a call's
// deadline.
const conflictDelaysMs = [500, 1_000, 2_000]

async function sendUntilSettled(
  send: () => Promise<HttpAnswer>,
  isBusy: Wire['isBusy'],
  deadline: AbortSignal,
): Promise<HttpAnswer> {
  for (const delayMs of conflictDelaysMs) {
    const answer = await send()
    if (!isBusy?.(answer)) return answer
    const isOver = await delay(delayMs, false, { signal: deadline }).catch(() => true)
    if (isOver) return answer
  }
  return await send()
}

/** A kept-alive connection may break during a request. All tries share one deadline. */
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

function readAnswer<T>({ status, headers, body: text }: HttpAnswer, { method, read }: Call<T>, wire: Wire): T {
  if (!isSuccess(status)) throw wire.errorOf({ status, headers, body: text })
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

function factsOf<T>(call: Call<T>, startedAt: number, outcome: Record<string, unknown>): Record<string, unknown> {
  const durationMs = Math.round(performance.now() - startedAt)
  return { operation: call.operation, method: call.method, ...outcome, durationMs }
}
