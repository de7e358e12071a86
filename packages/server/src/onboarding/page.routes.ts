// What the onboarding page asks of the server: no part of the described API. Each request carries the token of its page in a
// header: no cookie, so no other site can make a browser send one.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { countKycSubmission } from '../end-users/kyc/admission.ts'
import { kycRequirementsOf } from '../end-users/kyc/requirements.ts'
import { endUserType } from '../end-users/schema.rules.ts'
import type { EventReaders } from '../events/stream/readers.ts'
import type { ServerCore } from '../platform/core.ts'
import { type App, depsOf, scopeOf } from '../platform/http/app.ts'
import { countGuess } from '../platform/http/limits/guesses.ts'
import { requireAllowed } from '../platform/http/limits/rate-limit.ts'
import { credentialBody, kycBody, kycCheckBody } from '../platform/http/limits.ts'
import { closed, dataOf } from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { check, listOccupations, nextState, openTerms, readHosted, readOpening, readState, submit } from './page.ts'
import type { OnboardingPages } from './ports.ts'
import { type OnboardingPage, openPage, readPage } from './sessions.ts'
import { sendPage } from './site.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The page of a link that makes this request; read by `pageOf`. */
    onboardingPage: OnboardingPage | null
  }
}

const waitSecondsMax = 25

const problem = Type.Object({ param: Type.String(), code: Type.String(), message: Type.String() })
/** The response that is also stored for a repeat. Nothing about the end-user gets into it. */
const submitted = dataOf(Type.Object({ problems: Type.Optional(Type.Array(problem)) }))

const country = Type.String({ pattern: '^[A-Z]{3}$', errorText: 'must be a country code of three letters' })

export function onboardingPageRoutes(
  app: App,
  deps: OnboardingPages & { pageReaders: EventReaders } & ServerCore,
): void {
  const schema = { hide: true } as const
  const ofPage = { config: { auth: 'page' }, schema } as const
  app.addHook('preClose', (done) => {
    deps.pageReaders.close()
    done()
  })

  app.post(
    '/onboard/api/page',
    {
      config: { auth: 'none', bodyLimits: credentialBody },
      schema: { ...schema, body: closed({ code: Type.String({ maxLength: 256 }) }) },
    },
    async (request) => {
      const token = await openPage(deps, request.body.code).catch((error) => countGuess(request, error))
      const page = await readPage(deps, token, request.id)
      return { data: { token, ...(await readOpening(deps, page)) } }
    },
  )

  app.get(
    '/onboard/api/state',
    {
      ...ofPage,
      schema: {
        ...schema,
        querystring: closed({
          known: Type.Optional(Type.String({ maxLength: 64 })),
          wait: Type.Integer({ minimum: 0, maximum: waitSecondsMax, default: 0 }),
        }),
      },
    },
    async (request) => {
      const { known, wait } = request.query
      if (known === undefined || wait === 0) return { data: await readState(depsOf(request), pageOf(request)) }
      request.turn?.end()
      const gone = new AbortController()
      request.raw.once('close', () => gone.abort())
      const asked = { known, waitMs: wait * 1000, gone: gone.signal }
      return { data: await nextState(depsOf(request), pageOf(request), asked) }
    },
  )

  app.get(
    '/onboard/api/requirements',
    { ...ofPage, schema: { ...schema, querystring: closed({ country, type: Type.Optional(endUserType) }) } },
    (request) => {
      const { rails, endUserType: own } = pageOf(request).link
      // Each person of a company follows the rules for a person of the own country.
      const { country, type = own } = request.query
      return { data: kycRequirementsOf(depsOf(request), { country, rails, type }) }
    },
  )

  app.post('/onboard/api/terms', ofPage, async (request) => ({
    data: await openTerms(depsOf(request), scopeOf(request), pageOf(request), request.server.origin),
  }))

  app.post('/onboard/api/hosted', ofPage, async (request) => ({
    data: await readHosted(depsOf(request), pageOf(request)),
  }))

  app.get('/onboard/api/occupations', ofPage, async (request) => ({ data: await listOccupations(depsOf(request)) }))

  app.post(
    '/onboard/api/submission',
    {
      config: {
        auth: 'page',
        multipart: true,
        createsCustomer: true,
        idempotent: true,
        bodyLimits: (request) => (isCheck(request) ? kycCheckBody : kycBody),
      },
      onRequest: async (request) => {
        const { link, business } = pageOf(request)
        if (isCheck(request)) requireAllowed(await request.server.rateLimits.kycChecks.take(link.id))
        else await countKycSubmission(request, business, link.externalUserId)
      },
      schema: {
        ...schema,
        querystring: closed({ dryRun: Type.Boolean({ default: false }) }),
        body: Type.Object({}, { additionalProperties: true, minProperties: 1 }),
        response: { 200: submitted },
      },
    },
    async (request) => ({
      data: await (request.query.dryRun ? check : submit)(
        depsOf(request),
        scopeOf(request),
        pageOf(request),
        request.body as JsonObject,
      ),
    }),
  )

  for (const path of ['/onboard/assets/*', '/onboard/:linkId'])
    app.get(path, { config: { auth: 'none' }, schema }, (request, reply) =>
      sendPage(app.onboarding, deps, request, reply),
    )
}

/** Tells, before the query is converted, whether a submission is to be judged only. */
const isCheck = ({ query }: FastifyRequest): boolean => (query as { dryRun?: unknown }).dryRun === 'true'

/** @throws Error on a route without `auth: 'page'`, which is a bug */
export function pageOf({ onboardingPage }: FastifyRequest): OnboardingPage {
  if (onboardingPage === null) throw new Error('this route does not authenticate a page')
  return onboardingPage
}
