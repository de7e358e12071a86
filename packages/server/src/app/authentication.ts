// Authentication and authorisation: credential, scope and rate are checked before a byte of the body is read.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { authenticateBusiness } from '../businesses/api-keys.ts'
import { ApiError, fail } from '../platform/errors.ts'
import type { App, AuthKind } from '../platform/http/app.ts'
import type { Business } from '../platform/http/caller.ts'
import { requireAllowed } from '../platform/http/limits/rate-limit.ts'
import { depsFor, type ServerDeps } from './context.ts'

/** Checks the requests of each route as its `config.auth` says, before any other hook of the route. */
export function guardRoutes(app: App, deps: ServerDeps): void {
  const check = operatorCheck(deps.config.adminSecret)
  app.decorateRequest('business', null)
  app.decorateRequest('deps', null)
  const guards: Readonly<Record<AuthKind, onRequestAsyncHookHandler | null>> = {
    business: async (request, reply) => admitBusiness(deps, await callerOf(deps, check, request), request, reply),
    operator: (request) => guardOperator(check, request),
    none: null,
  }
  app.addHook('onRoute', (route) => {
    const guard = route.config && guards[route.config.auth]
    if (guard) route.onRequest = [guard, ...[route.onRequest ?? []].flat()]
  })
}

async function callerOf(deps: ServerDeps, check: SecretCheck, request: FastifyRequest): Promise<Business> {
  const credential = bearerOf(request)
  if (!credential.startsWith('svc_') && (await isOperatorSecret(request, check, credential)))
    throw fail('wrong_auth_scheme')
  return await authenticateBusiness(deps, credential, request.id).catch((error) => countFailure(request, error))
}

/** @throws ApiError `rate_limited`, `business_suspended`, `insufficient_scope` */
async function admitBusiness(
  deps: ServerDeps,
  business: Business,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.business = business
  request.deps = () => depsFor(deps, business.id)
  const { perKey } = request.server.rateLimits
  const verdict = await perKey.take(business.keyId)
  reply.header('ratelimit-policy', perKey.policy)
  reply.header('ratelimit', `"default";r=${verdict.remaining};t=${verdict.resetSeconds}`)
  requireAllowed(verdict)
  if (business.status === 'suspended') throw fail('business_suspended')
  const { scope } = request.routeOptions.config
  if (scope && !business.scopes.includes(scope))
    throw fail('insufficient_scope', {
      facts: { scope },
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    })
}

async function guardOperator(check: SecretCheck, request: FastifyRequest): Promise<void> {
  const credential = bearerOf(request)
  if (credential.startsWith('svc_')) throw fail('wrong_auth_scheme')
  // Before the count of failures: guesses from the same address must not shut out the operator.
  if (!check(credential)) await countFailure(request, fail('admin_secret_invalid'))
}

/** @throws ApiError `api_key_missing`, `wrong_auth_scheme` */
function bearerOf(request: FastifyRequest): string {
  const header = request.headers.authorization?.trim() ?? ''
  if (header === '') throw fail('api_key_missing')
  const [scheme = '', ...credential] = header.split(' ')
  if (scheme.toLowerCase() !== 'bearer') throw fail('wrong_auth_scheme')
  if (credential.length === 0) throw fail('api_key_missing')
  return credential.join(' ').trim()
}

type SecretCheck = (secret: string) => boolean

/**
 * Tells an operator who calls a business operation from a wrong key. The answer would also confirm a guessed secret, so an
 * address that tries more often than it may fail is answered only that its key is malformed.
 */
async function isOperatorSecret(request: FastifyRequest, check: SecretCheck, credential: string): Promise<boolean> {
  const { failedAuth, addressKey } = request.server.rateLimits
  const verdict = await failedAuth.take(`operator-secret:${addressKey(request.ip)}`)
  return verdict.allowed && check(credential)
}

/** Compares digests, so that neither length nor content of the secret shows in the time that it takes. */
function operatorCheck(adminSecret: string): SecretCheck {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(adminSecret)
  return (secret) => timingSafeEqual(digest(secret), expected)
}

/**
 * Counts guesses: credentials of the right form that are wrong. A right key passes however many guesses there were, because
 * other callers may share the address.
 * @throws the error, or `rate_limited` in its place where an address has guessed too often
 */
async function countFailure(request: FastifyRequest, error: unknown): Promise<never> {
  if (!(error instanceof ApiError) || !guesses.has(error.code)) throw error
  const { failedAuth, addressKey } = request.server.rateLimits
  requireAllowed(await failedAuth.take(addressKey(request.ip)))
  throw error
}

const guesses = new Set(['api_key_invalid', 'admin_secret_invalid'])
