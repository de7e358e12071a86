// A sign-in between its start and the issuer's response: sealed in a cookie of the browser, so that nothing is stored and
// nobody can fill a table.

import type { Core } from '../platform/core.ts'
import type { Checks } from './protocol/code-flow.ts'

export type Attempt = Checks & {
  /** A business, or `deploymentChain` for the operator. */
  businessId: string
  /** The path of the console that opens afterwards. */
  next: string
  /** The session of the browser, which ends with the sign-in: its cookie is not sent from the issuer's page. */
  previous: string | null
  expiresAtMs: number
}

export const attemptMinutes = 10
const context = 'console sign-in attempt'

export function sealAttempt({ secrets }: Pick<Core, 'secrets'>, attempt: Attempt): string {
  return secrets.seal(JSON.stringify(attempt), context).toString('base64url')
}

/** @returns null if the text is no attempt, or an expired one */
export function openAttempt({ secrets, now }: Pick<Core, 'secrets' | 'now'>, text: string): Attempt | null {
  try {
    // Only `sealAttempt` seals with this context.
    const attempt = JSON.parse(secrets.open(Buffer.from(text, 'base64url'), context)) as Attempt
    return attempt.expiresAtMs > now() ? attempt : null
  } catch {
    return null
  }
}

const pathCharsMax = 1_024
const console = '/console'

/** A path of the console, without the pages that sign in; any other address leads to the first page. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || next.length > pathCharsMax || !/^\/console(?:[/?#]|$)/.test(next)) return console
  const base = 'https://console.invalid'
  const url = URL.parse(next, base)
  if (url?.origin !== base) return console
  const isPage = url.pathname === console || url.pathname.startsWith(`${console}/`)
  return isPage && !/^\/console\/(?:sign-in|link)(?:\/|$)/.test(url.pathname)
    ? `${url.pathname}${url.search}${url.hash}`
    : console
}
