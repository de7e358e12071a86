// How the API shows what a KYC submission has to hold, and where KYC stands.

import { Type } from 'typebox'
import { externalUserId, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { fiatCurrencies } from '../../platform/values/rails.ts'
import { endUserType, kycStatus, nextAction, requirements, tosStatus } from '../schema.rules.ts'

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })
export const rail = oneOf('FiatCurrency', fiatCurrencies)
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
    usual: Type.Array(
      named('KycUsualNumber', {
        type: text('One of `types`.'),
        name: text('What the number is called in the country.'),
        form: nullable(Type.String({ description: '9 is a digit, A a letter, X either. Null: any text is taken.' })),
      }),
      { description: 'The usual numbers of this country, the most usual one first.' },
    ),
    typesAreNamed: Type.Boolean({
      description: 'Whether the provider names these types for this country; else they are all types there are.',
    }),
    note: Type.String(),
  }),
  photoId: Type.Object({
    required: Type.Boolean(),
    types: texts(
      'An entry of `identifying_information` with one of these types, the usual ones of this country first.',
    ),
    nationalIdName: nullable(
      Type.String({ description: 'What the identity card is called in the country; null where it issues none.' }),
    ),
    sides: Type.Object({ image_front: required, image_back: required }),
    note: Type.String(),
  }),
  oneDocumentMayServeAsBoth: Type.Boolean({
    description: 'Whether a passport or national id with number and front image is tax id and photo id at once.',
  }),
})

export const kycRequirements = named('KycRequirements', {
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
      postalCodeRequired: oneOf('PostalCodeNeed', ['always', 'optional', 'never'], {
        description: '`never`: the country has no postal codes.',
      }),
      names: Type.Object(
        { city: Type.String(), subdivision: nullable(Type.String()), postal_code: nullable(Type.String()) },
        { description: 'What the parts are called, such as `state`, `province`, `zip`; null: addresses have none.' },
      ),
      subdivisions: Type.Array(Type.Object({ code: Type.String(), name: Type.String() }), {
        description: 'The codes for `subdivision` (ISO 3166-2, without the country); empty where addresses name none.',
      }),
      isSubdivisionUsual: Type.Boolean({ description: 'Whether an address is written with its subdivision.' }),
      postalCodePattern: nullable(Type.String({ description: 'A regular expression for the whole code.' })),
      postalCodeExample: nullable(Type.String()),
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

export const kycLinks = named('KycLinks', {
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
