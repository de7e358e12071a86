// One call of the provider: headers and keys, the deadline, the one repeat after a cut connection, and every failure as a
// `ProviderError`. What is asked and what the answer means is told by `client.ts`.

import { setTimeout as delay } from 'node:timers/promises'
import { upstreamDuration } from '../platform/observe/metrics.ts'
import { type Facts, traced } from '../platform/observe/traces.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { version } from '../platform/version.ts'
import { type Exchange, ExchangeError, type HttpAnswer, type HttpMethod, type HttpRequest } from './exchange.ts'
import { type Provider, ProviderError, type Write } from './port.ts'
import { errorOfAnswer, errorOfExchange, isStateConflict } from './wire/errors.ts'
import { parseJson, WireError } from './wire/fields.ts'

/** What a logger must offer. Facts are names, statuses and durations, never ids, bodies or addresses. */
export type ProviderLog = {
  debug(facts: Record<string, unknown>, message: string): void
  warn(facts: Record<string, unknown>, message: string): void
}

export type Call<T> = {
  /** The port's name of the operation, for the log. */
  operation: keyof Provider
  method: HttpMethod
  /** Built by `path`, so encoded already. */
  path: string
  query?: Record<string, string | number | undefined>
  body?: JsonObject
  /** Present on every POST and on nothing else: the provider refuses the key elsewhere. */
  write?: Write
  /** Sent once more, under its key and within its deadline, when the connection dies. A read always is. */
  isRepeatedWhenCut?: true
  /**
   * `answeredAt` is the answer's `Date`: the provider's clock, which its events use too. `text` is the body before it
   * was parsed.
   */
  read: (body: unknown, answeredAt: string | null, text: string) => T
}

export type Caller = <T>(call: Call<T>) => Promise<T>

export type CallerOptions = {
  basePath: string
  apiKey: string
  timeoutMs: number
  /** Of operations that take longer, or less. */
  timeoutsMs: Partial<Record<keyof Provider, number>>
  log: ProviderLog | undefined
}

// A caller that comes when so many are under way is told at once, instead of queueing behind a provider that hangs.
const callsUnderWayMax = 1_000

export function createCaller(exchange: Exchange, options: CallerOptions): Caller {
  let underWay = 0
  return async (call) => {
    const startedAt = performance.now()
    const measure = (outcome: string) =>
      upstreamDuration.observe({ operation: call.operation, outcome }, (performance.now() - startedAt) / 1000)
    if (underWay >= callsUnderWayMax) throw new ProviderError('unreachable', { cause: new Error('too many calls') })
    underWay += 1
    try {
      const facts: Facts = { operation: call.operation, method: call.method }
      const answer = await traced('upstream', facts, async () => {
        const deadline = AbortSignal.timeout(options.timeoutsMs[call.operation] ?? options.timeoutMs)
        const request = requestOf(call, options)
        const triesMax = call.method === 'GET' || call.isRepeatedWhenCut ? 2 : 1
        const told = await sendUntilSettled(() => sendWhileCut(exchange, request, deadline, triesMax), deadline)
        facts['status'] = told.status
        return told
      })
      const result = readAnswer(answer, call.read)
      measure('ok')
      options.log?.debug(factsOf(call, startedAt, { status: answer.status }), 'provider call')
      return result
    } catch (error) {
      const failure = error instanceof ExchangeError ? errorOfExchange(error) : error
      if (failure instanceof ProviderError) {
        const { kind, status, code } = failure
        measure(kind)
        options.log?.warn(factsOf(call, startedAt, { kind, status, code }), 'provider call failed')
      }
      throw failure
    } finally {
      underWay -= 1
    }
  }
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

function requestOf<T>(call: Call<T>, options: CallerOptions): HttpRequest {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value))
  return {
    method: call.method,
    path: `${options.basePath}${call.path}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      'api-key': options.apiKey,
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
