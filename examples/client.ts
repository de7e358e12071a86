// A small client of the API: one key, repeats that are safe, errors with a type, lists that go on by themselves.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Problem {
  readonly param: string
  readonly code: string
  readonly message: string
}

/** What the API says when it refuses. Decide by `status` and `code`: codes never change, messages may. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly retryable: boolean
  readonly details: readonly Problem[]
  readonly requestId: string

  constructor(status: number, error: ErrorBody['error']) {
    const problems = (error.details ?? []).map((problem) => `\n    ${problem.param}: ${problem.message}`).join('')
    super(`${status} ${error.code}: ${error.message} ${error.resolution} (${error.requestId})${problems}`)
    this.status = status
    this.code = error.code
    this.retryable = error.retryable
    this.details = error.details ?? []
    this.requestId = error.requestId
  }
}

interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly requestId: string
    readonly resolution: string
    readonly retryable: boolean
    readonly details?: readonly Problem[]
  }
}

export type Query = Readonly<Record<string, string | number | boolean>>

export interface WriteOptions {
  readonly query?: Query
  /** Name it after your own record, and a repeat after a crash makes nothing twice. Without one, each call has its own. */
  readonly idempotencyKey?: string
}

interface Page<T> {
  readonly data: T
  readonly link: string | null
}

const TRIES = 6
const TRY_TIMEOUT_MS = 30_000

export type Client = ReturnType<typeof createClient>

export function createClient({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  /** One request, repeated while that can help. All its repeats carry the same body and the same key. */
  async function send<T>(
    method: string,
    address: string | URL,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<Page<T>> {
    const headers = new Headers({ authorization: `Bearer ${apiKey}` })
    if (method !== 'GET') headers.set('idempotency-key', idempotencyKey ?? randomUUID())
    const isForm = body instanceof FormData // fetch names the boundary by itself
    if (body !== undefined && !isForm) headers.set('content-type', 'application/json')
    const payload = body === undefined ? null : isForm ? body : JSON.stringify(body)

    for (let attempt = 1; ; attempt++) {
      try {
        const signal = AbortSignal.timeout(TRY_TIMEOUT_MS)
        const answer = await fetch(address, { method, headers, body: payload, signal })
        if (answer.ok) {
          const { data } = (await answer.json()) as { data: T }
          return { data, link: answer.headers.get('link') }
        }
        const failure = await errorOf(answer)
        if (attempt === TRIES || !mayRepeat(failure)) throw failure
        await sleep(waitMs(attempt, answer.headers.get('retry-after')))
      } catch (problem) {
        if (problem instanceof ApiError || attempt === TRIES) throw problem
        await sleep(waitMs(attempt, null)) // no answer at all: the key makes it safe to ask again
      }
    }
  }

  function address(path: string, query: Query = {}): URL {
    const url = new URL(path, baseUrl)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url
  }

  return {
    async get<T>(path: string, query?: Query): Promise<T> {
      return (await send<T>('GET', address(path, query))).data
    },
    async post<T>(path: string, body?: unknown, { query, idempotencyKey }: WriteOptions = {}): Promise<T> {
      return (await send<T>('POST', address(path, query), body, idempotencyKey)).data
    },
    async patch<T>(path: string, body: unknown, { query, idempotencyKey }: WriteOptions = {}): Promise<T> {
      return (await send<T>('PATCH', address(path, query), body, idempotencyKey)).data
    },
    async delete<T>(path: string, { query, idempotencyKey }: WriteOptions = {}): Promise<T> {
      return (await send<T>('DELETE', address(path, query), undefined, idempotencyKey)).data
    },
    /** Every item of a list, newest first, page after page. */
    async *list<T>(path: string, query?: Query): AsyncGenerator<T> {
      let next: string | URL | undefined = address(path, query)
      while (next !== undefined) {
        const page: Page<T[]> = await send('GET', next)
        yield* page.data
        next = /<([^>]+)>; rel="next"/.exec(page.link ?? '')?.[1]
      }
    },
  }
}

async function errorOf(answer: Response): Promise<ApiError> {
  const text = await answer.text()
  try {
    return new ApiError(answer.status, (JSON.parse(text) as ErrorBody).error)
  } catch {
    // Not from the API, but from something on the way to it, such as a proxy.
    return new ApiError(answer.status, {
      code: 'not_from_the_api',
      message: text.slice(0, 200),
      requestId: answer.headers.get('x-request-id') ?? 'no request id',
      resolution: 'Look at what stands between you and the API.',
      retryable: answer.status >= 500,
    })
  }
}

const mayRepeat = ({ status, retryable }: ApiError) => retryable || status === 429 || status >= 500

/** As long as the answer asks for, else 0.25 s, 0.5 s, 1 s, … each cut by chance, so that callers do not come in step. */
function waitMs(attempt: number, retryAfter: string | null): number {
  if (retryAfter !== null) return Number(retryAfter) * 1000
  return 250 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
}
