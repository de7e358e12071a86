// The provider's refusals and failures, in the distinctions of `ProviderError`. Four shapes of body are in use:
// `{code, message, source: {key: "a,b"}}`, `source.key` as a map of field → message (nested at times),
// `{code, message, location, name}` and `{errors: [{code, message}]}`.

import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { items, member, parseJson, text, WireError } from '../../http/fields.ts'
import { ProviderError, type ProviderErrorKind, type ProviderKycLink } from '../../port.ts'
import { readKycLink } from './customer.ts'

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; body: string }

const fieldsMax = 100
const fieldDepthMax = 8
const retryAfterSecondsMax = 24 * 3600

/** What an answer that is not 2xx means. */
export function errorOfAnswer(answer: HttpAnswer): ProviderError {
  const body = objectOrNull(answer.body)
  return new ProviderError(isStateConflict(answer) ? 'unavailable' : kindOf(answer.status, body !== null), {
    status: answer.status,
    retryAfterSeconds: retryAfterSeconds(answer.headers),
    ...(body !== null && {
      code: providerCodeOf(body),
      fields: fieldsOf(body),
      reason: [body, ...nestedErrors(body)].map((each) => text(each, 'message')).find((each) => each !== null) ?? null,
      existingKycLink: existingKycLink(body),
    }),
  })
}

/** The object is being changed by something else right now: not an answer for good. */
export function isStateConflict({ status, body }: HttpAnswer): boolean {
  const refusal = status === 409 ? objectOrNull(body) : null
  return refusal !== null && providerCodeOf(refusal) === 'resource_state_conflict'
}

// 4xx that say "not now" instead of "no": request timeout, too early, failed dependency, rate limit.
const transientStatuses: ReadonlySet<number> = new Set([408, 424, 425, 429])

/** Only a JSON object is taken for the provider's word: a proxy's HTML 404 must not read as "this customer is gone". */
function kindOf(status: number, spoken: boolean): ProviderErrorKind {
  if (status === 401) return 'unauthorized'
  if (status < 400 || status >= 500 || transientStatuses.has(status) || !spoken) return 'unavailable'
  return status === 404 ? 'not_found' : 'rejected'
}

function objectOrNull(body: string): JsonObject | null {
  try {
    const value = parseJson(body)
    return isJsonObject(value) ? value : null
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

function nestedErrors(body: JsonObject): JsonObject[] {
  return items(body['errors']).filter(isJsonObject)
}

/** A code becomes part of messages and logs, so only what looks like an identifier is one. */
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

/** A `duplicate_record` answer to a KYC link names the link that exists already. */
function existingKycLink(body: JsonObject): ProviderKycLink | null {
  try {
    return isJsonObject(body['existing_kyc_link']) ? readKycLink(body['existing_kyc_link']) : null
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

/** Seconds, or a date; a date is measured against the answer's own `Date`, so neither side's clock matters. */
function retryAfterSeconds(headers: HttpAnswer['headers']): number | null {
  const value = headers['retry-after']
  if (value === undefined) return null
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.parse(headers.date ?? '')) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), retryAfterSecondsMax)
}
