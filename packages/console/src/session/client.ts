// The one client of the console. It calls the public API as the SDK does. Each request carries the cookie, which all tabs share, and
// a header with the session that this page shows, which no form and no page of another origin can send.

import { ApiError, Causeway } from '@causeway/sdk'
import { QueryClient } from '@tanstack/react-query'
import { noteConnection } from './connection.ts'

/** Called when the server no longer accepts the session. */
let onSessionEnd: () => void = () => {}

export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener
}

/** Called when the browser is signed in as somebody else than this page shows. */
let onSessionChange: () => void = () => {}

export function whenSessionChanges(listener: () => void): void {
  onSessionChange = listener
}

/** Called when the server rejects a request because the staff member signed in too long ago. */
let onSignInTooOld: () => void = () => {}

export function whenSignInTooOld(listener: () => void): void {
  onSignInTooOld = listener
}

/** The query of who is signed in. */
export const sessionKey = ['session']

/** The id of the session that this page shows, if it shows one. */
export const shownSessionId = (): string | undefined => queryClient.getQueryData<{ id: string }>(sessionKey)?.id

/** As `fetch`, from a page of the console. */
export async function pageFetch(url: string, init: RequestInit): Promise<Response> {
  const shown = shownSessionId()
  const headers = new Headers(init.headers)
  headers.set('x-causeway-console', shown ?? 'signed-out')
  const beganMs = performance.now()
  const response = await fetch(url, { ...init, headers, credentials: 'same-origin' }).catch((failure: unknown) => {
    if (!init.signal?.aborted) noteConnection(false, beganMs)
    throw failure
  })
  noteConnection(true, beganMs)
  if (response.status === 401 && !url.includes('/console/session')) onSessionEnd()
  if ((response.status === 409 || response.status === 403) && shown !== undefined && shown === shownSessionId()) {
    const code = await codeOf(response)
    if (code === 'console_session_changed') onSessionChange()
    if (code === 'sign_in_too_old') onSignInTooOld()
  }
  return response
}

async function codeOf(response: Response): Promise<string | undefined> {
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return (answer as { error?: { code?: string } } | null)?.error?.code
}

export const causeway = new Causeway({ baseUrl: location.origin, apiKey: null, fetch: pageFetch, timeoutMs: 30_000 })

const repeatsMax = 2

/** A refusal is no accident: only what may pass is tried again. */
function isWorthRepeating(failures: number, error: Error): boolean {
  return failures < repeatsMax && !(error instanceof ApiError && !error.retryable)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    // The SDK repeats what may pass; the page does it once more where a connection was lost.
    queries: {
      staleTime: 5_000,
      gcTime: 5 * 60_000,
      retry: isWorthRepeating,
      refetchOnWindowFocus: true,
      networkMode: 'always', // a read without a connection fails, and does not wait without a word
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
