// The authorization code flow with PKCE, and the refresh of what it returned. Knows no sessions and no database.

import * as client from 'openid-client'
import type { MappedRole } from '../../platform/config.ts'
import type { Issuer } from './discovery.ts'
import { type Claims, hasClaim, rolesOf, shownClaim } from './roles.rules.ts'

export type Person = {
  subject: string
  name: string | null
  email: string | null
  roles: MappedRole[]
  authTime: Date | null
  sid: string | null
  refreshToken: string | null
}

/** The issuer has ended the person's grant, or returned a different person. */
export class GrantEnded extends Error {
  override readonly name = 'GrantEnded'
}

export type Checks = { state: string; nonce: string; verifier: string; maxAgeSeconds: number | null }

/** The address at the issuer where a person signs in. */
export async function authorizationUrl(issuer: Issuer, redirectUri: string, checks: Checks): Promise<URL> {
  const { state, nonce, verifier, maxAgeSeconds } = checks
  return client.buildAuthorizationUrl(issuer.configuration, {
    redirect_uri: redirectUri,
    scope: issuer.settings.scope,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(maxAgeSeconds !== null && { max_age: String(maxAgeSeconds) }),
  })
}

/**
 * Redeems the code that the issuer sent to the redirect URI, and checks everything that comes with it.
 * @param callback the redirect URI with its parameters
 * @throws Error of the library with the check that failed; `isAway` detects an issuer that cannot be reached
 */
export async function redeemCode(issuer: Issuer, callback: URL, checks: Checks): Promise<Person> {
  const tokens = await client.authorizationCodeGrant(issuer.configuration, callback, {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.verifier,
    idTokenExpected: true,
    ...(checks.maxAgeSeconds !== null && { maxAge: checks.maxAgeSeconds }),
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('The issuer returned no ID token.')
  const all = await withUserInfo(issuer, tokens.access_token, claims.sub, claims)
  return personOf(issuer, all, tokens.refresh_token ?? null)
}

/**
 * Reads a person again by their refresh token.
 * @returns the person as the issuer knows them now, with the next refresh token
 * @throws GrantEnded, or an error that may pass
 */
export async function refreshPerson(issuer: Issuer, refreshToken: string, subject: string): Promise<Person> {
  const tokens = await client.refreshTokenGrant(issuer.configuration, refreshToken).catch((error: unknown) => {
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant')
      throw new GrantEnded('The issuer has ended the grant.', { cause: error })
    throw error
  })
  const claims = tokens.claims() ?? { sub: subject }
  if (claims.sub !== subject) throw new GrantEnded('The issuer returned another person.')
  const all = await withUserInfo(issuer, tokens.access_token, subject, claims)
  return personOf(issuer, all, tokens.refresh_token ?? refreshToken)
}

/** Adds the claims of the userinfo endpoint where the ID token lacks roles or a name. The ID token takes precedence. */
async function withUserInfo(issuer: Issuer, accessToken: string, subject: string, claims: Claims): Promise<Claims> {
  const { configuration, settings } = issuer
  const isNamed = Object.hasOwn(claims, 'name') || Object.hasOwn(claims, 'email')
  const isComplete = isNamed && hasClaim(settings.roles, claims)
  if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims
  return { ...(await client.fetchUserInfo(configuration, accessToken, subject)), ...claims }
}

/** `sub` and `sid` have at most 255 ASCII characters (OpenID Connect Core, 2). */
export const identifier = /^[\x20-\x7e]{1,255}$/

function personOf({ settings }: Issuer, claims: Claims, refreshToken: string | null): Person {
  const { sub, sid, auth_time: authTime } = claims
  if (typeof sub !== 'string' || !identifier.test(sub)) throw new Error('The ID token has no usable `sub`.')
  return {
    subject: sub,
    name: shownClaim(claims, 'name') ?? shownClaim(claims, 'preferred_username'),
    email: shownClaim(claims, 'email'),
    roles: rolesOf(settings.roles, claims),
    authTime: typeof authTime === 'number' ? new Date(authTime * 1_000) : null,
    sid: typeof sid === 'string' && identifier.test(sid) ? sid : null,
    refreshToken,
  }
}
