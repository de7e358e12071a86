// What a browser sends with a request of the console: the cookie with its session, and a header that only a page of this server
// can send. The header names the session that the page shows.

import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../platform/config.ts'
import { fail } from '../platform/errors.ts'

type Mode = Pick<Config, 'mode'>

/** A form cannot send it, and a script of another origin only after a preflight request, which this server does not allow. */
const header = 'x-causeway-console'

/**
 * Refuses a request that a page of another origin may have made a browser send with its cookie.
 * @throws ApiError `cross_site_request`
 */
export function requireOwnPage({ headers, server }: FastifyRequest): void {
  // Browsers send `Sec-Fetch-Site` over https and to localhost only, and `Origin` with all but a GET of the same origin.
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? isOwnOrigin(headers.origin, headers.host, server.origin) : site === 'same-origin'
  if (headers[header] === undefined || !isOwn) throw fail('cross_site_request')
}

/**
 * Refuses what a page asks for a session that another tab has replaced: the cookie is one for all tabs.
 * @throws ApiError `console_session_changed`
 */
export function requireShownSession({ headers }: FastifyRequest, session: { id: string }): void {
  if (headers[header] !== session.id) throw fail('console_session_changed')
}

/** Whether the request names no other origin, whatever else the browser says of it. */
export const isOfOwnOrigin = ({ headers, server }: FastifyRequest): boolean =>
  isOwnOrigin(headers.origin, headers.host, server.origin)

function isOwnOrigin(origin: string | undefined, host: string | undefined, own: string): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  return new URL(origin).host === host || (own !== '' && new URL(origin).origin === new URL(own).origin)
}

/** Reads the token of the session out of the cookie; null where there is none. */
export function tokenOf({ headers, server }: FastifyRequest, mode: Mode): string | null {
  return parseCookie(headers.cookie ?? '')[cookieOf(mode, server.origin).name] ?? null
}

/** Puts the token into the cookie of the browser, until the session ends. */
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

/** Takes the cookie away. */
export function clearToken(reply: FastifyReply, mode: Mode): void {
  setToken(reply, mode, '', 0)
}

/** A browser takes `__Host-` from this very host alone and over https alone: no neighbour on the same domain can plant one. */
function cookieOf({ mode }: Mode, origin: string): { name: string; secure: boolean } {
  const secure = mode === 'live' || origin.startsWith('https:')
  return { name: secure ? '__Host-causeway_session' : 'causeway_session', secure }
}
