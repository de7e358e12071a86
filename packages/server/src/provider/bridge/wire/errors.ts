// Maps the provider's refusals and failures to the kinds of `ProviderError`. Four body shapes are in use: `{code,
// message, source: {key: "a,b"}}`, `source.key` as a map of field → message (sometimes nested), `{code, message,
// location, name}` and `{errors: [{code, message}]}`.

import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { failureOfAnswer, type HttpAnswer, objectOrNull } from '../../http/failures.ts'
import { items, member, text, WireError } from '../../http/fields.ts'
import type { HostedPage, ProviderError, Refusal } from '../../port.ts'
import { pageOf } from '../verdict.ts'
import { readKycLink } from './customer.ts'

const fieldsMax = 100
const fieldDepthMax = 8

/** The error for a response that is not 2xx. */
export function errorOfAnswer(answer: HttpAnswer): ProviderError {
  return failureOfAnswer(answer, saidIn, isStateConflict(answer) ? 'unavailable' : null)
}

function saidIn(body: JsonObject) {
  const code = providerCodeOf(body)
  const fields = fieldsOf(body)
  return {
    code,
    refusal: refusalOf(code, Object.keys(fields)),
    fields,
    reason: [body, ...nestedErrors(body)].map((each) => text(each, 'message')).find((each) => each !== null) ?? null,
    existingPage: existingPage(body),
  }
}

const refusals: ReadonlyMap<string, Refusal> = new Map([
  ['has_not_accepted_tos', 'terms_not_accepted'],
  ['requires_active_kyc_status', 'kyc_not_approved'],
  ['missing_required_endorsements', 'rail_not_open'],
  ['endorsement_requirements_not_met', 'rail_not_open'],
  ['duplicate_record', 'already_there'],
  ['frozen', 'frozen'],
  ['not_allowed', 'not_enabled'],
  ['developer_limits_exceeded', 'limit_reached'],
  ['aml_violation', 'not_served'],
])

function refusalOf(code: string | null, named: readonly string[]): Refusal | null {
  const known = refusals.get(code ?? '') ?? null
  // Among other fields, the agreement is one of the things that a complete company needs.
  const isOfAgreement = named.length > 0 && named.every((name) => name.includes('signed_agreement_id'))
  return isOfAgreement && known !== 'terms_not_accepted' ? 'agreement_invalid' : known
}

/** Something else is changing the object right now: the response is not final. */
export function isStateConflict({ status, body }: HttpAnswer): boolean {
  const refusal = status === 409 ? objectOrNull(body) : null
  return refusal !== null && providerCodeOf(refusal) === 'resource_state_conflict'
}

function nestedErrors(body: JsonObject): JsonObject[] {
  return items(body['errors']).filter(isJsonObject)
}

/** A code becomes part of messages and logs, so it must look like an identifier. */
function providerCodeOf(body: JsonObject): string | null {
  const code =
    text(body, 'code') ??
    nestedErrors(body)
      .map((error) => text(error, 'code'))
      .find((each) => each !== null)
  return code && /^[a-z][\w.]{0,63}$/i.test(code) ? code : null
}

function fieldsOf(body: JsonObject): Record<string, string> {
  const entries = [body, ...nestedErrors(body)].flatMap(fieldEntries)
  return Object.fromEntries(entries.slice(0, fieldsMax))
}

function fieldEntries(error: JsonObject): [string, string][] {
  const message = text(error, 'message') ?? ''
  const key = member(error, 'source')['key']
  if (isJsonObject(key)) return flatten(key, [])
  const names = typeof key === 'string' ? key : text(error, 'name')
  return (names ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => [name, message])
}

function flatten(value: JsonObject, path: string[]): [string, string][] {
  if (path.length === fieldDepthMax) return []
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    const here = [...path, name]
    return isJsonObject(inner) ? flatten(inner, here) : [[here.join('.'), messageOf(inner)]]
  })
}

function messageOf(value: Json): string {
  return items(Array.isArray(value) ? value : [value])
    .filter((part) => typeof part === 'string')
    .join('; ')
}

/** A `duplicate_record` response to a KYC link names the existing link. */
function existingPage(body: JsonObject): HostedPage | null {
  try {
    return isJsonObject(body['existing_kyc_link']) ? pageOf(readKycLink(body['existing_kyc_link'])) : null
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}
