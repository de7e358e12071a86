// An OpenID Connect issuer: its settings here, and the metadata that it publishes.

import { createRemoteJWKSet, customFetch as fetchKeys } from 'jose/jwks/remote'
import * as client from 'openid-client'
import type { RoleMapping } from '../../platform/config.ts'
import {
  type BoundedFetch,
  type BoundedFetchOptions,
  createBoundedFetch,
} from '../../platform/guarded-http/bounded-fetch.ts'
import { isLoopback } from '../../platform/settings.ts'

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

/** `unreachable` may pass; the other reasons are faults of the issuer or of its settings. */
export class IssuerFailed extends Error {
  override readonly name = 'IssuerFailed'
  readonly reason: 'unreachable' | 'mismatch' | 'unusable'

  constructor(reason: IssuerFailed['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** Clocks of issuers differ by a few seconds. */
export const clockToleranceSeconds = 30
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
