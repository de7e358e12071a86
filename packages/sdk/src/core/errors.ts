// What a request can end with: a refusal of the API by category, no answer in time, or the caller's own abort.

import type { ErrorCodes } from '../generated/error-codes.gen.ts'
import type { ErrorBody, ErrorCode, ErrorDetail, ErrorType } from '../generated/types.gen.ts'
import { CausewayError } from './causeway-error.ts'

/** `unexpected_answer` is an answer that is not of this API, as a proxy or a wrong `baseUrl` gives it. */
export type ApiErrorCode = ErrorCode | 'unexpected_answer'

/** What an answer says beside its body. */
export interface AnswerFacts {
  readonly status: number
  readonly requestId: string | null
  readonly retryAfterMs: number | null
  /** The cursor of the `Link` header. */
  readonly nextCursor: string | null
}

/** The API refused the request. Decide by the class or by `code`; `message` may change. */
export class ApiError<Code extends string = ApiErrorCode> extends CausewayError {
  static override readonly brand: string = 'ApiError'
  declare readonly code: Code
  /** The HTTP status. */
  readonly status: number
  /** The category; follows from the status. Null for `unexpected_answer`. */
  readonly type: ErrorType | null
  /** Quote it when you ask about this request. Null when the answer had none. */
  readonly requestId: string | null
  /** Whether the same request can succeed later. */
  readonly retryable: boolean
  /** What to do. */
  readonly resolution: string
  /** Address of the page about this code, or null. */
  readonly docUrl: string | null
  /** The field at fault, dotted, or null. */
  readonly param: string | null
  /** Every problem that was found. */
  readonly details: readonly ErrorDetail[]
  /** What `Retry-After` asks for, in milliseconds, or null. */
  readonly retryAfterMs: number | null
  /** Where to go on: of `cursor_expired`, behind the events that are gone. Else null. */
  readonly nextCursor: string | null

  constructor(facts: AnswerFacts, error: ErrorBody | null) {
    super(error?.code ?? 'unexpected_answer', textOf(facts, error))
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

const unexpected =
  'Check that baseUrl is the address of Causeway, and look at what stands between: a proxy, a redirect.'

function textOf({ status, requestId }: AnswerFacts, error: ErrorBody | null): string {
  const request = error?.requestId ?? requestId
  const end = request === null ? '' : ` (request ${request})`
  if (error === null) return `${status}: the answer is not one of this API. ${unexpected}${end}`
  const details = (error.details ?? []).map(({ param, message }) => `\n  ${param}: ${message}`).join('')
  return `${status} ${error.code}: ${error.message} ${error.resolution}${end}${details}`
}

/** 400, 405, 413, 415: the request itself is not valid. `details` lists every problem. */
export class ValidationError extends ApiError<ErrorCodes['validation_error']> {
  static override readonly brand = 'ValidationError'
}
/** 401: the API key is missing, malformed or not valid. */
export class AuthenticationError extends ApiError<ErrorCodes['authentication_error']> {
  static override readonly brand = 'AuthenticationError'
}
/** 403: the key lacks a scope, or the business is suspended. */
export class PermissionError extends ApiError<ErrorCodes['permission_error']> {
  static override readonly brand = 'PermissionError'
}
/** 404: no such object. Objects of other businesses read as absent. */
export class NotFoundError extends ApiError<ErrorCodes['not_found_error']> {
  static override readonly brand = 'NotFoundError'
}
/** 409: the object exists already, or something else is being done with it. */
export class ConflictError extends ApiError<ErrorCodes['conflict_error']> {
  static override readonly brand = 'ConflictError'
}
/** 422: the request is valid, and a rule or the provider refuses it. `resolution` names the next step. */
export class BusinessRuleError extends ApiError<ErrorCodes['business_rule_error']> {
  static override readonly brand = 'BusinessRuleError'
}
/** 429: too many requests. It is thrown after the retries. */
export class RateLimitError extends ApiError<ErrorCodes['rate_limit_error']> {
  static override readonly brand = 'RateLimitError'
}
/** 500: something went wrong on the side of the API. It is thrown after the retries, except `provider_response_unreadable`, which is not retried. */
export class ServerError extends ApiError<ErrorCodes['server_error']> {
  static override readonly brand = 'ServerError'
}
/** 503, 504: the API or the provider cannot answer. It is thrown after the retries. */
export class UnavailableError extends ApiError<ErrorCodes['unavailable_error']> {
  static override readonly brand = 'UnavailableError'
}

/** The class of each `type` of an error. */
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

/** Makes the error of an answer. @param body the parsed body, whatever it is */
export function apiErrorOf(facts: AnswerFacts, body: unknown): ApiError {
  const error = (body as { error?: Partial<ErrorBody> } | null)?.error
  if (typeof error?.code !== 'string' || typeof error.type !== 'string') return new ApiError(facts, null)
  // A server that is newer than this package may have a category that is not known here.
  const Class = (errorClasses as Partial<Record<string, typeof ApiError>>)[error.type] ?? ApiError
  return new Class(facts, error as ErrorBody)
}

/** No answer within `timeoutMs`. `code` is `timed_out`. A write may have happened: repeat it under the same key. */
export class TimeoutError extends CausewayError {
  static override readonly brand = 'TimeoutError'
  declare readonly code: 'timed_out'

  constructor(timeoutMs: number) {
    super('timed_out', `No answer within ${timeoutMs} ms.`)
  }
}

/** The caller's own `signal` ended the request. `code` is `aborted`; `cause` is the reason of the signal. */
export class AbortedError extends CausewayError {
  static override readonly brand = 'AbortedError'
  declare readonly code: 'aborted'

  constructor(cause: unknown) {
    super('aborted', 'The request was ended by its signal.', { cause })
  }
}
