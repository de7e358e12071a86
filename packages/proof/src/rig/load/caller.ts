// A caller as the documentation wants it: an Idempotency-Key on every write, and the same request again, at another replica, when
// there was no response or one that says "retry". Each response is noted.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Notes } from '../ledger.ts'
import { count } from '../ledger.ts'
import { type Row, timeOfDay } from '../verdict/observed.ts'
import type { Business, Call, Sent } from '../world.ts'

/** Responses that end a request. `data` of a success; the code of a refusal. */
export type Final =
  | { ok: true; data: Row; link: string | null; tries: number }
  | { ok: false; status: number; code: string; link: string | null; tries: number }

export type Caller = {
  get(path: string): Promise<Final>
  write(method: 'POST' | 'PATCH', path: string, body?: object, how?: How): Promise<Final>
}

/** `racing`: to two replicas at once, as an impatient caller does. `again`: once more after its success. */
export type How = 'once' | 'racing' | 'again'

/** A write that may be repeated under its key for as long as the run lasts. */
export type Kept = { call: Call; key: string }

export type CallerParts = {
  send(call: Call, limitMs: number): Promise<Sent>
  notes: Notes
  /** Ends all waits. */
  patience: AbortSignal
  answerMsMax: number
  /** Gets each write that was acknowledged. */
  keep?: (kept: Kept) => void
}

/** The wait for a response was given up: the run is over, and everything was healed long ago. */
export class Stuck extends Error {}

const retryMs = { min: 50, max: 1_000 }
const heardMax = 12

export function callerOf(business: Pick<Business, 'apiKey'>, parts: CallerParts): Caller {
  const authorization = `Bearer ${business.apiKey}`
  const wishOf = (method: string, path: string, key: string | null, body?: object): Wish => {
    const headers = {
      authorization,
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const call: Call = { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return { call, key, heard: [] }
  }
  return {
    get: (path) => untilFinal(parts, wishOf('GET', path, null), false),
    async write(method, path, body, how = 'once') {
      const key = randomUUID()
      const wish = wishOf(method, path, key, body)
      const final = await untilFinal(parts, wish, how === 'racing')
      if (!final.ok) return final
      parts.keep?.({ call: wish.call, key })
      if (how === 'again') {
        const again = await untilFinal(parts, wish, false)
        if (!again.ok) complain(parts.notes, `a repeat with key ${key} was answered ${again.status} ${again.code}`)
      }
      return final
    },
  }
}

/** One request, its repeats included. */
type Wish = { call: Call; key: string | null; heard: string[] }

async function untilFinal(parts: CallerParts, wish: Wish, racing: boolean): Promise<Final> {
  for (let tries = 1; !parts.patience.aborted; tries++) {
    const both = await Promise.all(Array.from({ length: racing ? 2 : 1 }, () => once(parts, wish, racing ? 2 : tries)))
    const finals = both.filter((answer) => typeof answer === 'object')
    const final = finals.find(({ ok }) => ok) ?? finals[0]
    if (final) return final
    await delay(Math.min(...both.filter((answer) => typeof answer === 'number')))
  }
  const { call, key, heard } = wish
  throw new Stuck(
    `${call.method} ${call.path} with key ${key} got no final response; the last were ${heard.join(', ')}`,
  )
}

/** @returns a final response, or how long to wait for the next try, in milliseconds */
async function once({ send, notes, answerMsMax }: CallerParts, wish: Wish, tries: number): Promise<Final | number> {
  const { call, key } = wish
  const sent = await noted(key === null ? 'read' : 'write', call, notes, () => send(call, answerMsMax))
  const { status, headers, replica } = sent
  const body = parsed(sent.text)
  if (status === 200) {
    if (key !== null) notes.acknowledged.push({ kind: 'repeat', key, body: JSON.stringify(body?.data) })
    return { ok: true, data: body?.data ?? {}, link: headers['link'] ?? null, tries }
  }
  const code = String(body?.error?.code)
  wish.heard.push(`${timeOfDay(Date.now())} ${status ?? 'none'} ${code} (${headers['x-request-id']} from ${replica})`)
  if (wish.heard.length > heardMax) wish.heard.shift()
  if (status !== null && status < 500 && !body?.error?.retryable)
    return { ok: false, status, code, link: headers['link'] ?? null, tries }
  return Math.min(Math.max(Number(headers['retry-after'] ?? 0) * 1_000, retryMs.min), retryMs.max)
}

/** Sends, and notes the response. */
export async function noted(
  what: Answer['what'],
  { method, path }: Pick<Call, 'method' | 'path'>,
  notes: Notes,
  send: () => Promise<Sent>,
): Promise<Sent> {
  const beganAt = performance.now()
  const sent = await send()
  const error = parsed(sent.text)?.error
  notes.answers.push({
    what,
    call: `${method} ${path}`,
    replica: sent.replica,
    atMs: Date.now(),
    tookMs: Math.round(performance.now() - beganAt),
    status: sent.status,
    code: error?.code ?? null,
    hasRetryAfter: sent.headers['retry-after'] !== undefined,
    isRetryable: error?.retryable === true,
  })
  if (sent.tries > 1) count(notes, 'retried by the balancer', sent.tries - 1)
  return sent
}

export function complain({ complaints }: Notes, text: string, kind: 'broken' | 'stuck' = 'broken'): void {
  complaints.push({ kind, text })
}

type Body = { data?: Row; error?: { code?: string; retryable?: boolean } }

function parsed(text: string): Body | null {
  try {
    return JSON.parse(text) as Body | null
  } catch {
    return null
  }
}

/** Every row of a list, by its pages. */
export async function readAll(caller: Caller, path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let next: string | null = `${path}?limit=100`; next !== null; ) {
    const page: Final = await caller.get(next)
    if (!page.ok) throw new Error(`${next} was answered ${page.status} ${page.code}`)
    rows.push(...(page.data as unknown as Row[]))
    next = nextPath(page.link)
  }
  return rows
}

/** The next page without its host: it may come from another replica. */
export function nextPath(link: string | null): string | null {
  const url = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1]
  if (url === undefined) return null
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
