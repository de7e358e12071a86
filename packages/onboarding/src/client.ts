// The requests of the page. The token lives in this object and nowhere else: not in storage, a cookie, or an address.

import type { KycRequirements } from '@causeway/sdk'
import { noteConnection } from './connection.ts'
import { upload } from './upload.ts'

export type NextAction = {
  kind: 'accept_tos' | 'submit_kyc' | 'resubmit_kyc' | 'open_link' | 'wait' | 'contact_support' | 'none'
  url?: string
  fields?: string[]
  associatedPersons?: { id: string; fields: string[] }[]
  expectedBy?: string
}

export type OpenError = { requirement: string; code: string; reason: string; resubmittable: boolean }

type Colors = { primary: string; onPrimary: string; background: string; text: string; scheme: 'light' | 'dark' }

/** Data that does not change while the page is open. */
export type Opening = {
  branding: {
    name: string
    logo: string | null
    colors: Colors
    /** For a browser that prefers dark pages. Null where the business has chosen the ground. */
    dark: Colors | null
    supportEmail: string | null
    privacyUrl: string | null
  }
  embedOrigins: string[]
  type: 'individual' | 'business'
  locale: string | null
  redirectUri: string | null
  isSandbox: boolean
}

export type PageState = {
  kycStatus: string
  isSubmitted: boolean
  nextAction: NextAction
  requirements: {
    currentlyDue: string[]
    errors: OpenError[]
    associatedPersons: { id: string; currentlyDue: string[]; errors: OpenError[] }[]
  }
  rejectionReasons: string[]
  now: string
  version: string
}

export type Problem = { param: string; code: string; message: string }

/** The server has rejected a request; `code` is from its catalog, or `offline` if no response came. */
export class Refused extends Error {
  readonly code: string
  readonly details: readonly Problem[]
  readonly requestId: string | null
  /** Whether the same request may succeed later. */
  readonly mayRepeat: boolean

  constructor(
    code: string,
    {
      details = [],
      requestId = null,
      mayRepeat = false,
    }: Partial<Pick<Refused, 'details' | 'requestId' | 'mayRepeat'>> = {},
  ) {
    super(code)
    this.code = code
    this.details = details
    this.requestId = requestId
    this.mayRepeat = mayRepeat
  }
}

/** Delays between retries of a request that got no response, or a response with `Retry-After`, in milliseconds. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000]

type Ask = {
  method?: 'GET' | 'POST'
  body?: unknown
  key?: string
  signal?: AbortSignal
  /** Called with the sent part of the body, 0 to 1. */
  onPart?: (part: number) => void
}

export class Client {
  /** Called when the page has ended: the link was opened elsewhere, revoked or is over. */
  onEnded: (refused: Refused) => void = () => {}
  readonly opening: Opening
  readonly #token: string
  /** The submission with an unknown outcome. The same data go under the same key, also when the end-user sends them again. */
  #unsettled: { text: string; key: string } | null = null

  private constructor(token: string, opening: Opening) {
    this.#token = token
    this.opening = opening
  }

  /** Opens the page of a link. @throws Refused `onboarding_link_invalid`, `…_expired`, `…_revoked` */
  static async open(code: string): Promise<Client> {
    if (code === '') throw new Refused('onboarding_link_invalid')
    const { token, ...opening } = await send<Opening & { token: string }>('/page', null, {
      method: 'POST',
      body: { code },
    })
    return new Client(token, opening)
  }

  state(): Promise<PageState> {
    return this.#ask('/state')
  }

  /** Resolves when the state has changed, or after a while. */
  nextState(known: string, signal: AbortSignal): Promise<PageState> {
    return this.#ask(`/state?known=${known}&wait=25`, { signal })
  }

  requirements(country: string, type: 'individual' | 'business'): Promise<KycRequirements> {
    return this.#ask(`/requirements?country=${country}&type=${type}`)
  }

  /** Lists the occupations that the provider knows, by its codes. */
  occupations(): Promise<{ code: string; name: string }[]> {
    return this.#ask('/occupations')
  }

  terms(): Promise<{ url: string; origin: string }> {
    return this.#ask('/terms', { method: 'POST', body: {} })
  }

  hosted(): Promise<{ url: string | null; people: { id: string; email: string | null }[] }> {
    return this.#ask('/hosted', { method: 'POST', body: {} })
  }

  /** Judges what was typed so far by the rules of the server. Nothing is sent on, and nothing is kept. */
  check(body: unknown, signal: AbortSignal | undefined): Promise<{ problems: Problem[] }> {
    return this.#ask('/submission?dryRun=true', { method: 'POST', body, ...(signal && { signal }) })
  }

  /**
   * Sends what was typed and the papers in one request, which is repeated as a whole. The server takes a submission with the
   * same key once.
   */
  async submit(body: unknown, onPart: (part: number) => void): Promise<void> {
    const text = JSON.stringify(body)
    if (this.#unsettled?.text !== text) this.#unsettled = { text, key: randomKey() }
    try {
      await this.#ask('/submission', { method: 'POST', body, key: this.#unsettled.key, onPart })
    } catch (error) {
      if (error instanceof Refused && !error.mayRepeat) this.#unsettled = null
      throw error
    }
    this.#unsettled = null
  }

  async #ask<T>(path: string, ask: Ask = {}): Promise<T> {
    try {
      return await send<T>(path, this.#token, ask)
    } catch (error) {
      if (error instanceof Refused && error.code === 'onboarding_session_ended') this.onEnded(error)
      throw error
    }
  }
}

async function send<T>(path: string, token: string | null, ask: Ask): Promise<T> {
  for (let tries = 0; ; tries++) {
    const beganMs = performance.now()
    const answer = await once(path, token, ask)
    noteConnection(answer !== null, beganMs)
    const body = await bodyOf<T>(answer)
    if (answer?.ok && body) return body.data
    const refused = refusalOf(answer, body)
    const pauseMs = pausesMs[tries]
    if (!refused.mayRepeat || pauseMs === undefined) throw refused
    const askedMs = Number(answer?.headers.get('retry-after') ?? 0) * 1_000
    await pause(Math.max(pauseMs, Math.min(askedMs, 15_000)), ask.signal)
  }
}

/** @returns null if no response came */
async function once(
  path: string,
  token: string | null,
  { method = 'GET', body, key, signal, onPart }: Ask,
): Promise<Response | null> {
  const url = `/onboard/api${path}`
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  if (onPart) {
    const answer = await upload(url, { headers, body: JSON.stringify(body), onPart })
    if (answer === 'too slow') throw new Refused('too_slow')
    return answer
  }
  try {
    return await fetch(url, {
      method,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    return null
  }
}

type Body<T> = { data: T; error?: { code: string; details?: Problem[]; requestId: string; retryable: boolean } }

/** @returns null where the body did not come in full, or a proxy wrote it */
async function bodyOf<T>(answer: Response | null): Promise<Body<T> | null> {
  return answer === null ? null : await (answer.json() as Promise<Body<T>>).catch(() => null)
}

function refusalOf(answer: Response | null, body: Body<unknown> | null): Refused {
  if (answer === null || (answer.ok && body === null)) return new Refused('offline', { mayRepeat: true })
  const error = body?.error
  if (!error) return new Refused('internal_error', { mayRepeat: [502, 503, 504].includes(answer.status) })
  return new Refused(error.code, { ...error, mayRepeat: error.retryable })
}

/** Resolves after `ms`, or as soon as the browser is online again. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      removeEventListener('online', end)
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
    addEventListener('online', end, { once: true })
  })
}

/** `crypto.randomUUID` is absent where the page was not opened by https. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
