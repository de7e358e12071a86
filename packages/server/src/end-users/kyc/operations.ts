// KYC operations: the requirements of a submission, before anyone fills in a form; the submission; and the KYC state
// with its open links.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { businessOf } from '../../platform/http/app.ts'
import { kycBody } from '../../platform/http/limits.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { closed } from '../../platform/http/schema/schema.ts'
import { validationError } from '../../platform/http/schema/validation.ts'
import { upstreamErrors } from '../../platform/http/serve.ts'
import { fiatCurrencies, isFiatCurrency } from '../../platform/values/rails.ts'
import { endUser, endUserType } from '../schema.rules.ts'
import { countKycSubmission } from './admission.ts'
import { kycSubmission } from './form/submission.rules.ts'
import { getKycLinks } from './links.ts'
import type { Kyc } from './ports.ts'
import { kycRequirementsOf } from './requirements.ts'
import { kycLinks, kycRequirements, rail } from './schema.ts'
import { submitKyc } from './submit.ts'

const oneRail = `(${fiatCurrencies.join('|')})`

const question = closed({
  country: Type.String({
    pattern: '^[A-Za-z]{3}$',
    errorText: 'must be a country code of three letters (ISO 3166-1 alpha-3)',
    description: 'ISO 3166-1 alpha-3, not case-sensitive.',
    examples: ['USA'],
  }),
  rails: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: `^${oneRail}(,${oneRail})*$`,
      errorText: `must be a list, separated by commas, of: ${fiatCurrencies.join(', ')}`,
      description: 'The currencies to enable, separated by commas. Default: `usd`.',
      examples: ['usd,eur'],
    }),
  ),
  type: Type.Optional({ ...endUserType, description: 'Default: `individual`.' }),
})

/** Checks the rate limit of a submission before its body is read. @throws ApiError `invalid_path` */
const admitKycSubmission = (request: FastifyRequest): Promise<void> =>
  countKycSubmission(request, businessOf(request), externalUserIdOf(request))

/** Fastify validates a path only after it has read the body. */
function externalUserIdOf(request: FastifyRequest): string {
  const validate = request.getValidationFunction('params')
  if (validate && !validate(request.params)) throw validationError(validate.errors ?? [], 'params')
  return (request.params as { externalUserId: string }).externalUserId
}

const { read, write } = operationsOf<Kyc>('Onboarding', 'end_users')

export const kycOperations = [
  write('POST /v0/end-users/:externalUserId/submit-kyc', {
    id: 'submitKyc',
    summary: 'Submit KYC data',
    sdk: 'kyc.submit(at, body)',
    example: {
      body: ({ agreement }) => ({
        type: 'individual',
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: 'ada@example.com',
        phone: '+12223334444',
        birth_date: '1990-12-10',
        residential_address: {
          street_line_1: '1 Analytical Way',
          city: 'San Francisco',
          subdivision: 'CA',
          postal_code: '94105',
          country: 'USA',
        },
        identifying_information: [{ type: 'ssn', issuing_country: 'usa', number: '123-45-6789' }],
        signed_agreement_id: agreement,
      }),
    },
    audit: { none: 'data that the provider judges, and that is not stored here' },
    description:
      'The body has the provider’s customer schema in snake_case. Causeway passes the data on in memory, and does not store, log or return it. `dryRun=true` validates the form and lists what is probably still missing. You can send large images as files: `multipart/form-data` with the JSON in the part `data`, and each file in a part named after the field it fills, such as `identifying_information[0].image_front`.',
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
      'terms_reliance_not_enabled',
      'kyc_not_resubmittable',
      ...upstreamErrors,
    ],
    run: ({ deps, scope, params, body, query }) => submitKyc(deps, scope, params.externalUserId, body, query),
  }),

  read('GET /v0/end-users/:externalUserId/kyc-links', {
    id: 'getKycLinks',
    summary: 'Read the KYC status and open links',
    sdk: 'kyc.links(at, query)',
    description:
      'With `currency`, the response is about that currency: an approved end-user without that currency gets the provider’s page for it, and `nextAction` links to that page.',
    query: closed({
      currency: Type.Optional(rail),
      redirectUri: Type.Optional(
        Type.String({
          minLength: 1,
          errorCode: 'invalid_redirect_uri',
          description:
            'Where the hosted page redirects the browser at the end: an absolute `https` URL. A page that is already open keeps its original URL until the end-user exists at the provider.',
        }),
      ),
      developer_accepted_tos: Type.Optional(
        Type.Literal(true, {
          errorText: 'must be true, or left out',
          description:
            'Declares that the end-user has accepted the terms in your own flow. Applies to a hosted page that this request creates, and requires `TERMS_RELIANCE`. `tosStatus` shows whether the provider accepts the declaration.',
        }),
      ),
    }),
    data: kycLinks,
    errors: ['holder_not_found', 'invalid_redirect_uri', 'terms_reliance_not_enabled', ...upstreamErrors],
    run: ({ deps, scope, params, query }) => getKycLinks(deps, scope.business, params.externalUserId, query),
  }),

  read('GET /v0/kyc-requirements', {
    id: 'getKycRequirements',
    summary: 'Read the requirements of a KYC submission',
    sdk: 'kyc.requirements(query)',
    example: { query: () => ({ country: 'USA', rails: 'usd' }) },
    description:
      'By country of residence or incorporation, rails and type. `dryRun` of `submit-kyc` applies the same rules. The provider decides whether the data is sufficient.',
    query: question,
    data: kycRequirements,
    run: ({ deps, query: { country, rails = 'usd', type = 'individual' } }) => {
      const asked = [...new Set(rails.split(',').filter(isFiatCurrency))]
      return kycRequirementsOf(deps, { country: country.toUpperCase(), rails: asked, type })
    },
  }),
]
