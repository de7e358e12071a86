// Builds KYC bodies only from the response of GET /v0/kyc-requirements.

import assert from 'node:assert/strict'
import { idImage } from '../../../cli/src/demo/image.ts'
import { numberKindOf } from '../../../forms/src/countries/number-kinds.ts'
import { shownForm } from '../../../forms/src/tax-numbers.ts'
import { checkKycSubmission, missingForApproval } from '../../src/end-users/kyc/form/submission.rules.ts'
import type { Json, JsonObject } from '../../src/platform/values/json.ts'

export type KycNeedTold = { requirement: string; field: string; required: string; rule: string; allowed?: string[] }

export type KycAnswer = {
  country: string
  type: 'individual' | 'business'
  rails: string[]
  endorsements: string[]
  termsOfService: string[]
  fields: KycNeedTold[]
  additionalForHighRisk: KycNeedTold[]
  identityDocuments: {
    taxId: {
      required: boolean
      types: string[]
      usual: { type: string; name: string; form: string | null }[]
      typesAreNamed: boolean
      note: string
    }
    photoId: { required: boolean; types: string[]; note: string }
    oneDocumentMayServeAsBoth: boolean
  }
  addressRules: {
    subdivisionRequired: boolean
    postalCodeRequired: string
    subdivisions: { code: string }[]
    postalCodeExample: string | null
  }
  documents: { requiredPurposes: string[] }
  associatedPersons: { fields: { field: string; required: string }[] } | null
  images: object
}

export type Paper = { type: string; numbered: boolean; pictured: boolean }

const image = idImage()

/** Valid values; the response decides which of them a body gets. */
const values: Readonly<Record<string, Json>> = {
  email: 'ada@example.com',
  birth_date: '1990-01-15',
  nationalities: ['FRA'],
  business_industry: ['541715'],
  primary_website: 'https://example.com',
  is_dao: false,
  incorporation_date: '2020-02-29',
  has_foreign_tax_registration: false,
  has_material_intermediary_ownership: false,
  has_ownership: true,
  has_control: true,
  is_signer: true,
  is_director: true,
  ownership_percentage: 50,
  place_of_birth: { country: 'FRA' },
}

function goodValue(answer: KycAnswer, { field, allowed }: { field: string; allowed?: string[] }): Json {
  const name = field.split('.').at(-1) ?? field
  if (name === 'country') return answer.country
  if (name === 'subdivision') return answer.addressRules.subdivisions[0]?.code ?? 'CA'
  if (name === 'postal_code') return answer.addressRules.postalCodeExample ?? '12345'
  return values[name] ?? allowed?.[0] ?? 'Some text'
}

/** A number of the form that its kind has. */
const numberOf = (type: string, country: string): string =>
  shownForm(numberKindOf(type, country).forms[0] ?? 'X1234567').replaceAll('A', 'B')

function paperOf(answer: KycAnswer, { type, numbered, pictured }: Paper): JsonObject {
  return {
    type,
    issuing_country: answer.country,
    description: 'A paper',
    ...(numbered ? { number: numberOf(type, answer.country) } : {}),
    ...(pictured ? { image_front: image } : {}),
  }
}

/** Of another kind than the number. */
const photoTypeOf = ({ identityDocuments: { taxId, photoId } }: KycAnswer): string =>
  photoId.types.find((type) => type !== taxId.types[0]) ?? ''

/** One paper for each that is required, and never one that is both. */
function papersFor(answer: KycAnswer): Paper[] {
  const { taxId, photoId } = answer.identityDocuments
  return [
    ...(taxId.required ? [{ type: taxId.types[0] ?? '', numbered: true, pictured: false }] : []),
    ...(photoId.required ? [{ type: photoTypeOf(answer), numbered: false, pictured: true }] : []),
  ]
}

/** The required fields, each with its place and requirement. */
export function needsIn(answer: KycAnswer): KycNeedTold[] {
  return answer.fields.filter(({ required }) => required === 'always')
}

