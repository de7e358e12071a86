// Which errors an operation can end with: those its route names, and those that follow from its kind and its schemas.

import type { RouteOptions } from 'fastify'
import { catalogue, categoryOf, type ErrorCode, type ErrorStatus } from '../packages/server/src/platform/errors.ts'
import { exampleBody } from '../packages/server/src/platform/http/pages/error-pages.ts'
import { isOptionalBody } from '../packages/server/src/platform/http/schema/validation.ts'
import { isRecord, type JsonRecord } from './openapi-schemas.ts'

const codes = Object.keys(catalogue) as ErrorCode[]
const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** `Idempotency-Key` is honoured on every write of a business. */
export function takesIdempotencyKey(route: RouteOptions): boolean {
  return route.config?.auth === 'business' && writes.has(String(route.method))
}

/** Lists the codes that an operation can end with, by status. */
export function errorCodesOf(route: RouteOptions): Partial<Record<ErrorStatus, ErrorCode[]>> {
  const possible = new Set([...(route.config?.errors ?? []), ...guardErrors(route), ...inputErrors(route)])
  const ofThisRoute = codes.filter((code) => possible.has(code))
  return Object.groupBy(ofThisRoute, (code) => catalogue[code].status)
}

type CodesByStatus = ReturnType<typeof errorCodesOf>

/** Makes the responses of an operation: the one of each status, with the codes of this operation in its description. */
export function errorResponses(codesByStatus: CodesByStatus): JsonRecord {
  return Object.fromEntries(
    entriesOf(codesByStatus).map(([status, members]) => {
      const description = `${statusTexts[status]}: ${members.map((code) => `\`${code}\``).join(', ')}.`
      return [status, { $ref: `#/components/responses/${statusNames[status]}`, description }]
    }),
  )
}

/** Makes the responses that operations refer to: one for each status. */
export function sharedErrorResponses(operations: readonly CodesByStatus[]): JsonRecord {
  const statuses = operations.flatMap(entriesOf).map(([status]) => status)
  return Object.fromEntries(statuses.map((status) => [statusNames[status], errorResponse(status)]))
}

function entriesOf(codesByStatus: CodesByStatus): [ErrorStatus, ErrorCode[]][] {
  return Object.entries(codesByStatus).map(([status, members]) => [Number(status) as ErrorStatus, members])
}

function guardErrors({ config }: RouteOptions): ErrorCode[] {
  const always: ErrorCode[] = ['internal_error', 'shutting_down']
  switch (config?.auth) {
    case 'business':
      return [
        ...always,
        'api_key_missing',
        'wrong_auth_scheme',
        'api_key_malformed',
        'api_key_invalid',
        ...(config.scope ? (['insufficient_scope'] as const) : []),
        'business_suspended',
        'rate_limited',
        'database_unavailable',
      ]
    case 'operator':
      return [
        ...always,
        'api_key_missing',
        'wrong_auth_scheme',
        'admin_secret_invalid',
        'rate_limited',
        'database_unavailable',
      ]
  }
  return always
}

function inputErrors(route: RouteOptions): ErrorCode[] {
  const { body, querystring, params } = route.schema ?? {}
  return [
    ...(params !== undefined || route.url.includes(':') ? (['invalid_path'] as const) : []),
    ...(querystring === undefined ? [] : (['invalid_query'] as const)),
    ...(hasProperty(querystring, 'cursor') ? (['invalid_cursor'] as const) : []),
    ...(takesIdempotencyKey(route)
      ? (['invalid_header', 'idempotency_in_progress', 'idempotency_key_reused'] as const)
      : []),
    // The server also reads a body that is sent to an operation without one.
    ...(writes.has(String(route.method))
      ? (['invalid_json', 'json_too_deep', 'payload_too_large', 'too_many_members', 'unsupported_media_type'] as const)
      : []),
    ...(body === undefined ? [] : (['body_required', ...shapeErrors(body, isOptionalBody(body))] as const)),
  ]
}

const codeOfKeyword: Readonly<Record<string, ErrorCode>> = {
  type: 'invalid_type',
  enum: 'invalid_value',
  const: 'invalid_value',
  minimum: 'invalid_value',
  maximum: 'invalid_value',
  pattern: 'invalid_format',
  format: 'invalid_format',
  minLength: 'invalid_length',
  maxLength: 'invalid_length',
  minItems: 'invalid_length',
  maxItems: 'invalid_length',
  minProperties: 'invalid_length',
  maxProperties: 'invalid_length',
}

