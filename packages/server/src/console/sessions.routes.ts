// What the pages of the console ask beside the API: signing in, who is signed in, signing out. No part of the described API.

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { ServerDeps } from '../app/context.ts'
import { authenticateBusiness } from '../businesses/api-keys.ts'
import { ApiError, fail } from '../platform/errors.ts'
import type { App } from '../platform/http/app.ts'
import { countGuess } from '../platform/http/limits/guesses.ts'
import { requireAllowed } from '../platform/http/limits/rate-limit.ts'
import { credentialBody } from '../platform/http/limits.ts'
import { closed } from '../platform/http/schema/schema.ts'
import { isFromThisMachine } from '../platform/http/this-machine.ts'
import { readNowMs } from '../platform/postgres/query.ts'
import { operatorCheck } from '../platform/secrets/operator-secret.ts'
import { isoTime } from '../platform/values/time.ts'
import { clearToken, requireOwnPage, setToken, tokenOf } from './browser.ts'
import {
  readSession,
  type Session,
  type SignIn,
  signInAsOperator,
  signInWithKey,
  signInWithLink,
  signOut,
} from './sessions.ts'
import { sendConsole } from './site.ts'

const credential = Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 }))
const role = Type.Union([Type.Literal('business'), Type.Literal('operator')])
const signInBody = closed(
  { apiKey: credential, code: credential, adminSecret: credential, local: Type.Optional(role) },
  { minProperties: 1, maxProperties: 1 },
)

export function consoleSessionRoutes(app: App, deps: ServerDeps): void {
  const { config } = deps
  const open = openSessions(deps)
  const ownPage = {
    config: { auth: 'none' },
    onRequest: async (request: FastifyRequest) => requireOwnPage(request),
  } as const
  const schema = { hide: true } as const
  const signInOf = (request: FastifyRequest): SignIn => ({ requestId: request.id, previous: tokenOf(request, config) })

  const signingIn = { ...ownPage, config: { auth: 'none', bodyLimits: credentialBody } } as const
  app.post('/console/session', { ...signingIn, schema: { ...schema, body: signInBody } }, async (request, reply) => {
    const token = await open(request, request.body, signInOf(request)).catch((error) => countGuess(request, error))
    const session = await readSession(deps, token, request.id)
    setToken(reply, config, token, Math.ceil((session.expiresAt.getTime() - (await deps.db.read(readNowMs))) / 1000))
    return { data: sessionView(deps, session) }
  })

  app.delete('/console/session', { ...ownPage, schema }, async (request, reply) => {
    await signOut(deps, signInOf(request))
    clearToken(reply, config)
    return { data: { deleted: true } }
  })

  // Nobody being signed in is no error here: a browser notes each 401 in its console.
  app.get('/console/config', { ...ownPage, schema }, async (request) => {
    const token = tokenOf(request, config)
    const session = token === null ? null : await readSession(deps, token, request.id).catch(withoutSession)
    return {
      data: {
        mode: config.mode,
        isLocal: isLocal(request),
        isSandbox: deps.sandbox !== null,
        session: session && sessionView(deps, session),
      },
    }
  })

  for (const path of ['/console', '/console/*'])
    app.get(path, { config: { auth: 'none' }, schema }, (request, reply) =>
      sendConsole(app.console, config.consoleFrameAncestors, request, reply),
    )
}

/** Whether the local world signs this browser in by itself. */
const isLocal = (request: FastifyRequest): boolean => request.server.console.host !== null && isFromThisMachine(request)

function withoutSession(error: unknown): null {
  if (error instanceof ApiError && error.code === 'console_session_invalid') return null
  throw error
}

type Open = (request: FastifyRequest, given: Static<typeof signInBody>, signIn: SignIn) => Promise<string>

/** Makes the function that checks what somebody signs in with, and answers the token of the new session. */
function openSessions(deps: ServerDeps): Open {
  const isOperator = operatorCheck(deps.config.adminSecret)
  return async (request, given, signIn) => {
    const { code, adminSecret } = given
    const local = isLocal(request) ? given.local : undefined
    const apiKey = local === 'business' ? request.server.console.host?.apiKey : given.apiKey
    if (local === 'operator') return await signInAsOperator(deps, signIn)
    if (code !== undefined) return await signInWithLink(deps, code, signIn)
    if (apiKey !== undefined) {
      const business = await authenticateBusiness(deps, apiKey, request.id)
      requireAllowed(await request.server.rateLimits.perKey.take(business.keyId))
      return await signInWithKey(deps, business, signIn)
    }
    if (!isOperator(adminSecret ?? '')) throw fail('admin_secret_invalid')
    return await signInAsOperator(deps, signIn)
  }
}

/** The members of a business are null for the operator. */
function sessionView({ config }: ServerDeps, { id, business, expiresAt }: Session) {
  return {
    id,
    role: business ? 'business' : 'operator',
    customerId: business?.id ?? null,
    name: business?.name ?? null,
    apiKeyId: business?.keyId ?? null,
    scopes: business?.scopes ?? [],
    mode: config.mode,
    expiresAt: isoTime(expiresAt),
  }
}
