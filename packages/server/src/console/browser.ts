// Browser credentials of the console: the cookie with its session, and a header that only a page of this server can
// send. The header names the session that the page shows.

import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../platform/config.ts'
import { fail } from '../platform/errors.ts'

type Mode = Pick<Config, 'mode'>

/**
 * A form cannot send it, and a script of another origin only after a preflight request, which this server does not
 * allow.
 */
const header = 'x-causeway-console'

/**
 * Rejects a request that a page of another origin may have made a browser send with its cookie.
 * @throws ApiError `cross_site_request`
 */
export function requireOwnPage({ headers, server }: FastifyRequest): void {
  // Browsers send `Sec-Fetch-Site` only over https and to localhost, and `Origin` with every request except a GET of
  // the same origin.
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? isOwnOrigin(headers.origin, headers.host, server.origin) : site === 'same-origin'
  if (headers[header] === undefined || !isOwn) throw fail('cross_site_request')
}

/**
 * Rejects requests of a page whose session another tab has replaced: all tabs share one cookie.
 * @throws ApiError `console_session_changed`
 */
export function requireShownSession({ headers }: FastifyRequest, session: { id: string }): void {
  if (headers[header] !== session.id) throw fail('console_session_changed')
}

/** Returns whether the request names no other origin, whatever else the browser reports. */
export const isOfOwnOrigin = ({ headers, server }: FastifyRequest): boolean =>
  isOwnOrigin(headers.origin, headers.host, server.origin)

function isOwnOrigin(origin: string | undefined, host: string | undefined, own: string): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  return new URL(origin).host === host || (own !== '' && new URL(origin).origin === new URL(own).origin)
}

/** Reads the session token from the cookie; null if there is none. */
export const tokenOf = (request: FastifyRequest, mode: Mode): string | null => read(request, mode, 'causeway_session')

/** Reads the cookie of a sign-in at an issuer; null if there is none. */
export const attemptOf = (request: FastifyRequest, mode: Mode): string | null => read(request, mode, 'causeway_sign_in')

function read({ headers, server }: FastifyRequest, mode: Mode, kind: Kind): string | null {
  return parseCookie(headers.cookie ?? '')[cookieOf(mode, server.origin, kind).name] || null
}

/** Sets the cookie with the token, until the session ends. */
export function setToken(reply: FastifyReply, mode: Mode, token: string, maxAgeSeconds: number): void {
  write(reply, cookieOf(mode, reply.server.origin, 'causeway_session'), token, maxAgeSeconds)
}

export function clearToken(reply: FastifyReply, mode: Mode): void {
  setToken(reply, mode, '', 0)
}

/** Sets the cookie of a sign-in at an issuer: `Lax`, because the issuer's page leads back here. */
export function setAttempt(reply: FastifyReply, mode: Mode, sealed: string, maxAgeSeconds: number): void {
  write(reply, cookieOf(mode, reply.server.origin, 'causeway_sign_in'), sealed, maxAgeSeconds)
}

type Kind = 'causeway_session' | 'causeway_sign_in'
type Cookie = { name: string; secure: boolean; sameSite: 'strict' | 'lax' }

function write(reply: FastifyReply, cookie: Cookie, value: string, maxAge: number): void {
  reply.header('set-cookie', stringifySetCookie({ ...cookie, value, maxAge, path: '/', httpOnly: true }))
}

/**
 * A browser accepts `__Host-` only from this host and only over https, so another host of the domain cannot plant a
 * cookie.
 */
function cookieOf({ mode }: Mode, origin: string, kind: Kind): Cookie {
  const secure = mode === 'live' || origin.startsWith('https:')
  return { name: secure ? `__Host-${kind}` : kind, secure, sameSite: kind === 'causeway_sign_in' ? 'lax' : 'strict' }
}