/** Lists the error codes that the validator can return for a body of this schema. */
function shapeErrors(schema: unknown, isRoot: boolean): ErrorCode[] {
  if (!isRecord(schema)) return []
  const own = schema['errorCode'] as ErrorCode | undefined
  const found = Object.keys(schema).flatMap((keyword) => {
    const code = codeOfKeyword[keyword]
    return code === undefined || (isRoot && keyword === 'type') ? [] : [own ?? code]
  })
  if (Array.isArray(schema['required']) && schema['required'].length > 0) found.push('missing_field')
  if (schema['additionalProperties'] === false) found.push('unknown_field')
  const members = isRecord(schema['properties']) ? Object.values(schema['properties']) : []
  const others = [schema['items'], schema['additionalProperties'], ...arrayOf(schema['anyOf']), ...patternsOf(schema)]
  return [...found, ...[...members, ...others].flatMap((member) => shapeErrors(member, false))]
}

function patternsOf(schema: JsonRecord): unknown[] {
  return isRecord(schema['patternProperties']) ? Object.values(schema['patternProperties']) : []
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function hasProperty(schema: unknown, name: string): boolean {
  return isRecord(schema) && isRecord(schema['properties']) && Object.hasOwn(schema['properties'], name)
}

const statusNames = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
  504: 'GatewayTimeout',
} as const satisfies Record<ErrorStatus, string>

const statusTexts = {
  400: 'The request is not valid',
  401: 'Authentication failed',
  403: 'The caller does not have permission',
  404: 'The object does not exist',
  405: 'The path does not support this method',
  409: 'The request conflicts with the current state',
  413: 'The body is too large',
  415: 'The content type is not supported by this operation',
  422: 'The request is well-formed, but a business rule does not allow it',
  429: 'Too many requests',
  500: 'An internal error occurred',
  503: 'The service is temporarily unavailable',
  504: 'The payment provider did not respond in time',
} as const satisfies Partial<Record<ErrorStatus, string>>

function errorResponse(status: ErrorStatus): JsonRecord {
  const members = codes.filter((code) => catalogue[code].status === status)
  const examples = Object.fromEntries(members.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  const headers: JsonRecord = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
  if (status === 401) headers['WWW-Authenticate'] = { $ref: '#/components/headers/WwwAuthenticate' }
  if (status === 429 || status === 503) headers['Retry-After'] = { $ref: '#/components/headers/RetryAfter' }
  return {
    description: `${statusTexts[status]}.`,
    headers,
    content: { 'application/json': { schema: refTo('Error'), examples } },
  }
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = (description: string) => ({ type: 'string', description })

/** Makes the one shape of all errors, its parts by name, and the codes as an enumeration that grows. */
export function errorSchemas(): JsonRecord {
  const categories = [...new Set(codes.map((code) => categoryOf(catalogue[code].status)))]
  return {
    Error: { type: 'object', required: ['error'], properties: { error: refTo('ErrorBody') } },
    ErrorBody: {
      type: 'object',
      required: ['type', 'code', 'message', 'requestId', 'resolution', 'docUrl', 'retryable'],
      properties: {
        type: { ...refTo('ErrorType'), description: 'The category; follows from the status.' },
        code: text('The error code, one of `ErrorCode`. A code never changes its meaning; new codes may be added.'),
        message: text('A description of the error. May change.'),
        requestId: text('Quote this ID when you contact support about the request.'),
        param: text('The field with the error, dotted: `destination.address`.'),
        details: { type: 'array', description: 'All problems found.', items: refTo('ErrorDetail') },
        resolution: text('What to do.'),
        docUrl: text('The URL of the page about this code.'),
        retryable: { type: 'boolean', description: 'Whether the same request can succeed later.' },
      },
    },
    ErrorDetail: {
      type: 'object',
      required: ['param', 'code', 'message'],
      properties: {
        param: text('The field, dotted.'),
        code: text('The code of the problem.'),
        message: text('A description of the problem.'),
      },
    },
    ErrorType: { type: 'string', enum: categories },
    ErrorCode: { type: 'string', enum: codes, description: 'The codes of this version, for `code` of an error.' },
  }
}

/** Makes the example of each code. */
export function errorExamples(): JsonRecord {
  return Object.fromEntries(codes.map((code) => [code, { summary: catalogue[code].message, value: exampleBody(code) }]))
}
