// Authentication and authorisation: credential, scope and rate are checked before a byte of the body is read.

import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { authenticateBusiness } from '../businesses/api-keys.ts'
import type { ApiKeys } from '../businesses/ports.ts'
import { requireOwnPage, requireShownSession, tokenOf } from '../console/browser.ts'
import { mayOperate } from '../console/roles.rules.ts'
import { personOf, readSession, type Session, type SessionStaff } from '../console/sessions.ts'
import { readPage } from '../onboarding/sessions.ts'
import { coreOf, type ServerCore } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { App } from '../platform/http/app.ts'
import type { Business, Caller } from '../platform/http/caller.ts'
import { countGuess } from '../platform/http/limits/guesses.ts'
import { requireAllowed } from '../platform/http/limits/rate-limit.ts'
import { operatorCheck, type SecretCheck } from '../platform/secrets/operator-secret.ts'

type AdmitsCallers = ServerCore & ApiKeys

/** Checks each request as the `config.auth` of its route requires, before any other hook of the route. */
export function guardRoutes(app: App, deps: AdmitsCallers): void {
  const check = operatorCheck(deps.config.adminSecret)
  app.decorateRequest('business', null)
  app.decorateRequest('core', null)
  app.decorateRequest('admitAgain', null)
  app.decorateRequest('operatorSession', null)
  app.decorateRequest('onboardingPage', null)
  const guards: Readonly<Record<Caller, onRequestAsyncHookHandler | null>> = {
    business: async (request, reply) => {
      const session = await sessionOf(deps, request)
      await admitBusiness(deps, await callerOf(deps, session, check, request), request, reply)
      requireFresh(deps, session?.staff ?? null, request)
    },
    operator: (request) => guardOperator(deps, check, request),
    page: (request) => admitPage(deps, request),
    none: null,
  }
  app.addHook('onRoute', (route) => {
    const guard = route.config && guards[route.config.auth]
    if (guard) route.onRequest = [guard, ...[route.onRequest ?? []].flat()]
  })
}

async function callerOf(
  deps: AdmitsCallers,
  session: Session | null,
  check: SecretCheck,
  request: FastifyRequest,
): Promise<Business> {
  if (session?.business) return session.business
  if (session) throw fail('wrong_auth_scheme')
  const credential = bearerOf(request)
  if (!credential.startsWith('svc_') && (await isOperatorSecret(request, check, credential)))
    throw fail('wrong_auth_scheme')
  return await authenticateBusiness(deps, credential, request.id).catch((error) => countGuess(request, error))
}

/**
 * Reads the session of a console page, which sends a cookie. A key in the same request takes precedence.
 * @returns null if there is no cookie, or if there is a key
 * @throws ApiError `cross_site_request`, `console_session_invalid`, `console_session_changed`
 */
async function sessionOf(deps: AdmitsCallers, request: FastifyRequest): Promise<Session | null> {
  if (request.headers.authorization !== undefined) return null
  const token = tokenOf(request, deps.config)
  if (token === null) return null
  requireOwnPage(request)
  const session = await readSession(deps, token, request.id)
  requireShownSession(request, session)
  return session
}

/** @throws ApiError `rate_limited`, `business_suspended`, `insufficient_scope` */
async function admitBusiness(
  deps: AdmitsCallers,
  business: Business,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.business = business
  request.core = coreOf(deps, business.id)
  request.admitAgain = () => admitAgain(deps, request)
  const { perKey } = request.server.rateLimits
  const verdict = await perKey.take(business.credentialId)
  reply.header('ratelimit-policy', perKey.policy)
  reply.header('ratelimit', `"default";r=${verdict.remaining};t=${verdict.resetSeconds}`)
  requireAllowed(verdict)
  requireRight(business, request)
}

/**
 * Rejects a sensitive request of a staff member who has not signed in at the issuer recently.
 * @throws ApiError `sign_in_too_old`
 */
function requireFresh({ config }: AdmitsCallers, staff: SessionStaff | null, request: FastifyRequest): void {
  const minutes = config.oidcFreshSignInMinutes
  if (minutes > 0 && staff && !staff.isFresh && request.routeOptions.config.sensitive)
    throw fail('sign_in_too_old', { facts: { minutes } })
}

/** Does not count against a limit: neither a separate request nor a guess. */
async function admitAgain(deps: AdmitsCallers, request: FastifyRequest): Promise<void> {
  const session = await sessionOf(deps, request)
  requireRight(session?.business ?? (await authenticateBusiness(deps, bearerOf(request), request.id)), request)
}

/** @throws ApiError `business_suspended`, `insufficient_scope` */
function requireRight(business: Business, request: FastifyRequest): void {
  if (business.status === 'suspended') throw fail('business_suspended')
  const { scope } = request.routeOptions.config
  if (scope && !business.scopes.includes(scope))
    throw fail('insufficient_scope', {
      facts: { scope },
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    })
}

/**
 * Admits the page of an onboarding link, under a separate limit, so that pages do not use the limit of their business.
 */
async function admitPage(deps: AdmitsCallers, request: FastifyRequest): Promise<void> {
  const page = await readPage(deps, bearerOf(request), request.id)
  requireAllowed(await request.server.rateLimits.perKey.take(page.link.id))
  if (page.business.status === 'suspended') throw fail('onboarding_unavailable')
  request.onboardingPage = page
  request.business = page.business
  request.core = coreOf(deps, page.business.id)
}

async function guardOperator(deps: AdmitsCallers, check: SecretCheck, request: FastifyRequest): Promise<void> {
  const session = await sessionOf(deps, request)
  if (session?.business) throw fail('wrong_auth_scheme')
  if (session) return admitOperatorSession(deps, session, request)
  const credential = bearerOf(request)
  if (credential.startsWith('svc_')) throw fail('wrong_auth_scheme')
  // Before the count of failures: guesses from the same address must not lock out the operator.
  if (!check(credential)) await countGuess(request, fail('admin_secret_invalid'))
}

/** @throws ApiError `staff_role_insufficient`, `sign_in_too_old` */
function admitOperatorSession(deps: AdmitsCallers, { id, staff }: Session, request: FastifyRequest): void {
  request.operatorSession = { id, person: staff && personOf(staff) }
  if (staff && !mayOperate(staff.roles, request.method)) throw fail('staff_role_insufficient')
  requireFresh(deps, staff, request)
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

/**
 * Distinguishes an operator who calls a business operation from a wrong key. The response would also confirm a guessed
 * secret, so an address with too many failures only gets the error for a malformed key.
 */
async function isOperatorSecret(request: FastifyRequest, check: SecretCheck, credential: string): Promise<boolean> {
  const { failedAuth, addressKey } = request.server.rateLimits
  const verdict = await failedAuth.take(`operator-secret:${addressKey(request.ip)}`)
  return verdict.allowed && check(credential)
}
