// One OpenID Connect issuer: discovery, the authorization code flow with PKCE, refresh, and logout tokens. Knows no sessions and no database.
// Above the usual length: every step of the protocol with one library, and the failures that the steps share.

import { createRemoteJWKSet, customFetch as fetchKeys } from 'jose/jwks/remote'
import { jwtVerify } from 'jose/jwt/verify'
import * as client from 'openid-client'
import type { MappedRole, RoleMapping } from '../platform/config.ts'
import {
  type BoundedFetch,
  type BoundedFetchOptions,
  createBoundedFetch,
} from '../platform/guarded-http/bounded-fetch.ts'
import { isLoopback } from '../platform/settings.ts'
import { type Claims, hasClaim, rolesOf, shownClaim } from './roles.rules.ts'

export type IssuerSettings = {
  /** A business, or `deploymentChain` for the operator. */
  businessId: string
  issuer: string
  clientId: string
  /** Null: a public client. */
  clientSecret: string | null
  roles: RoleMapping
  scope: string
  addresses: BoundedFetchOptions['addresses']
  /** Differs after each change. */
  version: string
}

export type Issuer = Awaited<ReturnType<typeof discoverIssuer>>

export type Person = {
  subject: string
  name: string | null
  email: string | null
  roles: MappedRole[]
  authTime: Date | null
  sid: string | null
  refreshToken: string | null
}

/** `unreachable` may pass; the other reasons are faults of the issuer or of its settings. */
export class IssuerFailed extends Error {
  override readonly name = 'IssuerFailed'
  readonly reason: 'unreachable' | 'mismatch' | 'unusable'

  constructor(reason: IssuerFailed['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** The issuer has ended the person's grant, or returned a different person. */
export class GrantEnded extends Error {
  override readonly name = 'GrantEnded'
}

/** Clocks of issuers differ by a few seconds. */
const clockToleranceSeconds = 30
const timeoutSeconds = 5

/**
 * Reads the metadata of an issuer.
 * @throws IssuerFailed
 */
export async function discoverIssuer(settings: IssuerSettings) {
  const { clientId, clientSecret, addresses } = settings
  const server = new URL(settings.issuer)
  const exchange = createBoundedFetch({ addresses, timeoutMs: timeoutSeconds * 1_000 })
  const isPlain = server.protocol === 'http:'
  const metadata = { [client.clockTolerance]: clockToleranceSeconds }
  const configuration = await client
    .discovery(server, clientId, metadata, authenticationOf(clientSecret), {
      timeout: timeoutSeconds,
      [client.customFetch]: exchange as client.CustomFetch,
      // Without these checks, the library trusts the TLS connection and does not verify signatures of ID tokens.
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    })
    .catch((error: unknown) => {
      throw failureOf(error)
    })
  const found = configuration.serverMetadata()
  // The library makes exceptions for issuers of many tenants: any of their tenants could sign in.
  if (URL.parse(found.issuer)?.href !== server.href)
    throw new IssuerFailed('mismatch', `The metadata of the issuer names another issuer: ${found.issuer.slice(0, 200)}`)
  requireUsable(found, isPlain)
  return { settings, name: found.issuer, configuration, keys: keysOf(found.jwks_uri ?? '', exchange) }
}

/** The default of the standard, unless the issuer supports only the other. */
function authenticationOf(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const usesPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
    return (usesPost ? post : basic)(server, ...rest)
  }
}

function failureOf(error: unknown): IssuerFailed {
  const code = error instanceof client.ClientError ? error.code : undefined
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return new IssuerFailed('mismatch', 'The metadata of the issuer names another issuer.', error)
  const isOther = code === 'OAUTH_PARSE_ERROR' || code === 'OAUTH_INVALID_RESPONSE'
  if (isOther || code === 'OAUTH_RESPONSE_IS_NOT_JSON')
    return new IssuerFailed('unusable', 'The issuer returns no OpenID Connect metadata.', error)
  return new IssuerFailed('unreachable', 'The issuer cannot be reached.', error)
}

/** @throws IssuerFailed `unusable` */
function requireUsable(found: client.ServerMetadata, isPlain: boolean): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (found[name] === undefined) throw new IssuerFailed('unusable', `The metadata of the issuer lacks ${name}.`)
  for (const name of [...endpoints, 'jwks_uri', 'end_session_endpoint'] as const) {
    const url = URL.parse(found[name] ?? '')
    const isSecure = url?.protocol === 'https:' || (isPlain && url?.protocol === 'http:' && isLoopback(url.hostname))
    if (found[name] !== undefined && !isSecure)
      throw new IssuerFailed('unusable', `The metadata of the issuer has no https URL as ${name}.`)
  }
  if (found.response_types_supported?.includes('code') === false)
    throw new IssuerFailed('unusable', 'The issuer does not support the authorization code flow.')
  // An issuer that names no methods usually supports PKCE, and otherwise ignores it.
  if (found.code_challenge_methods_supported?.includes('S256') === false)
    throw new IssuerFailed('unusable', 'The issuer does not support PKCE with S256.')
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'] as const

const keysOf = (url: string, exchange: BoundedFetch) =>
  createRemoteJWKSet(new URL(url), {
    [fetchKeys]: (url, { method, headers, signal }) =>
      exchange(url, { method, headers: Object.fromEntries(headers), signal }),
  })

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
const identifier = /^[\x20-\x7e]{1,255}$/

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

/** Whether an error means that the issuer did not respond as one: a retry may succeed. */
export function isAway(error: unknown): boolean {
  if (error instanceof IssuerFailed) return error.reason === 'unreachable'
  if (error instanceof client.AuthorizationResponseError)
    return error.error === 'temporarily_unavailable' || error.error === 'server_error'
  if (error instanceof client.ResponseBodyError) return error.status >= 500
  const code = error instanceof client.ClientError ? error.code : undefined
  const isUnconnected = error instanceof TypeError && error.message === 'fetch failed'
  return isUnconnected || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
}

/** Describes an error for the log, without its cause, which holds tokens and claims. */
export function reasonOf(error: unknown): string {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return `the issuer returned the error ${error.error.slice(0, 100)}`
  if (!(error instanceof Error)) return 'unknown'
  const inner = error instanceof client.ClientError && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${inner}`.slice(0, 300)
}
