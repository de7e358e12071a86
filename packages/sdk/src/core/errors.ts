// The errors of a request: API errors by category, a timeout, and an abort by the caller.

import type { ErrorCodes } from '../generated/error-codes.gen.ts'
import type { ErrorBody, ErrorCode, ErrorDetail, ErrorType } from '../generated/types.gen.ts'
import { CausewayError } from './causeway-error.ts'

/** `unexpected_response`: the response does not come from this API, for example because of a proxy or a wrong `baseUrl`. */
export type ApiErrorCode = ErrorCode | 'unexpected_response'

/** The status and headers of a response. */
export interface ResponseFacts {
  readonly status: number
  readonly requestId: string | null
  readonly retryAfterMs: number | null
  /** The cursor of the `Link` header. */
  readonly nextCursor: string | null
}

/** The API refused the request. Check the class or `code`, because `message` can change. */
export class ApiError extends CausewayError {
  static override readonly brand: string = 'ApiError'
  declare readonly code: ApiErrorCode
  /** The HTTP status. */
  readonly status: number
  /** The category, which follows from the status. Null for `unexpected_response`. */
  readonly type: ErrorType | null
  /** Quote this ID when you ask about the request. Null when the response has none. */
  readonly requestId: string | null
  /** True if the same request can succeed later. */
  readonly retryable: boolean
  /** The next step for the caller. */
  readonly resolution: string
  /** URL of the documentation of this code, or null. */
  readonly docUrl: string | null
  /** The invalid field as a dotted name, or null. */
  readonly param: string | null
  /** All problems of the request. */
  readonly details: readonly ErrorDetail[]
  /** The delay of `Retry-After` in milliseconds, or null. */
  readonly retryAfterMs: number | null
  /** For `cursor_expired`: the cursor to continue from, after the deleted events. Otherwise null. */
  readonly nextCursor: string | null

  constructor(facts: ResponseFacts, error: ErrorBody | null) {
    super(error?.code ?? 'unexpected_response', textOf(facts, error))
    this.status = facts.status
    this.type = error?.type ?? null
    this.requestId = error?.requestId ?? facts.requestId
    this.retryable = error?.retryable ?? (facts.status >= 500 || [408, 425, 429].includes(facts.status))
    this.resolution = error?.resolution ?? unexpected
    this.docUrl = error?.docUrl ?? null
    this.param = error?.param ?? null
    this.details = error?.details ?? []
    this.retryAfterMs = facts.retryAfterMs
    this.nextCursor = facts.nextCursor
  }
}

const unexpected = 'Check that baseUrl is the URL of Causeway, and check proxies and redirects on the way.'

function textOf({ status, requestId }: ResponseFacts, error: ErrorBody | null): string {
  const request = error?.requestId ?? requestId
  const end = request === null ? '' : ` (request ${request})`
  if (error === null) return `${status}: the response does not come from this API. ${unexpected}${end}`
  const details = (error.details ?? []).map(({ param, message }) => `\n  ${param}: ${message}`).join('')
  return `${status} ${error.code}: ${error.message} ${error.resolution}${end}${details}`
}

/** 400, 405, 413, 415: the request is not valid. `details` lists every problem. */
export class ValidationError extends ApiError {
  static override readonly brand = 'ValidationError'
  declare readonly code: ErrorCodes['validation_error']
}
/** 401: the API key is missing or not valid. */
export class AuthenticationError extends ApiError {
  static override readonly brand = 'AuthenticationError'
  declare readonly code: ErrorCodes['authentication_error']
}
/** 403: the key lacks a scope, or the business is suspended. */
export class PermissionError extends ApiError {
  static override readonly brand = 'PermissionError'
  declare readonly code: ErrorCodes['permission_error']
}
/** 404: the object does not exist, or belongs to another business. */
export class NotFoundError extends ApiError {
  static override readonly brand = 'NotFoundError'
  declare readonly code: ErrorCodes['not_found_error']
}
/** 409: the object already exists, or another request is changing it. */
export class ConflictError extends ApiError {
  static override readonly brand = 'ConflictError'
  declare readonly code: ErrorCodes['conflict_error']
}
/** 422: the request is valid, but a rule or the provider refuses it. `resolution` names the next step. */
export class BusinessRuleError extends ApiError {
  static override readonly brand = 'BusinessRuleError'
  declare readonly code: ErrorCodes['business_rule_error']
}
/** 429: too many requests. Thrown after the retries. */
export class RateLimitError extends ApiError {
  static override readonly brand = 'RateLimitError'
  declare readonly code: ErrorCodes['rate_limit_error']
}
/** 500: an error of the API. Thrown after the retries. `provider_response_unreadable` is not retried. */
export class ServerError extends ApiError {
  static override readonly brand = 'ServerError'
  declare readonly code: ErrorCodes['server_error']
}
/** 503, 504: the API or the provider is unavailable. Thrown after the retries. */
export class UnavailableError extends ApiError {
  static override readonly brand = 'UnavailableError'
  declare readonly code: ErrorCodes['unavailable_error']
}

/** The error class of each `type`. */
export const errorClasses = {
  validation_error: ValidationError,
  authentication_error: AuthenticationError,
  permission_error: PermissionError,
  not_found_error: NotFoundError,
  conflict_error: ConflictError,
  business_rule_error: BusinessRuleError,
  rate_limit_error: RateLimitError,
  server_error: ServerError,
  unavailable_error: UnavailableError,
} as const satisfies Record<ErrorType, unknown>

/** Creates the error for a response. @param body the parsed body, of any type */
export function apiErrorOf(facts: ResponseFacts, body: unknown): ApiError {
  const error = (body as { error?: Partial<ErrorBody> } | null)?.error
  if (typeof error?.code !== 'string' || typeof error.type !== 'string') return new ApiError(facts, null)
  // A newer server can send a category that this package does not know.
  const Class = (errorClasses as Partial<Record<string, typeof ApiError>>)[error.type] ?? ApiError
  return new Class(facts, error as ErrorBody)
}

/** No response within `timeoutMs`. `code` is `timed_out`. A write may have been executed: repeat it with the same key. */
export class TimeoutError extends CausewayError {
  static override readonly brand = 'TimeoutError'
  declare readonly code: 'timed_out'

  constructor(timeoutMs: number) {
    super('timed_out', `No response within ${timeoutMs} ms.`)
  }
}

/** The caller's `signal` aborted the request. `code` is `aborted`, and `cause` is the reason of the signal. */
export class AbortedError extends CausewayError {
  static override readonly brand = 'AbortedError'
  declare readonly code: 'aborted'

  constructor(cause: unknown) {
    super('aborted', 'The signal aborted the request.', { cause })
  }
}
