// The sign-in of staff in the browser, and back-channel logout. Routes, not operations: they redirect and set cookies, or
// follow the standard of OpenID Connect.

import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { attemptOf, setAttempt, setToken, tokenOf } from '../console/browser.ts'
import { readSession } from '../console/sessions.ts'
import type { App } from '../platform/http/app.ts'
import { readMeasured } from '../platform/http/body/json-body.ts'
import { tooLarge } from '../platform/http/body/json-meter.ts'
import { credentialBody } from '../platform/http/limits.ts'
import { readNowMs } from '../platform/postgres/query.ts'
import { attemptMinutes, openAttempt, safeNext, sealAttempt } from './attempt.ts'
import { endByIssuer } from './logout.ts'
import type { SignsIn } from './ports.ts'
import { reasonOf } from './protocol/failures.ts'
import { ownerOf } from './settings.ts'
import { beginSignIn, finishSignIn, SignInFailed } from './sign-in.ts'

const ofOwner = {
  config: { auth: 'none' },
  // A preview of the address must not use up a code.
  exposeHeadRoute: false,
  schema: { params: Type.Object({ owner: Type.String() }) },
} as const

const page = '/console/sign-in'

export function signInRoutes(app: App, deps: SignsIn): void {
  app.get(`${page}/:owner`, ofOwner, async (request, reply) => {
    const { owner } = request.params
    const query = queryOf(request)
    const next = query.get('next') ?? undefined
    // A link on another site leads to the sign-in page: no site can sign a browser in to a business that it chose.
    const site = request.headers['sec-fetch-site']
    if (site === 'cross-site' || site === 'same-site') return leave(reply, pageAddress({ owner, next: safeNext(next) }))
    return await orPage(request, reply, async (businessId) => {
      const start = { next, isFresh: query.get('fresh') === '1', previous: tokenOf(request, deps.config) }
      const { attempt, url } = await beginSignIn(deps, businessId, request.server.origin, start)
      setAttempt(reply, deps.config, sealAttempt(deps, attempt), attemptMinutes * 60)
      return url.href
    })
  })

  app.get(`${page}/callback/:owner`, ofOwner, async (request, reply) => {
    const sealed = attemptOf(request, deps.config)
    const attempt = sealed === null ? null : openAttempt(deps, sealed)
    setAttempt(reply, deps.config, '', 0)
    return await orPage(request, reply, async (businessId) => {
      const { id: requestId, server } = request
      await requireFew(request)
      const callback = { businessId, search: queryOf(request).toString(), attempt, requestId }
      const token = await finishSignIn(deps, server.origin, callback)
      const { expiresAt } = await readSession(deps, token, requestId)
      const seconds = Math.ceil((expiresAt.getTime() - (await deps.db.read(readNowMs))) / 1_000)
      setToken(reply, deps.config, token, seconds)
      return attempt?.next ?? '/console'
    })
  })

  app.register(async (forms) => logoutRoute(forms as App, deps))

  /** Redirects to where `work` says, or to the sign-in page with the code of its failure. */
  async function orPage(
    request: FastifyRequest<{ Params: { owner: string } }>,
    reply: FastifyReply,
    work: (businessId: string) => Promise<string>,
  ) {
    const { owner } = request.params
    try {
      const businessId = ownerOf(owner)
      if (businessId === null) throw new SignInFailed('sign_in_not_set', 'the address names no owner')
      return leave(reply, await work(businessId))
    } catch (error) {
      if (!(error instanceof SignInFailed)) throw error
      const { code, message: reason } = error
      deps.log.warn({ requestId: request.id, owner: ownerOf(owner), code, reason }, 'staff sign-in failed')
      return leave(reply, pageAddress({ error: code, ...(ownerOf(owner) !== null && { owner }) }))
    }
  }
}

/** Each response makes a request to the issuer, and an attempt can be used until it expires. */
async function requireFew({ ip, server }: FastifyRequest): Promise<void> {
  const { failedAuth, addressKey } = server.rateLimits
  const { allowed } = await failedAuth.take(`sign-in:${addressKey(ip)}`)
  if (!allowed) throw new SignInFailed('sign_in_unavailable', 'too many sign-ins from one address')
}

/** Back-Channel Logout 1.0 sends a form. */
function logoutRoute(app: App, deps: SignsIn): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', async (_request: FastifyRequest, payload: Readable) => {
    let length = 0
    const bytes = await readMeasured(payload, (chunk) => {
      length += chunk.length
      if (length > credentialBody.bytesMax) throw tooLarge(credentialBody)
    })
    return new URLSearchParams(bytes.toString())
  })
  app.post(`${page}/:owner/logout`, ofOwner, async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store' })
    const [businessId, form] = [ownerOf(request.params.owner), request.body]
    const token = form instanceof URLSearchParams ? form.get('logout_token') : null
    try {
      if (businessId === null || token === null) throw new Error('the request has no logout token')
      const sessions = await endByIssuer(deps, businessId, token, request.id)
      deps.log.info({ requestId: request.id, businessId, sessions }, 'sessions of staff ended by the issuer')
      return reply.code(200).send()
    } catch (error) {
      deps.log.warn({ requestId: request.id, businessId, reason: reasonOf(error) }, 'logout token refused')
      return reply.code(400).send({ error: 'invalid_request' })
    }
  })
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URLSearchParams(url.split('?').slice(1).join('?'))

const pageAddress = (query: Readonly<Record<string, string>>): string => `${page}?${new URLSearchParams(query)}`

function leave(reply: FastifyReply, to: string) {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(to, 302)
}
