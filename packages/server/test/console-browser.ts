// A browser at the console, as far as the server sees it: a cookie, and what a page of the same origin sends with its requests.

import assert from 'node:assert/strict'
import { type Answer, request } from './caller.ts'

/** Headers of the console's own pages: before the sign-in. After it, the session is added. */
export const ownPage = { 'x-causeway-console': '1', 'sec-fetch-site': 'same-origin' } as const

export const pageShowing = ({ id }: { id: string }) => ({ ...ownPage, 'x-causeway-console': id })

export type Browser = {
  /** The `Cookie` header. */
  cookie: string
  /** From the response to the sign-in. */
  session: {
    id: string
    role: string
    customerId: string | null
    apiKeyId: string | null
    scopes: string[]
    expiresAt: string
  }
  setCookie: string
  /** Headers of a request from its page. */
  headers: Record<string, string>
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

type Credential = { apiKey: string } | { code: string } | { adminSecret: string }

/** @param headers replace those of the console's own pages @throws AssertionError with the response if it is refused */
export async function signIn(
  baseUrl: string,
  credential: Credential,
  headers: Record<string, string> = {},
): Promise<Browser> {
  const answer = await request('POST', `${baseUrl}/console/session`, credential, {
    headers: { ...ownPage, ...headers },
  })
  assert.equal(answer.status, 200, answer.text)
  const setCookie = answer.headers.get('set-cookie') ?? ''
  const [cookie = ''] = setCookie.split(';', 1)
  const own = { ...pageShowing(answer.body.data), cookie }
  return {
    cookie,
    session: answer.body.data,
    setCookie,
    headers: own,
    ask: (method, path, body, extra = {}) =>
      request(method, `${baseUrl}${path}`, body, { headers: { ...own, ...extra } }),
  }
}
