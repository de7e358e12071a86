// Requests of the onboarding page, which are not part of the described API. Each carries the token of its page in a
// header, not in a cookie, so another site cannot make a browser send it.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { countKycSubmission } from '../end-users/kyc/admission.ts'
import { kycRequirementsOf } from '../end-users/kyc/requirements.ts'
import { kycRequirements } from '../end-users/kyc/schema.ts'
import { endUserType } from '../end-users/schema.rules.ts'
import { countGuess } from '../platform/http/limits/guesses.ts'
import { requireAllowed } from '../platform/http/limits/rate-limit.ts'
import { credentialBody, kycBody, kycCheckBody } from '../platform/http/limits.ts'
import { pageOperations, publicOperations } from '../platform/http/operation.ts'
import { closed } from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { hostedPage, occupations, openedPage, pageState, submitted, termsPage } from './page.schema.ts'
import { check, nextState, openTerms, readHosted, readOpening, readState, submit } from './page.ts'
import type { OnboardingPages, OpensPages } from './ports.ts'
import { type OnboardingPage, openPage, readPage } from './sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The onboarding page that makes this request; read by `pageOf`. */
    onboardingPage: OnboardingPage | null
  }
}

const waitSecondsMax = 25

const country = Type.String({ pattern: '^[A-Z]{3}$', errorText: 'must be a country code of three letters' })

const ofAnybody = publicOperations<OpensPages>('Onboarding page')

export const onboardingEntryOperations = [
  ofAnybody.write('POST /onboard/api/page', {
    id: 'openOnboardingPage',
    summary: 'Open the page of a link',
    audit: { none: 'an end-user opens a page that can only onboard that end-user; the link keeps the time' },
    config: { bodyLimits: credentialBody },
    body: closed({ code: Type.String({ maxLength: 256 }) }),
    data: openedPage,
    run: async ({ deps, body, request }) => {
      const token = await openPage(deps, body.code).catch((error) => countGuess(request, error))
      return { token, ...(await readOpening(deps, await readPage(deps, token, request.id))) }
    },
  }),
]

const { read, write } = pageOperations<OnboardingPages>()

export const onboardingPageOperations = [
  read('GET /onboard/api/state', {
    id: 'getOnboardingState',
    summary: 'Read the status of the end-user, or wait for a change',
    query: closed({
      known: Type.Optional(Type.String({ maxLength: 64 })),
      wait: Type.Integer({ minimum: 0, maximum: waitSecondsMax, default: 0 }),
    }),
    data: pageState,
    run: ({ deps, scope, query: { known, wait }, request }) => {
      if (known === undefined || wait === 0) return readState(deps, pageOf(request))
      scope.turn.end()
      const gone = new AbortController()
      request.raw.once('close', () => gone.abort())
      return nextState(deps, pageOf(request), { known, waitMs: wait * 1000, gone: gone.signal })
    },
  }),

  read('GET /onboard/api/requirements', {
    id: 'getOnboardingRequirements',
    summary: 'Read the requirements of a KYC submission',
    query: closed({ country, type: Type.Optional(endUserType) }),
    data: kycRequirements,
    run: ({ deps, query, request }) => {
      const { rails, endUserType: own } = pageOf(request).link
      // Each person of a company follows the rules of that person's country.
      return kycRequirementsOf(deps, { country: query.country, rails, type: query.type ?? own })
    },
  }),

  write('POST /onboard/api/terms', {
    id: 'openOnboardingTerms',
    summary: 'Create or find the link to the terms',
    audit: { none: 'a link to a page; the provider records what is accepted there' },
    data: termsPage,
    run: ({ deps, scope, request }) => openTerms(deps, scope, pageOf(request), request.server.origin),
  }),

  write('POST /onboard/api/hosted', {
    id: 'openOnboardingHostedPage',
    summary: 'Find the provider’s own page',
    audit: { none: 'a link to a page of the provider' },
    data: hostedPage,
    run: ({ deps, request }) => readHosted(deps, pageOf(request)),
  }),

  read('GET /onboard/api/occupations', {
    id: 'listOnboardingOccupations',
    summary: 'List the provider’s occupations',
    data: occupations,
    run: ({ deps }) => deps.listOccupations(),
  }),

  write('POST /onboard/api/submission', {
    id: 'submitOnboarding',
    summary: 'Submit or validate KYC data',
    audit: { none: 'data that the provider judges, and that is not stored here' },
    config: {
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
    query: closed({ dryRun: Type.Boolean({ default: false }) }),
    body: Type.Object({}, { additionalProperties: true, minProperties: 1 }),
    data: submitted,
    run: ({ deps, scope, query, body, request }) =>
      (query.dryRun ? check : submit)(deps, scope, pageOf(request), body as JsonObject),
  }),
]

/** Returns, before the query is converted, whether a submission is only to be checked. */
const isCheck = ({ query }: FastifyRequest): boolean => (query as { dryRun?: unknown }).dryRun === 'true'

/** @throws Error on an operation that is not of the page, which is a bug */
function pageOf({ onboardingPage }: FastifyRequest): OnboardingPage {
  if (onboardingPage === null) throw new Error('this operation does not authenticate a page')
  return onboardingPage
}
