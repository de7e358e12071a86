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
export function tokenOf({ headers, server }: FastifyRequest, mode: Mode): string | null {
  return parseCookie(headers.cookie ?? '')[cookieOf(mode, server.origin).name] ?? null
}

/** Sets the cookie with the token, until the session ends. */
export function setToken(reply: FastifyReply, mode: Mode, token: string, maxAgeSeconds: number): void {
  const { name, secure } = cookieOf(mode, reply.server.origin)
  const cookie = {
    name,
    value: token,
    maxAge: maxAgeSeconds,
    path: '/',
    httpOnly: true,
    secure,
    sameSite: 'strict',
  } as const
  reply.header('set-cookie', stringifySetCookie(cookie))
}

export function clearToken(reply: FastifyReply, mode: Mode): void {
  setToken(reply, mode, '', 0)
}

/**
 * A browser accepts `__Host-` only from this host and only over https, so another host of the domain cannot plant a
 * cookie.
 */
function cookieOf({ mode }: Mode, origin: string): { name: string; secure: boolean } {
  const secure = mode === 'live' || origin.startsWith('https:')
  return { name: secure ? '__Host-causeway_session' : 'causeway_session', secure }
}
