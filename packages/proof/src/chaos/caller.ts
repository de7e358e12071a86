// A caller as the documentation wants it: an Idempotency-Key on every write, the same request again, at another replica,
// when there was no answer or one that says "retry". Each final answer, and each that may not be, is noted.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../../../server/src/platform/values/json.ts'
import { request } from '../../../server/test/caller.ts'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import type { ChaosBusiness } from './world.ts'

/** Answers that end a request. `data` of a success; the code of a refusal. */
export type Final =
  | { ok: true; data: JsonObject; link: string | null; tries: number }
  | { ok: false; status: number; code: string; tries: number }

export type Tally = {
  acknowledged: number
  /** By status and code. */
  repeated: Map<string, number>
  violations: string[]
  /** Told of each answer, those that are repeated among them. */
  hear?: (answer: Heard) => void
}

/** One answer, or none (`status` null: refused, reset, or not in time). */
export type Heard = {
  what: 'event' | 'write' | 'read'
  /** Method and path of an API call. */
  call?: string
  /** Milliseconds since 1970, of its end. */
  atMs: number
  tookMs: number
  status: number | null
  code: string | null
  hasRetryAfter: boolean
  isRetryable: boolean
}

export type Caller = {
  get(path: string): Promise<Final>
  /** @param twice sends it to two replicas at once, as an impatient caller does */
  write(method: 'POST' | 'PATCH', path: string, body?: object, twice?: boolean): Promise<Final>
}

/** The wait was given up, since the run is over and everything has been healed for long. */
export class Stuck extends Error {}

const answerMsDefault = 8_000
const retryMs = { min: 50, max: 1_000 }

/**
 * @param patience ends all waits
 * @param answerMsMax how long one answer may take
 */
export function callerOf(
  business: ChaosBusiness,
  baseUrl: () => string,
  tally: Tally,
  patience: AbortSignal,
  answerMsMax = answerMsDefault,
): Caller {
  /** @returns a final answer, or how long to wait for the next try, in milliseconds */
  const once = async (wish: Wish, tries: number): Promise<Final | number> => {
    const { method, path, key, body } = wish
    const headers = { authorization: `Bearer ${business.apiKey}`, ...(key === null ? {} : { 'idempotency-key': key }) }
    const base = baseUrl()
    const beganAt = performance.now()
    const answer = await withDeadline(request(method, `${base}${path}`, body, { headers }), answerMsMax).catch(
      () => null,
    )
    tally.hear?.({ ...heardOf(key === null ? 'read' : 'write', beganAt, answer), call: `${method} ${path}` })
    if (answer === null) {
      note(wish, `none from ${new URL(base).port}`)
      return retryMs.min
    }
    if (answer.status === 200) {
      if (key !== null) tally.acknowledged += 1
      return { ok: true, data: answer.body.data, link: answer.headers.get('link'), tries }
    }
    const code = String(answer.body?.error?.code)
    const told = `${answer.status} ${code}`
    const retryAfter = answer.headers.get('retry-after')
    note(wish, `${told} (${answer.headers.get('x-request-id')} from ${new URL(base).port})`)
    const isHonest = answer.status < 500 || ((answer.status === 503 || answer.status === 504) && retryAfter !== null)
    if (!isHonest)
      tally.violations.push(`${method} ${path} was answered ${wish.told.at(-1)}, Retry-After: ${retryAfter}`)
    if (answer.status < 500 && !answer.body?.error?.retryable) return { ok: false, status: answer.status, code, tries }
    tally.repeated.set(told, (tally.repeated.get(told) ?? 0) + 1)
    return Math.min(Math.max(Number(retryAfter ?? 0) * 1_000, retryMs.min), retryMs.max)
  }

  const untilFinal = async (wish: Wish, twice: boolean): Promise<Final> => {
    for (let tries = 1; !patience.aborted; tries++) {
      const both = await Promise.all(Array.from({ length: twice ? 2 : 1 }, () => once(wish, twice ? 2 : tries)))
      const [one, other] = both.filter((answer) => typeof answer === 'object')
      if (one?.ok && other?.ok && JSON.stringify(one.data) !== JSON.stringify(other.data))
        tally.violations.push(`two racers with key ${wish.key} got ${JSON.stringify([one.data, other.data])}`)
      const final = other?.ok ? other : one
      if (final) return final
      await delay(Math.min(...both.filter((answer) => typeof answer === 'number')))
    }
    const { method, path, key, told } = wish
    throw new Stuck(`${method} ${path} with key ${key} got no final answer; the last were ${told.join(', ')}`)
  }
  return {
    get: (path) => untilFinal({ method: 'GET', path, key: null, told: [] }, false),
    write: (method, path, body, twice = false) =>
      untilFinal({ method, path, key: randomUUID(), ...(body ? { body } : {}), told: [] }, twice),
  }
}

export function heardOf(
  what: Heard['what'],
  beganAt: number,
  answer: {
    status: number
    headers: Headers
    body: { error?: { code?: string; retryable?: boolean } } | undefined
  } | null,
): Heard {
  return {
    what,
    atMs: Date.now(),
    tookMs: Math.round(performance.now() - beganAt),
    status: answer?.status ?? null,
    code: answer?.body?.error?.code ?? null,
    hasRetryAfter: answer?.headers.has('retry-after') ?? false,
    isRetryable: answer?.body?.error?.retryable === true,
  }
}

/** One request, its repeats included. */
type Wish = { method: string; path: string; key: string | null; body?: object; told: string[] }

const toldMax = 12

function note({ told }: Wish, text: string): void {
  told.push(`${timeOfDay(Date.now())} ${text}`)
  if (told.length > toldMax) told.shift()
}

/** The fixture's request has no deadline. A later answer is not read. */
async function withDeadline<T>(work: Promise<T>, limitMs: number): Promise<T | null> {
  const timer = new AbortController()
  const late = delay(limitMs, null, { signal: timer.signal }).catch(() => null)
  try {
    return await Promise.race([work, late])
  } finally {
    timer.abort()
    work.catch(() => {})
  }
}

/** Every row of a list, by its pages. */
export async function readAll(caller: Caller, path: string): Promise<JsonObject[]> {
  const rows: JsonObject[] = []
  for (let next: string | null = `${path}?limit=100`; next !== null; ) {
    const page: Final = await caller.get(next)
    if (!page.ok) throw new Error(`${next} was answered ${page.status} ${page.code}`)
    rows.push(...(page.data as unknown as JsonObject[]))
    next = page.link === null ? null : (pathOf(page.link) ?? null)
  }
  return rows
}

/** Without its host: the next page may come from another replica. */
export function pathOf(link: string): string | undefined {
  const url = /<([^>]+)>; rel="next"/.exec(link)?.[1]
  if (url === undefined) return undefined
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
