// What the pages of the console ask beside the API: signing in, who is signed in, signing out. No part of the described API.

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { ServerDeps } from '../app/context.ts'
import { authenticateBusiness } from '../businesses/api-keys.ts'
import { fail } from '../platform/errors.ts'
import type { App } from '../platform/http/app.ts'
import { countGuess } from '../platform/http/limits/guesses.ts'
import { requireAllowed } from '../platform/http/limits/rate-limit.ts'
import { html, sendDocument } from '../platform/http/pages/page.ts'
import { closed } from '../platform/http/schema/schema.ts'
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

const credential = Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 }))
const signInBody = closed(
  { apiKey: credential, code: credential, adminSecret: credential },
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

  app.post('/console/session', { ...ownPage, schema: { ...schema, body: signInBody } }, async (request, reply) => {
    const token = await open(request, request.body, signInOf(request)).catch((error) => countGuess(request, error))
    const session = await readSession(deps, token, request.id)
    setToken(reply, config, token, Math.ceil((session.expiresAt.getTime() - deps.now()) / 1000))
    return { data: sessionView(deps, session) }
  })

  app.get('/console/session', { ...ownPage, schema }, async (request) => ({
    data: sessionView(deps, await readSession(deps, tokenOf(request, config) ?? '', request.id)),
  }))

  app.delete('/console/session', { ...ownPage, schema }, async (request, reply) => {
    await signOut(deps, signInOf(request))
    clearToken(reply, config)
    return { data: { deleted: true } }
  })

  for (const path of ['/console', '/console/*'])
    app.get(path, { config: { auth: 'none' }, schema }, (_request, reply) => {
      const page = sendDocument(reply.code(404), 'No console · Causeway', noConsole)
      reply.header('cache-control', 'no-store')
      return page
    })
}

type Open = (request: FastifyRequest, given: Static<typeof signInBody>, signIn: SignIn) => Promise<string>

/** Makes the function that checks what somebody signs in with, and answers the token of the new session. */
function openSessions(deps: ServerDeps): Open {
  const isOperator = operatorCheck(deps.config.adminSecret)
  return async (request, { apiKey, code, adminSecret }, signIn) => {
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

const noConsole = html`<h1>No console here</h1>
<p>The console is not part of this build of Causeway.</p>
<p><a href="/docs">All operations</a> · <a href="/">Home</a></p>`
