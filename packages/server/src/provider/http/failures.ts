// Maps an HTTP response without success to a `ProviderError`.

import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonObject } from '../../platform/values/json.ts'
import { ProviderError, type ProviderErrorKind } from '../port.ts'
import { parseJson, WireError } from './fields.ts'

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; body: string }

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

type Details = Omit<NonNullable<ConstructorParameters<typeof ProviderError>[1]>, 'status' | 'retryAfterSeconds'>

const retryAfterSecondsMax = 24 * 3600

/**
 * Creates the error for a response without success.
 * @param detailsOf reads the details of the failure from the body
 * @param kind if the provider uses the status with another meaning
 */
export function failureOfAnswer(
  answer: HttpAnswer,
  detailsOf: (body: JsonObject) => Details,
  kind: ProviderErrorKind | null = null,
): ProviderError {
  const body = objectOrNull(answer.body)
  return new ProviderError(kind ?? kindOf(answer.status, body !== null), {
    status: answer.status,
    retryAfterSeconds: retryAfterSeconds(answer.headers),
    ...(body !== null && detailsOf(body)),
  })
}

// 4xx statuses that mean "not now": request timeout, too early, failed dependency, rate limit.
const transientStatuses: ReadonlySet<number> = new Set([408, 424, 425, 429])

/** Only a JSON object counts as the provider's response: a proxy's HTML 404 must not mean "customer deleted". */
function kindOf(status: number, spoken: boolean): ProviderErrorKind {
  if (status === 401) return 'unauthorized'
  if (status < 400 || status >= 500 || transientStatuses.has(status) || !spoken) return 'unavailable'
  return status === 404 ? 'not_found' : 'rejected'
}

export function objectOrNull(body: string): JsonObject | null {
  try {
    const value = parseJson(body)
    return isJsonObject(value) ? value : null
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

/** Seconds, or a date; a date is compared with the response's own `Date`, so neither side's clock matters. */
function retryAfterSeconds(headers: HttpAnswer['headers']): number | null {
  const value = headers['retry-after']
  if (value === undefined) return null
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.parse(headers.date ?? '')) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), retryAfterSecondsMax)
}
