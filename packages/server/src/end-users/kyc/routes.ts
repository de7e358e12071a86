// KYC: the submission, and where it stands with the links that are open.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fail } from '../../platform/errors.ts'
import { type App, businessOf, depsOf } from '../../platform/http/app.ts'
import type { RateVerdict } from '../../platform/http/limits/rate-limit.ts'
import { kycBody } from '../../platform/http/limits.ts'
import { businessRoutes, upstreamErrors } from '../../platform/http/route.ts'
import { closed, externalUserId, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { validationError } from '../../platform/http/schema/validation.ts'
import { fiatCurrencies } from '../../platform/values/rails.ts'
import { endUser, kycStatus, nextAction, requirements, tosStatus } from '../schema.rules.ts'
import { endUserOf } from '../service.ts'
import { kycSubmission } from './form/submission.rules.ts'
import { getKycLinks } from './links.ts'
import { submitKyc } from './submit.ts'

const kycLinks = named('KycLinks', {
  externalUserId,
  kycStatus,
  tosStatus,
  kycLink: nullable(
    Type.String({ description: 'The provider’s hosted page; null when there is nothing to do there.' }),
  ),
  tosLink: nullable(Type.String()),
  rejectionReasons: Type.Array(Type.String({ description: 'Fit to be shown to the end-user.' })),
  requirements,
  associatedPersons: Type.Array(Type.Object({ id: Type.String(), email: nullable(Type.String()) }), {
    description:
      'The people of a company that is not approved yet, as the provider has them: whom an id in `requirements` and `nextAction` means. Read at each request.',
  }),
  nextAction,
})

export function kycRoutes(app: App): void {
  const { route } = businessRoutes(app, 'Onboarding', 'end_users')

  route('POST /v0/end-users/:externalUserId/submit-kyc', {
    id: 'submitKyc',
    summary: 'Submit KYC data',
    description:
      'The provider’s customer shape in snake_case. It passes through in memory and is neither stored nor logged nor echoed. `dryRun=true` checks the form and tells what is likely still missing. Large images may come as files: `multipart/form-data` with the JSON in the part `data`, and each file in a part named after its place, such as `identifying_information[0].image_front`.',
    config: { multipart: true, createsCustomer: true, bodyLimits: kycBody, describedBody: kycSubmission },
    onRequest: admitKycSubmission,
    query: closed({ dryRun: Type.Boolean({ default: false }) }),
    body: Type.Object({}, { additionalProperties: true, minProperties: 1 }),
    data: endUser,
    errors: [
      'holder_not_found',
      'invalid_kyc_data',
      'invalid_multipart',
      'kyc_submission_in_progress',
      'tos_not_accepted',
      'signed_agreement_invalid',
      'kyc_not_resubmittable',
      ...upstreamErrors,
    ],
    run: ({ deps, business, params, body, query }) => submitKyc(deps, business, params.externalUserId, body, query),
  })

  route('GET /v0/end-users/:externalUserId/kyc-links', {
    id: 'getKycLinks',
    summary: 'Read where KYC stands, with the links that are open',
    description:
      'With `currency` the answer is about that currency: an approved end-user who lacks it gets the provider’s page for it, and `nextAction` leads there.',
    query: closed({
      currency: Type.Optional(oneOf(fiatCurrencies)),
      redirectUri: Type.Optional(
        Type.String({
          errorCode: 'invalid_redirect_uri',
          description:
            'Where the hosted page sends the browser at its end: an absolute https address. A page that is open already keeps the address it was made with, until the provider has a customer.',
        }),
      ),
    }),
    data: kycLinks,
    errors: ['holder_not_found', 'invalid_redirect_uri', ...upstreamErrors],
    run: ({ deps, business, params, query }) => getKycLinks(deps, business, params.externalUserId, query),
  })
}

/**
 * For the route that takes KYC: a hook that counts the submission and looks the end-user up before the body is read.
 * A business can make any number of names, so its own limit comes first, and only an end-user who exists has a counter.
 * @throws ApiError `rate_limited`, `holder_not_found`, `invalid_path`
 */
async function admitKycSubmission(request: FastifyRequest): Promise<void> {
  const { kycSubmissions, kycSubmissionsOfBusiness } = request.server.rateLimits
  const business = businessOf(request)
  const externalUserId = externalUserIdOf(request)
  requireAllowed(await kycSubmissionsOfBusiness.take(business.id))
  await depsOf(request).db.read((query) => endUserOf(query, business, externalUserId))
  requireAllowed(await kycSubmissions.take(`${business.id}/${externalUserId}`))
}

function requireAllowed(verdict: RateVerdict): void {
  if (!verdict.allowed) throw fail('rate_limited', { retryAfterSeconds: verdict.resetSeconds })
}

/** Fastify validates a path after it has read the body. */
function externalUserIdOf(request: FastifyRequest): string {
  const validate = request.getValidationFunction('params')
  if (validate && !validate(request.params)) throw validationError(validate.errors ?? [], 'params')
  return (request.params as { externalUserId: string }).externalUserId
}
