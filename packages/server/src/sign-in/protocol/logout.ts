// The end of a session at an issuer: its logout tokens, and its page.

import { jwtVerify } from 'jose/jwt/verify'
import * as client from 'openid-client'
import { identifier } from './code-flow.ts'
import { clockToleranceSeconds, type Issuer } from './discovery.ts'

export type LoggedOut = { sid: string } | { subject: string }

/** A logout token is sent at once: an older one is a repeat. */
const logoutTokenAgeMax = '2 minutes'
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6).
 * @returns who has signed out: one session, or every session of a person
 * @throws Error with the check that failed
 */
export async function readLogoutToken(issuer: Issuer, token: string): Promise<LoggedOut> {
  const { payload, protectedHeader } = await jwtVerify(token, issuer.keys, {
    issuer: issuer.name,
    audience: issuer.settings.clientId,
    maxTokenAge: logoutTokenAgeMax,
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['iat', 'jti', 'events'],
  })
  const { events, sub, sid } = payload
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt'
  if (type !== 'jwt' && type !== 'logout+jwt') throw new Error('The token is of another type.')
  if ('nonce' in payload) throw new Error('The token has a nonce: it is an ID token.')
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, logoutEvent))
    throw new Error('The token is no logout token.')
  if (typeof sid === 'string' && identifier.test(sid)) return { sid }
  if (typeof sub === 'string' && identifier.test(sub)) return { subject: sub }
  throw new Error('The token names neither a session nor a person.')
}

/** The page at the issuer that also ends the session there; null if it has none. */
export function endSessionUrl({ configuration }: Issuer, postLogoutRedirectUri: string): string | null {
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null
  return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: postLogoutRedirectUri }).href
}
