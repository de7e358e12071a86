// The one client of the console. It calls the public API as the SDK does; the session's cookie goes along by itself, and a header
// that no form and no page of another origin can send.

import { ApiError, Causeway } from '@causeway/sdk'
import { QueryClient } from '@tanstack/react-query'

/** Called when the server does not take the session any more. */
let onSessionEnd: () => void = () => {}

export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener
}

const ownPage = { 'x-causeway-console': '1' }

/** As `fetch`, from a page of the console. */
export async function pageFetch(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(ownPage)) headers.set(name, value)
  const response = await fetch(url, { ...init, headers, credentials: 'same-origin' })
  if (response.status === 401 && !url.includes('/console/session')) onSessionEnd()
  return response
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
    queries: { staleTime: 5_000, gcTime: 5 * 60_000, retry: isWorthRepeating, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})
