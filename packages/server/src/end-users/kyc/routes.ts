// KYC: what a submission has to hold, asked before anybody fills in a form; the submission; and where it stands with the
// links that are open.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type App, businessOf } from '../../platform/http/app.ts'
import { kycBody } from '../../platform/http/limits.ts'
import { businessRoutes, upstreamErrors } from '../../platform/http/route.ts'
import { closed, externalUserId, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { validationError } from '../../platform/http/schema/validation.ts'
import { fiatCurrencies, isFiatCurrency } from '../../platform/values/rails.ts'
import { endUser, endUserType, kycStatus, nextAction, requirements, tosStatus } from '../schema.rules.ts'
import { countKycSubmission } from './admission.ts'
import { kycSubmission } from './form/submission.rules.ts'
import { getKycLinks } from './links.ts'
import { kycRequirementsOf } from './requirements.ts'
import { submitKyc } from './submit.ts'

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })
const rail = oneOf('FiatCurrency', fiatCurrencies)
const required = oneOf('KycFieldNeed', ['always', 'conditional'], { description: '`conditional`: `rule` says when.' })
const rule = text('In words: when it is needed, its length, format or kind.')
const allowed = Type.Optional(texts('Every value there is.'))

const field = named('KycField', {
  requirement: text('What the provider calls it: the name in `requirements.currentlyDue` while it is missing.'),
  field: text('Where it stands in the submit-kyc body, dotted.'),
  required,
  rule,
  allowed,
})

const partField = named('KycPartField', {
  field: text('A property of the object.'),
  required: oneOf('KycPartNeed', ['always', 'conditional', 'optional'], {
    description: '`conditional`: `rule` says when.',
  }),
  rule,
  allowed,
})

const fileTypes = texts('Kinds of files, told by their first bytes.')
const bytesMax = Type.Integer({ description: 'Of one file, decoded.' })

const identityDocuments = named('KycIdentityDocuments', {
  taxId: Type.Object({
    required: Type.Boolean(),
    types: texts('An entry of `identifying_information` with one of these types, and its `number`.'),
    typesAreNamed: Type.Boolean({
      description: 'Whether the provider names these types for this country; else they are all types there are.',
    }),
    note: Type.String(),
  }),
  photoId: Type.Object({
    required: Type.Boolean(),
    types: texts('An entry of `identifying_information` with one of these types.'),
    sides: Type.Object({ image_front: required, image_back: required }),
    note: Type.String(),
  }),
  oneDocumentMayServeAsBoth: Type.Boolean({
    description: 'Whether a passport or national id with number and front image is tax id and photo id at once.',
  }),
})

const kycRequirements = named('KycRequirements', {
  country: Type.String(),
  type: endUserType,
  rails: Type.Array(rail),
  endorsements: texts('What the provider calls these rails: for `endorsements` of the body.'),
  defaultEndorsements: texts('What is asked for when the body has no `endorsements`.'),
  termsOfService: Type.Array(oneOf('TermsVersion', ['v1', 'v2']), {
    description: 'Versions of the terms to be accepted. The page of a `tosLink` shows what is needed.',
  }),
  fields: Type.Array(field, {
    description: 'What has to be there. A field that several requirements share is listed for each.',
  }),
  additionalForHighRisk: Type.Array(field, {
    description: 'What the provider asks for besides when it rates the customer as high risk.',
  }),
  accountFields: Type.Array(partField, {
    description:
      'Fields that `POST /v0/virtual-accounts` also needs for an end-user of this country: the travel rule data of the wallet.',
  }),
  identityDocuments,
  addressRules: named(
    { title: 'KycAddressRules', description: 'Of an address in this country.' },
    {
      subdivisionRequired: Type.Boolean(),
      postalCodeRequired: oneOf('PostalCodeNeed', ['always', 'whereTheCountryHasThem']),
      note: Type.String(),
      fields: Type.Array(partField),
    },
  ),
  documents: named('KycDocuments', {
    requiredPurposes: texts('There has to be a document for each.'),
    purposes: texts('All purposes there are.'),
    types: fileTypes,
    bytesMax,
    note: Type.String(),
  }),
  associatedPersons: nullable(
    Type.Object({ rules: texts('In words.'), fields: Type.Array(partField, { description: 'Of each person.' }) }),
  ),
  images: named(
    { title: 'KycImages', description: 'Of an identity document, as a `data:` URI.' },
    {
      types: fileTypes,
      bytesMax,
      pixelsMin: Type.Integer({ description: 'Width and height. Checked here for PNG and JPEG.' }),
    },
  ),
  notes: texts('Notes that concern no single field: dates, and evidence that does not count in this country.'),
})

const oneRail = `(${fiatCurrencies.join('|')})`

const question = closed({
  country: Type.String({
    pattern: '^[A-Za-z]{3}$',
    errorText: 'must be a country code of three letters (ISO 3166-1 alpha-3)',
    description: 'ISO 3166-1 alpha-3, in any case.',
    examples: ['USA'],
  }),
  rails: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: `^${oneRail}(,${oneRail})*$`,
      errorText: `must be a list, separated by commas, of: ${fiatCurrencies.join(', ')}`,
      description: 'Currencies to be opened, separated by commas. Default: `usd`.',
      examples: ['usd,eur'],
    }),
  ),
  type: Type.Optional({ ...endUserType, description: 'Default: `individual`.' }),
})

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
      'terms_reliance_not_enabled',
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
      currency: Type.Optional(rail),
      redirectUri: Type.Optional(
        Type.String({
          minLength: 1,
          errorCode: 'invalid_redirect_uri',
          description:
            'Where the hosted page sends the browser at its end: an absolute https address. A page that is open already keeps the address it was made with, until the provider has a customer.',
        }),
      ),
      developer_accepted_tos: Type.Optional(
        Type.Literal(true, {
          errorText: 'must be true, or left out',
          description:
            'States that the end-user has accepted the terms by your own means. It counts for a hosted page that this request creates, and needs `TERMS_RELIANCE`. `tosStatus` shows whether the provider takes it.',
        }),
      ),
    }),
    data: kycLinks,
    errors: ['holder_not_found', 'invalid_redirect_uri', 'terms_reliance_not_enabled', ...upstreamErrors],
    run: ({ deps, business, params, query }) => getKycLinks(deps, business, params.externalUserId, query),
  })

  route('GET /v0/kyc-requirements', {
    id: 'getKycRequirements',
    summary: 'Read what a KYC submission has to hold',
    description:
      'By country of residence or incorporation, rails and type. `dryRun` of `submit-kyc` judges a body by the same rules. Whether the data suffices is the provider’s verdict.',
    query: question,
    data: kycRequirements,
    run: ({ deps, query: { country, rails = 'usd', type = 'individual' } }) => {
      const asked = [...new Set(rails.split(',').filter(isFiatCurrency))]
      return kycRequirementsOf(deps, { country: country.toUpperCase(), rails: asked, type })
    },
  })
}

/** For the route that takes KYC: a hook that admits the submission before the body is read. @throws ApiError `invalid_path` */
const admitKycSubmission = (request: FastifyRequest): Promise<void> =>
  countKycSubmission(request, businessOf(request), externalUserIdOf(request))

/** Fastify validates a path after it has read the body. */
function externalUserIdOf(request: FastifyRequest): string {
  const validate = request.getValidationFunction('params')
  if (validate && !validate(request.params)) throw validationError(validate.errors ?? [], 'params')
  return (request.params as { externalUserId: string }).externalUserId
}