const withImages = ['identifying_information', 'documents', 'associated_persons']

export function fullBody(answer: KycAnswer, papers: readonly Paper[] = papersFor(answer)): JsonObject {
  const body: JsonObject = { type: answer.type }
  for (const need of needsIn(answer)) {
    const [property = '', member] = need.field.split('.')
    if (withImages.includes(property)) continue
    if (member === undefined) body[property] = goodValue(answer, need)
    else body[property] = { ...(body[property] as JsonObject | undefined), [member]: goodValue(answer, need) }
  }
  const { requiredPurposes } = answer.documents
  return {
    ...body,
    ...(papers.length > 0 ? { identifying_information: papers.map((paper) => paperOf(answer, paper)) } : {}),
    ...(requiredPurposes.length > 0 ? { documents: requiredPurposes.map(documentOf) } : {}),
    ...(answer.associatedPersons ? { associated_persons: [personOf(answer)] } : {}),
  }
}

const documentOf = (purpose: string): JsonObject => ({ purposes: [purpose], file: image })

function personOf(answer: KycAnswer): JsonObject {
  const person: JsonObject = {}
  for (const told of answer.associatedPersons?.fields ?? []) person[told.field] = goodValue(answer, told)
  return {
    ...person,
    // According to the response, for a person of this country.
    residential_address: {
      street_line_1: '1 Main Street',
      city: 'Here',
      country: answer.country,
      subdivision: answer.addressRules.subdivisions[0]?.code ?? 'CA',
      postal_code: answer.addressRules.postalCodeExample ?? '12345',
    },
    identifying_information: [{ type: 'passport', issuing_country: answer.country, number: 'X1', image_front: image }],
  }
}

function missingOf(body: JsonObject): string[] {
  const checked = checkKycSubmission(body, { nowMs: Date.now() })
  assert.ok(checked.ok, JSON.stringify(checked.ok ? '' : checked.problems))
  return missingForApproval(checked.body)
}

export function bodyFor(answer: KycAnswer, papers?: readonly Paper[]): { value: JsonObject; missing: string[] } {
  const value = fullBody(answer, papers)
  return { value, missing: missingOf(value) }
}

/**
 * Lists the missing requirements of the body without this field. A body that cannot be sent counts as missing it, too.
 */
export function withoutNeed(answer: KycAnswer, body: JsonObject, { field, requirement }: KycNeedTold): string[] {
  const [property = '', member] = field.split('.')
  const { [property]: whole, ...rest } = body
  const left: JsonObject = member === undefined ? partlyLeft(answer, rest, whole, requirement) : { ...rest }
  if (member !== undefined) {
    const { [member]: _, ...others } = whole as JsonObject
    left[property] = others
  }
  const checked = checkKycSubmission(left, { nowMs: Date.now() })
  if (checked.ok) return missingForApproval(checked.body)
  const params = checked.problems.map(({ param }) => param)
  assert.deepEqual(params, [field], 'nothing else is wrong with it')
  return [requirement]
}

/** From a list that serves several requirements, removes only the entries for this one. */
function partlyLeft(answer: KycAnswer, rest: JsonObject, whole: Json | undefined, requirement: string): JsonObject {
  if (!Array.isArray(whole)) return rest
  const serves: Readonly<Record<string, (item: JsonObject) => boolean>> = {
    tax_identification_number: ({ type }) => answer.identityDocuments.taxId.types[0] === type,
    government_id_verification: ({ type }) => photoTypeOf(answer) === type,
    business_formation_document: ({ purposes }) => String(purposes).includes('business_formation'),
    business_ownership_document: ({ purposes }) => String(purposes).includes('ownership_information'),
  }
  const goes = serves[requirement]
  if (goes === undefined) return rest
  const property = requirement.startsWith('business') ? 'documents' : 'identifying_information'
  const kept = whole.filter((item) => !goes(item as JsonObject))
  assert.equal(kept.length, whole.length - 1)
  return { ...rest, [property]: kept }
}
