// The requests of the page. The token lives in this object and nowhere else: not in storage, a cookie, or an address.

import type { KycRequirements } from '@causeway/sdk'
import { type SendPiece, uploadPieces } from './upload.ts'

export type NextAction = {
  kind: 'accept_tos' | 'submit_kyc' | 'resubmit_kyc' | 'open_link' | 'wait' | 'contact_support' | 'none'
  url?: string
  fields?: string[]
  associatedPersons?: { id: string; fields: string[] }[]
  expectedBy?: string
}

export type OpenError = { requirement: string; code: string; reason: string; resubmittable: boolean }

/** What stays as it is while the page is open. */
export type Opening = {
  branding: {
    name: string
    logo: string | null
    colors: { primary: string; onPrimary: string; background: string; text: string; scheme: 'light' | 'dark' }
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

/** The server has refused a request; `code` is one of its catalogue, or `offline` where no answer came. */
export class Refused extends Error {
  readonly code: string
  readonly details: readonly Problem[]
  readonly requestId: string | null

  constructor(code: string, details: readonly Problem[] = [], requestId: string | null = null) {
    super(code)
    this.code = code
    this.details = details
    this.requestId = requestId
  }
}

/** Waits between tries of a request that got no answer, or was told to come back, in milliseconds. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000]

/** How often pieces that were gone when they were asked for are sent again, before the submission is sent whole. */
const uploadRoundsMax = 2

type Ask = { method?: 'GET' | 'POST' | 'PUT'; body?: unknown; piece?: Blob; signal?: AbortSignal }

export class Client {
  /** Called when the page has ended: the link was opened elsewhere, revoked or is over. */
  onEnded: (refused: Refused) => void = () => {}
  readonly opening: Opening
  readonly #token: string

  private constructor(token: string, opening: Opening) {
    this.#token = token
    this.opening = opening
  }

  /** Opens the page of a link. @throws Refused `onboarding_link_invalid`, `…_expired`, `…_revoked` */
  static async open(code: string): Promise<Client> {
    const { token, ...opening } = await send<Opening & { token: string }>('/page', null, {
      method: 'POST',
      body: { code },
    })
    return new Client(token, opening)
  }

  state(): Promise<PageState> {
    return this.#ask('/state')
  }

  /** Answers once the state is another one, or after a while. */
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
   * Sends what was typed, much of it in pieces: an interrupted upload goes on. A try that gets no answer is repeated: the server
   * sends the same submission once.
   */
  async submit(body: unknown, onProgress: (sentBytes: number, allBytes: number) => void): Promise<unknown> {
    const sendPiece: SendPiece = (path, piece, signal) =>
      once(path, this.#token, { ...(piece && { method: 'PUT', piece }), signal }).catch(() => null)
    for (let rounds = 0; rounds < uploadRoundsMax; rounds++) {
      const digest = await uploadPieces(JSON.stringify(body), sendPiece, { onProgress, pause })
      if (digest === null) break
      try {
        return await this.#ask(`/submission?upload=${digest}`, { method: 'POST' })
      } catch (error) {
        if (!(error instanceof Refused && error.code === 'upload_incomplete')) throw error
        // An earlier try whose answer was lost may have used up the pieces.
        const { nextAction, requirements } = await this.state()
        if (nextAction.kind === 'wait' || nextAction.kind === 'none') return requirements
      }
    }
    return await this.#ask('/submission', { method: 'POST', body })
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
    const answer = await once(path, token, ask)
    if (answer?.ok) return ((await answer.json()) as { data: T }).data
    const refused = await refusalOf(answer)
    const mayRepeat = answer === null || answer.status === 503 || answer.status === 504 || answer.status === 429
    const pauseMs = pausesMs[tries]
    if (!mayRepeat || pauseMs === undefined) throw refused
    const askedMs = Number(answer?.headers.get('retry-after') ?? 0) * 1_000
    await pause(Math.max(pauseMs, Math.min(askedMs, 15_000)), ask.signal)
  }
}

/** @returns null where no answer came */
async function once(
  path: string,
  token: string | null,
  { method = 'GET', body, piece, signal }: Ask,
): Promise<Response | null> {
  try {
    return await fetch(`/onboard/api${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(piece && { 'content-type': 'application/octet-stream' }),
      },
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(piece && { body: piece }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    return null
  }
}

async function refusalOf(answer: Response | null): Promise<Refused> {
  if (answer === null) return new Refused('offline')
  const body = (await answer.json().catch(() => null)) as {
    error?: { code: string; details?: Problem[]; requestId: string }
  } | null
  return new Refused(body?.error?.code ?? 'internal_error', body?.error?.details, body?.error?.requestId ?? null)
}

/** Waits, or until the connection is back. */
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
