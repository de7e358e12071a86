// The API representation of KYC requirements and of the KYC state.

import { Type } from 'typebox'
import { externalUserId, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { fiatCurrencies } from '../../platform/values/rails.ts'
import { endUserType, kycStatus, nextAction, requirements, tosStatus } from '../schema.rules.ts'

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })
export const rail = oneOf('FiatCurrency', fiatCurrencies)
const required = oneOf('KycFieldNeed', ['always', 'conditional'], {
  description: '`conditional`: required under the condition in `rule`.',
})
const rule = text('A description: when the field is required, its length, format or kind.')
const allowed = Type.Optional(texts('All allowed values.'))

const field = named('KycField', {
  requirement: text('The provider’s name of the requirement, as in `requirements.currentlyDue` while it is missing.'),
  field: text('The path in the submit-kyc body, written with dots.'),
  required,
  rule,
  allowed,
})

const partField = named('KycPartField', {
  field: text('A property of the object.'),
  required: oneOf('KycPartNeed', ['always', 'conditional', 'optional'], {
    description: '`conditional`: required under the condition in `rule`.',
  }),
  rule,
  allowed,
})

const fileTypes = texts('Accepted file types, detected from the first bytes of a file.')
const bytesMax = Type.Integer({ description: 'The maximum size of a file after decoding.' })

const identityDocuments = named('KycIdentityDocuments', {
  taxId: Type.Object({
    required: Type.Boolean(),
    types: texts('An entry of `identifying_information` with one of these types, and its `number`.'),
    usual: Type.Array(
      named('KycUsualNumber', {
        type: text('One of `types`.'),
        name: text('The name of the number in the country.'),
        form: nullable(Type.String({ description: '9 is a digit, A a letter, X either. Null: any text is accepted.' })),
      }),
      { description: 'The usual numbers of this country, the most usual one first.' },
    ),
    typesAreNamed: Type.Boolean({
      description: 'Whether the provider lists these types for this country; if false, they are all types that exist.',
    }),
    note: Type.String(),
  }),
  photoId: Type.Object({
    required: Type.Boolean(),
    types: texts(
      'An entry of `identifying_information` with one of these types, the usual ones of this country first.',
    ),
    nationalIdName: nullable(
      Type.String({ description: 'The name of the identity card in the country; null if the country issues none.' }),
    ),
    sides: Type.Object({ image_front: required, image_back: required }),
    note: Type.String(),
  }),
  oneDocumentMayServeAsBoth: Type.Boolean({
    description: 'Whether a passport or national ID with number and front image counts as both tax ID and photo ID.',
  }),
})

export const kycRequirements = named('KycRequirements', {
  country: Type.String(),
  type: endUserType,
  rails: Type.Array(rail),
  endorsements: texts('The provider’s names of these rails: for `endorsements` of the body.'),
  defaultEndorsements: texts('The endorsements that are requested if the body has no `endorsements`.'),
  termsOfService: Type.Array(oneOf('TermsVersion', ['v1', 'v2']), {
    description: 'Versions of the terms to be accepted. The page of a `tosLink` shows what is needed.',
  }),
  fields: Type.Array(field, {
    description: 'Required fields. A field that several requirements share is listed for each.',
  }),
  additionalForHighRisk: Type.Array(field, {
    description: 'What the provider also requires if it rates the customer as high risk.',
  }),
  accountFields: Type.Array(partField, {
    description:
      'Fields that `POST /v0/virtual-accounts` also needs for an end-user of this country: the travel rule data of the wallet.',
  }),
  identityDocuments,
  addressRules: named(
    { title: 'KycAddressRules', description: 'Rules for addresses in this country.' },
    {
      subdivisionRequired: Type.Boolean(),
      postalCodeRequired: oneOf('PostalCodeNeed', ['always', 'optional', 'never'], {
        description: '`never`: the country has no postal codes.',
      }),
      names: Type.Object(
        { city: Type.String(), subdivision: nullable(Type.String()), postal_code: nullable(Type.String()) },
        {
          description:
            'The local names of the address parts, such as `state`, `province`, `zip`; null: addresses have no such part.',
        },
      ),
      subdivisions: Type.Array(Type.Object({ code: Type.String(), name: Type.String() }), {
        description: 'The codes for `subdivision` (ISO 3166-2, without the country); empty if addresses contain none.',
      }),
      isSubdivisionUsual: Type.Boolean({ description: 'Whether addresses usually contain the subdivision.' }),
      postalCodePattern: nullable(Type.String({ description: 'A regular expression for the whole code.' })),
      postalCodeExample: nullable(Type.String()),
      note: Type.String(),
      fields: Type.Array(partField),
    },
  ),
  documents: named('KycDocuments', {
    requiredPurposes: texts('One document is required for each purpose.'),
    purposes: texts('All allowed purposes.'),
    types: fileTypes,
    bytesMax,
    note: Type.String(),
  }),
  associatedPersons: nullable(
    Type.Object({
      rules: texts('A description of the problem.'),
      fields: Type.Array(partField, { description: 'The fields of each person.' }),
    }),
  ),
  images: named(
    { title: 'KycImages', description: 'Images of identity documents, as `data:` URIs.' },
    {
      types: fileTypes,
      bytesMax,
      pixelsMin: Type.Integer({ description: 'Minimum width and height. Causeway checks PNG and JPEG.' }),
    },
  ),
  notes: texts('Notes that do not concern a single field: dates, and documents that are not accepted in this country.'),
})

export const kycLinks = named('KycLinks', {
  externalUserId,
  kycStatus,
  tosStatus,
  kycLink: nullable(
    Type.String({ description: 'The provider’s hosted page; null if the end-user has nothing to do there.' }),
  ),
  tosLink: nullable(Type.String()),
  rejectionReasons: Type.Array(Type.String({ description: 'A description that you can show to the end-user.' })),
  requirements,
  associatedPersons: Type.Array(Type.Object({ id: Type.String(), email: nullable(Type.String()) }), {
    description:
      'The people of a company that is not approved yet, as the provider lists them. `requirements` and `nextAction` refer to people by these IDs. Read from the provider on each request.',
  }),
  nextAction,
})
