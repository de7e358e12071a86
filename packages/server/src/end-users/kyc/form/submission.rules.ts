// The submit-kyc body: its form, and what the provider is likely to ask for beyond it. Whether the data suffices is the
// provider's verdict.

import type { DefaultEndorsement } from '../../../platform/config.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { words } from '../../../platform/values/words.ts'
import { problemsByCountry } from './by-country.rules.ts'
import { codeOf, type KycType, kycTypes, needsOf } from './country.rules.ts'
import { businessFields, individualFields } from './fields.rules.ts'
import { type Fields, judge, object, oneOf, type Problem, requiredWhen } from './form.rules.ts'

/** More problems help no reader, and a hostile body could ask for thousands. */
export const problemsMax = 200

type KycSubmission = { ok: true; body: JsonObject; type: KycType } | { ok: false; problems: Problem[] }

/** The properties of a body of each type. */
export const fieldsByType = { individual: individualFields, business: businessFields }

const attestation = requiredWhen(
  'signed_agreement_id',
  'has_accepted_terms_of_service',
  { const: true },
  'is required when has_accepted_terms_of_service is true',
)

const described = (type: KycType, title: string) =>
  object({ type: { type: 'string', const: type, description: 'always this word' }, ...fieldsByType[type] }, [], {
    title,
    ...attestation,
    description:
      'No property is required for a valid form; `GET /v0/kyc-requirements` lists what an approval needs. Other properties are passed on to the provider.',
  })

/** The body as the description of the API shows it. */
export const kycSubmission = {
  title: 'KycSubmission',
  type: 'object',
  minProperties: 1,
  anyOf: [described('individual', 'KycIndividual'), described('business', 'KycBusiness')],
}

const forms = {
  individual: object({ type: oneOf('EndUserType', kycTypes), ...individualFields }, [], attestation),
  business: object({ type: oneOf('EndUserType', kycTypes), ...businessFields }, [], attestation),
}

/**
 * Checks the form of a body, and changes it to what is sent on: with its `type`, country and subdivision codes in upper case.
 * A property that no schema names passes, unless it is a known one in camel case.
 * @param options.defaultType the type of a body without `type`
 * @returns the body, or every problem of it, none with its value
 */
export function checkKycSubmission(body: unknown, options: { nowMs: number; defaultType?: KycType }): KycSubmission {
  if (!isJsonObject(body)) {
    return { ok: false, problems: [{ param: '', code: 'invalid_type', message: 'The body must be an object.' }] }
  }
  const type = kycTypes.find((known) => known === body['type']) ?? options.defaultType ?? 'individual'
  const form = [...camelCaseProblems(body, fieldsByType[type]), ...judge(forms[type], body, options.nowMs)]
  const wrong = new Set(form.map(({ param }) => param))
  const problems = [...form, ...problemsByCountry(body).filter(({ param }) => !wrong.has(param))]
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, problemsMax) }
  return { ok: true, body: { ...body, type }, type }
}

const statements = words(`
  has_accepted_terms_of_service verified_govid_at verified_selfie_at verified_database_at verified_proof_of_address_at
  verified_business_formation_at verified_business_registry_at verified_evidence_of_good_standing_at verified_ownership_at
  verified_account_authorization_at kyc_screen kyb_screen ofac_screen`)

/** Lists the associated persons of a submission. */
export function peopleOf(submission: JsonObject): JsonObject[] {
  const people = submission['associated_persons']
  return Array.isArray(people) ? people.filter(isJsonObject) : []
}

/** Lists what only a business can state about its own checks: the words of an end-user are no such statement. */
export function statementProblems(body: JsonObject): Problem[] {
  const people = Array.isArray(body['associated_persons']) ? body['associated_persons'] : []
  const places: [string, Json][] = [
    ['', body],
    ...people.map((one, at) => [`associated_persons[${at}].`, one] as [string, Json]),
  ]
  return places.flatMap(([place, holder]) =>
    statements.flatMap((name): Problem[] => {
      const param = `${place}${name}`
      const message = `${param} can be set only by the business.`
      return isJsonObject(holder) && Object.hasOwn(holder, name) ? [{ param, code: 'unknown_field', message }] : []
    }),
  )
}

// No name of a field is longer, and a name that is longer need not be searched.
const nameCharsMax = 64

/** An unknown property passes through, but the provider would drop a known one in camel case without a word. */
function camelCaseProblems(body: JsonObject, fields: Fields): Problem[] {
  return Object.keys(body).flatMap((name) => {
    if (name.length > nameCharsMax || !/[A-Z]/.test(name)) return []
    const meant = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const message = `${name} is not known here (did you mean \`${meant}\`?).`
    return Object.hasOwn(fields, meant) ? [{ param: name, code: 'unknown_field', message }] : []
  })
}

/**
 * Lists what the provider will probably find missing, in its own requirement names; the agreement to the terms is apart.
 * @param body one that `checkKycSubmission` let pass
 */
export function missingForApproval(body: JsonObject): string[] {
  const needs = needsOf(body['type'] === 'business' ? 'business' : 'individual', residenceOf(body))
  return [...new Set(needs.filter((need) => !need.isMet(body)).map(({ requirement }) => requirement))]
}

/** Reads where the person of a submission lives, or where a company is registered: alpha-3, upper case. */
export function residenceOf(body: JsonObject): string | undefined {
  const address = body[body['type'] === 'business' ? 'registered_address' : 'residential_address']
  return isJsonObject(address) ? codeOf(address['country']) : undefined
}

/** @param country alpha-3; undefined while it is not known */
export function defaultEndorsementsOf(defaults: readonly DefaultEndorsement[], country: string | undefined): string[] {
  return defaults.filter((each) => each.country === null || each.country === country).map(({ name }) => name)
}
