// Console requests outside the API: sign in, current session, sign out. Routes, not operations: they set and read a
// cookie, check the calling page, and are not part of the described API.

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { deploymentChain } from '../audit/audit.rules.ts'
import { authenticateBusiness } from '../businesses/api-keys.ts'
import type { ApiKeys } from '../businesses/ports.ts'
import { ApiError, fail } from '../platform/errors.ts'
import type { App } from '../platform/http/app.ts'
import { operator } from '../platform/http/caller.ts'
import { countGuess } from '../platform/http/limits/guesses.ts'
import { requireAllowed } from '../platform/http/limits/rate-limit.ts'
import { credentialBody } from '../platform/http/limits.ts'
import { closed } from '../platform/http/schema/schema.ts'
import { isFromThisMachine } from '../platform/http/this-machine.ts'
import { readNowMs } from '../platform/postgres/query.ts'
import { operatorCheck } from '../platform/secrets/operator-secret.ts'
import { isoTime } from '../platform/values/time.ts'
import { clearToken, isOfOwnOrigin, requireOwnPage, requireShownSession, setToken, tokenOf } from './browser.ts'
import { type LocalRole, localLinkMinutes } from './local-links.ts'
import type { Consoles } from './ports.ts'
import {
  personOf,
  readSession,
  type Session,
  type SignIn,
  signInAsOperator,
  signInWithKey,
  signInWithLink,
  signOut,
} from './sessions.ts'
import { sendConsole } from './site.ts'
import { signOutEverywhere } from './staff-sessions.ts'

const credential = Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 }))
const signInBody = closed(
  { apiKey: credential, code: credential, adminSecret: credential },
  { minProperties: 1, maxProperties: 1 },
)
/** `everywhere`: all sessions of the staff member. */
const signOutQuery = closed({ everywhere: Type.Optional(Type.Boolean()) })
const localLinkBody = closed({ role: Type.Union([Type.Literal('business'), Type.Literal('operator')]) })

export function consoleSessionRoutes(app: App, deps: Consoles): void {
  const { config } = deps
  const open = openSessions(deps)
  const ownPage = {
    config: { auth: 'none' },
    onRequest: async (request: FastifyRequest) => requireOwnPage(request),
  } as const
  const signInOf = (request: FastifyRequest): SignIn => ({ requestId: request.id, previous: tokenOf(request, config) })
  const sessionOf = async (request: FastifyRequest): Promise<Session | null> => {
    const token = tokenOf(request, config)
    return token === null ? null : await readSession(deps, token, request.id).catch(withoutSession)
  }

  const signingIn = { ...ownPage, config: { auth: 'none', bodyLimits: credentialBody } } as const
  app.post('/console/session', { ...signingIn, schema: { body: signInBody } }, async (request, reply) => {
    const token = await open(request, request.body, signInOf(request)).catch((error) => countGuess(request, error))
    const session = await readSession(deps, token, request.id)
    setToken(reply, config, token, Math.ceil((session.expiresAt.getTime() - (await deps.db.read(readNowMs))) / 1000))
    return { data: sessionView(deps, session) }
  })

  const signingOut = { ...ownPage, schema: { querystring: signOutQuery } } as const
  app.delete('/console/session', signingOut, async (request, reply) => {
    const session = await sessionOf(request)
    if (session) requireShownSession(request, session)
    const isEverywhere = request.query.everywhere === true && session?.staff
    if (isEverywhere) await endAll(deps, session, request.id)
    else await signOut(deps, signInOf(request))
    clearToken(reply, config)
    if (!session?.staff) return { data: { deleted: true } }
    const businessId = session.business?.id ?? null
    return { data: { deleted: true, endSessionUrl: await deps.findEndSessionUrl(businessId, app.origin) } }
  })

  // A missing session is not an error here: a browser logs each 401 in its console.
  app.get('/console/config', ownPage, async (request) => {
    const session = await sessionOf(request)
    return {
      data: {
        mode: config.mode,
        isLocal: app.console.host !== null,
        isSandbox: config.providerKind === 'sandbox',
        canEmail: config.smtpUrl !== undefined && config.alertEmailFrom !== undefined,
        signIn: { operator: config.oidcIssuer !== undefined },
        session: session && sessionView(deps, session),
      },
    }
  })

  // For `causeway open`, which reads the operator secret in the state folder.
  const ofOperator = { config: { auth: 'operator' }, schema: { body: localLinkBody } } as const
  app.post('/console/local-links', ofOperator, async (request) => {
    if (app.console.host === null) throw fail('route_not_found')
    const code = app.console.host.links.create(request.body.role)
    return { data: { code, expiresInMinutes: localLinkMinutes } }
  })

  for (const path of ['/console', '/console/*'])
    app.get(path, { config: { auth: 'none' } }, (request, reply) =>
      sendConsole(app.console, config.consoleFrameAncestors, request, reply),
    )
}

/**
 * Uses up a link of a local environment.
 * @returns null for a code of another kind
 * @throws ApiError `console_link_invalid`: it has expired, or the request came through a proxy or a tunnel, or from
 * another page
 */
function useLocalLink(request: FastifyRequest, code: string | undefined): LocalRole | null {
  const links = request.server.console.host?.links
  if (code === undefined || !links?.has(code)) return null
  const isDirect = isFromThisMachine(request) && isOfOwnOrigin(request)
  const role = isDirect ? links.use(code) : null
  if (role === null) throw fail('console_link_invalid')
  return role
}

/** Ends every session of a staff member, this one included. */
async function endAll(deps: Consoles, { id, business, staff }: Session, requestId: string): Promise<void> {
  if (!staff) return
  const businessId = business?.id ?? deploymentChain
  const by = { name: `${business ? staff.id : operator.name}/${id}`, requestId, person: personOf(staff) }
  await signOutEverywhere(deps, { businessId, id: staff.id }, by)
}

function withoutSession(error: unknown): null {
  if (error instanceof ApiError && error.code === 'console_session_invalid') return null
  throw error
}

type Open = (request: FastifyRequest, given: Static<typeof signInBody>, signIn: SignIn) => Promise<string>

/** Creates the function that checks a sign-in and returns the token of the new session. */
function openSessions(deps: ApiKeys): Open {
  const isOperator = operatorCheck(deps.config.adminSecret)
  return async (request, given, signIn) => {
    const { code, adminSecret } = given
    const local = useLocalLink(request, code)
    const apiKey = local === 'business' ? request.server.console.host?.apiKey : given.apiKey
    if (local === 'operator') return await signInAsOperator(deps, signIn)
    if (code !== undefined && local === null) return await signInWithLink(deps, code, signIn)
    if (apiKey !== undefined) {
      const business = await authenticateBusiness(deps, apiKey, request.id)
      requireAllowed(await request.server.rateLimits.perKey.take(business.credentialId))
      return await signInWithKey(deps, business, signIn)
    }
    if (!isOperator(adminSecret ?? '')) throw fail('admin_secret_invalid')
    return await signInAsOperator(deps, signIn)
  }
}

/** The business members are null for the operator, `staff` for a session of a key or of the operator secret. */
function sessionView({ config }: ApiKeys, { id, business, staff, expiresAt }: Session) {
  return {
    id,
    role: business ? 'business' : 'operator',
    customerId: business?.id ?? null,
    name: business?.name ?? null,
    apiKeyId: staff === null ? (business?.credentialId ?? null) : null,
    staff: staff && { id: staff.id, name: staff.name, email: staff.email, roles: staff.roles },
    scopes: business?.scopes ?? [],
    mode: config.mode,
    expiresAt: isoTime(expiresAt),
  }
}
