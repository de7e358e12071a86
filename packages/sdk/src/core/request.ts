// The one way a request goes: build, attempt, decide, parse. Nothing else of the package calls fetch.

import { ConnectionError } from './connection-error.ts'
import { AbortedError, type AnswerFacts, ApiError, apiErrorOf, TimeoutError } from './errors.ts'
import type { CausewayOptions, WriteOptions } from './options.ts'
import { retryDelayMs } from './retry.ts'
import { currentTimeMs, drawFraction, drawId, sleep } from './runtime.ts'

export interface RequestDescription {
  readonly method: string
  /** With `{name}` for each member of `params`. */
  readonly path: string
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: object | undefined
  /** JSON, or a form with files. */
  readonly body?: unknown
  /** Whether the operation takes an `Idempotency-Key`. */
  readonly keyed: boolean
  /** Asks for CSV, which is handed out as it came. */
  readonly asCsv?: boolean | undefined
}

/** A success: the `data` of the body, and where the next page begins. */
export interface Answer {
  readonly data: unknown
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

  /** @throws TypeError for a `baseUrl` or an `apiKey` that no request can be made with */
  constructor({ baseUrl, apiKey, fetch, ...settings }: CausewayOptions) {
    this.#baseUrl = checkedBaseUrl(baseUrl)
    this.#authorization = apiKey === null ? null : `Bearer ${checkedApiKey(apiKey)}`
    this.fetch = fetch ?? ((url, init) => globalThis.fetch(url, init))
    this.#settings = { ...defaults, ...withoutUndefined(settings) }
  }

  /** The address of a path of this deployment. */
  urlOf(path: string): string {
    return this.#baseUrl + path
  }

  /**
   * Sends a request, and repeats it while that may help. All attempts carry the same body and the same key.
   * @throws ApiError, ConnectionError, TimeoutError, AbortedError; TypeError for a parameter that no path can carry
   */
  async send(request: RequestDescription, options: WriteOptions = {}): Promise<Answer> {
    const { timeoutMs, retriesMax, backoffMs } = { ...this.#settings, ...withoutUndefined(options) }
    const { signal, idempotencyKey } = options
    const key = request.keyed ? (idempotencyKey ?? drawId()) : null
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
    const isForm = body instanceof FormData // fetch names the boundary by itself
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json'
    const payload = body === undefined ? null : isForm ? body : JSON.stringify(body)
    // A redirect would turn a POST into a GET, or carry identity data elsewhere: it is an answer that was not expected.
    const init: RequestInit = { method, headers, body: payload, redirect: 'manual' }
    return { url: this.urlOf(filledPath(path, params)) + queryText(query), init }
  }

  async #attempt({ url, init, timeoutMs, signal }: Attempt): Promise<Answer> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      signal?.throwIfAborted()
      const joined = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      const response = await this.fetch(url, { ...init, signal: joined })
      const isCsv = response.headers.get('content-type')?.startsWith(csvMediaType) === true
      const text = await response.text()
      return parse(factsOf(response), isCsv ? { data: text } : parseJson(text))
    } catch (failure) {
      if (failure instanceof ApiError) throw failure
      if (signal?.aborted) throw new AbortedError(signal.reason)
      throw timeout.aborted ? new TimeoutError(timeoutMs) : new ConnectionError(failure)
    }
  }
}

function parse(facts: AnswerFacts, parsed: unknown): Answer {
  const body = parsed as { data?: unknown } | null | undefined
  const isSuccess = facts.status >= 200 && facts.status < 300 && body?.data !== undefined
  if (!isSuccess) throw apiErrorOf(facts, body)
  return { data: body.data, nextCursor: facts.nextCursor }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function factsOf({ status, headers }: Response): AnswerFacts {
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

/** RFC 8288. The address itself is not followed: behind a proxy it may have another host. */
function nextCursorOf(link: string | null): string | null {
  const [, address = ''] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? []
  const query = new URLSearchParams(address.slice(address.indexOf('?') + 1))
  return query.get('cursor') ?? query.get('after')
}

/** @throws TypeError: an empty or dotted segment would name another path */
function filledPath(path: string, params: RequestDescription['params']): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params?.[name]
    if (typeof value !== 'string' || ['', '.', '..'].includes(value))
      throw new TypeError(`${name} must be a string that is neither empty nor "." nor "..".`)
    return encodeURIComponent(value)
  })
}

/** A member that is undefined is not sent; one that is an object becomes `name[key]=value` for each of its members. */
function queryText(query: object | undefined): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue
    if (typeof value !== 'object') pairs.append(name, String(value))
    else if (Array.isArray(value)) for (const item of value) pairs.append(name, String(item))
    else for (const [key, item] of Object.entries(value)) pairs.append(`${name}[${key}]`, String(item))
  }
  const text = pairs.toString()
  return text === '' ? '' : `?${text}`
}

function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl must be an absolute http or https address, such as https://causeway.example.com.')
  return url.href.replace(/\/+$/, '')
}

function checkedApiKey(apiKey: string): string {
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey must be a string without white space: is the environment variable set?')
}

function withoutUndefined<T extends object>(given: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> }
}
