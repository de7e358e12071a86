// Sends all requests of the package: build, attempt, retry, parse. No other file calls fetch.

import { ConnectionError } from './connection-error.ts'
import { AbortedError, ApiError, apiErrorOf, type ResponseFacts, TimeoutError } from './errors.ts'
import type { CausewayOptions, WriteOptions } from './options.ts'
import type { WithResponse } from './response.ts'
import { retryDelayMs } from './retry.ts'
import { currentTimeMs, drawFraction, drawId, sleep, startDeadline, userAgent } from './runtime.ts'
import { checkedBaseUrl, filledPath, queryText } from './url.ts'

export interface RequestDescription {
  readonly method: string
  /** With `{name}` for each member of `params`. */
  readonly path: string
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: object | undefined
  /** JSON, or a form with files. */
  readonly body?: unknown
  /** True if the operation accepts an `Idempotency-Key`. */
  readonly keyed: boolean
  /** Requests CSV, which is returned unchanged. */
  readonly asCsv?: boolean | undefined
}

/** A success: the `data` of the body, facts of the response, and the cursor of the next page. */
export interface Answer extends WithResponse<unknown> {
  readonly nextCursor: string | null
}

interface Attempt {
  readonly url: string
  readonly init: RequestInit
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

const csvMediaType = 'text/csv'
const defaults = { timeoutMs: 60_000, retriesMax: 2, backoffMs: 500 }

export class Transport {
  readonly #baseUrl: string
  readonly #authorization: string | null
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly #settings: { timeoutMs: number; retriesMax: number; backoffMs: number }

  /** @throws TypeError for an invalid `baseUrl` or `apiKey` */
  constructor({ baseUrl, apiKey, fetch, ...settings }: CausewayOptions) {
    this.#baseUrl = checkedBaseUrl(baseUrl)
    this.#authorization = apiKey === null ? null : `Bearer ${checkedApiKey(apiKey)}`
    this.fetch = fetch ?? ((url, init) => globalThis.fetch(url, init))
    this.#settings = { ...defaults, ...withoutUndefined(settings) }
  }

  /** The URL of a path of this deployment. */
  urlOf(path: string): string {
    return this.#baseUrl + path
  }

  /**
   * Sends a request, and retries temporary failures. All attempts have the same body and the same key.
   * @throws ApiError, ConnectionError, TimeoutError, AbortedError; TypeError for an invalid parameter or key
   */
  async send(request: RequestDescription, options: WriteOptions = {}): Promise<Answer> {
    const { timeoutMs, retriesMax, backoffMs } = { ...this.#settings, ...withoutUndefined(options) }
    const { signal, idempotencyKey } = options
    const key = request.keyed ? checkedKey(idempotencyKey ?? drawId()) : null
    const attempt: Attempt = { ...this.#build(request, key), timeoutMs, signal }
    const isRepeatable = request.method === 'GET' || request.keyed
    for (let retries = 0; ; retries++) {
      try {
        return await this.#attempt(attempt)
      } catch (failure) {
        const state = { retries, retriesMax, backoffMs, isRepeatable, fraction: drawFraction() }
        const delayMs = retryDelayMs(failure, state)
        if (delayMs === null) throw failure
        await sleep(delayMs, signal)
      }
    }
  }

  #build(request: RequestDescription, key: string | null): Pick<Attempt, 'url' | 'init'> {
    const { method, path, params, query, body, asCsv } = request
    const headers: Record<string, string> = { accept: asCsv ? csvMediaType : 'application/json' }
    if (this.#authorization !== null) headers['authorization'] = this.#authorization
    if (key !== null) headers['idempotency-key'] = key
    const agent = userAgent()
    if (agent !== null) headers['user-agent'] = agent
    const isForm = body instanceof FormData // fetch adds the boundary
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json'
    const payload = body === undefined ? null : isForm ? body : JSON.stringify(body)
    // A redirect could turn a POST into a GET, or send identity data elsewhere, so it counts as an unexpected response.
    const init: RequestInit = { method, headers, body: payload, redirect: 'manual' }
    return { url: this.urlOf(filledPath(path, params)) + queryText(query), init }
  }

  async #attempt({ url, init, timeoutMs, signal }: Attempt): Promise<Answer> {
    const deadline = startDeadline(timeoutMs, signal)
    try {
      signal?.throwIfAborted()
      const response = await this.fetch(url, { ...init, signal: deadline.signal })
      const isCsv = response.headers.get('content-type')?.startsWith(csvMediaType) === true
      const text = await response.text()
      return parse(response, isCsv ? { data: text } : parseJson(text))
    } catch (failure) {
      if (failure instanceof ApiError) throw failure
      if (signal?.aborted) throw new AbortedError(signal.reason)
      throw deadline.isOver() ? new TimeoutError(timeoutMs) : new ConnectionError(failure)
    } finally {
      deadline.end()
    }
  }
}

function parse(response: Response, parsed: unknown): Answer {
  const facts = factsOf(response)
  const body = parsed as { data?: unknown } | null | undefined
  const isSuccess = facts.status >= 200 && facts.status < 300 && body?.data !== undefined
  if (!isSuccess) throw apiErrorOf(facts, body)
  const { status, requestId, nextCursor } = facts
  return { data: body.data, status, requestId, headers: response.headers, nextCursor }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function factsOf({ status, headers }: Response): ResponseFacts {
  return {
    status,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMsOf(headers.get('retry-after')),
    nextCursor: nextCursorOf(headers.get('link')),
  }
}

/** RFC 9110: seconds or a date. */
function retryAfterMsOf(text: string | null): number | null {
  if (text === null) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - currentTimeMs()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** RFC 8288. Only the cursor is used: behind a proxy, the URL can have another host. */
function nextCursorOf(link: string | null): string | null {
  const [, address = ''] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? []
  const query = new URLSearchParams(address.slice(address.indexOf('?') + 1))
  return query.get('cursor') ?? query.get('after')
}

function checkedApiKey(apiKey: string): string {
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey must be a string without white space: is the environment variable set?')
}

/** Checks the rules of the API and of HTTP headers, because fetch would report an invalid header as a failed connection. */
function checkedKey(key: string): string {
  if (typeof key === 'string' && /^[!-~]([ -~]{0,253}[!-~])?$/.test(key)) return key
  throw new TypeError('idempotencyKey must have 1 to 255 printable ASCII characters.')
}

function withoutUndefined<T extends object>(given: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> }
}
