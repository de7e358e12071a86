// What a submit-kyc body has to hold, by country, rails and type: asked before anybody fills in a form.

import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { businessRoutes } from '../../platform/http/route.ts'
import { closed, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { fiatCurrencies, isFiatCurrency } from '../../platform/values/rails.ts'
import { kycTypes } from './form/country.rules.ts'
import { kycRequirementsOf } from './requirements.ts'

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })
const rail = oneOf(fiatCurrencies)
const required = oneOf(['always', 'conditional'], { description: '`conditional`: `rule` says when.' })
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
  required: oneOf(['always', 'conditional', 'optional'], { description: '`conditional`: `rule` says when.' }),
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
  type: oneOf(kycTypes),
  rails: Type.Array(rail),
  endorsements: texts('What the provider calls these rails: for `endorsements` of the body.'),
  defaultEndorsements: texts('What is asked for when the body has no `endorsements`.'),
  termsOfService: Type.Array(oneOf(['v1', 'v2']), {
    description: 'Versions of the terms to be accepted. The page of a `tosLink` shows what is needed.',
  }),
  fields: Type.Array(field, {
    description: 'What has to be there. A field that several requirements share is listed for each.',
  }),
  additionalForHighRisk: Type.Array(field, {
    description: 'What the provider asks for besides when it rates the customer as high risk.',
  }),
  identityDocuments,
  addressRules: named(
    { title: 'KycAddressRules', description: 'Of an address in this country.' },
    {
      subdivisionRequired: Type.Boolean(),
      postalCodeRequired: oneOf(['always', 'whereTheCountryHasThem']),
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
  type: Type.Optional(oneOf(kycTypes, { description: 'Default: `individual`.' })),
})

export function kycRequirementRoutes(app: App): void {
  const { route } = businessRoutes(app, 'Onboarding', 'end_users')

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
