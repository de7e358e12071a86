// Failures at an issuer: which may pass, and their texts for the log.

import * as client from 'openid-client'
import { IssuerFailed } from './discovery.ts'

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
