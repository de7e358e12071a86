// Sends requests, checks each response against openapi.json, and compares errors.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { catalogue, type ErrorCode } from '../src/platform/errors.ts'
import { canaryPrefix } from './canary-search.ts'

export { freePort, until } from './until.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read the body of a response, and assert what they find
export type Answer = { status: number; headers: Headers; body: any; text: string }

/** `key: null` sends no credential. `raw` is sent as it is. */
export type CallOptions = {
  key?: string | null
  headers?: Readonly<Record<string, string>>
  raw?: string | Buffer
  /** The reason why openapi.json does not declare this request, or its response. */
  unchecked?: string
}

export type Call = (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<Answer>

/** Checks every response against openapi.json, and fails if the response repeats identity data. */
export type Caller = { call: Call }

/** @param key of every call that names no other; null for none */
export function callerOf(baseUrl: string, ownKey: string | null): Caller {
  return {
    async call(method, path, body, { unchecked, key = ownKey, headers: given, ...rest } = {}) {
      const headers = { ...(key !== null && { authorization: `Bearer ${key}` }), ...given }
      const answer = await request(method, `${baseUrl}${path}`, body, { ...rest, headers })
      assert.ok(!answer.text.includes(canaryPrefix), `a response repeats identity data: ${answer.text}`)
      if (unchecked !== undefined) return answer
      assertDeclared(operationAt(method, path), answer)
      const error = answer.body?.error
      if (error) assert.ok(error.docUrl.startsWith(`${baseUrl}/`), error.docUrl)
      if (!('x-request-id' in headers)) assert.match(answer.headers.get('x-request-id') ?? '', /^req_[0-9a-z]{26}$/)
      return answer
    },
  }
}

// A request that waits longest is one for events: 30 s.
const requestMsMax = 60_000

/** Sends one request, and checks nothing. */
export async function request(
  method: string,
  url: string,
  body?: unknown,
  { raw, headers }: Pick<CallOptions, 'headers' | 'raw'> = {},
): Promise<Answer> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(requestMsMax),
    headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(payload === undefined ? {} : { body: payload as string }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parseJson(text), text }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Schema = { [word: string]: unknown }
type Response = {
  $ref?: string
  headers?: Record<string, unknown>
  content?: { 'application/json': { schema: Schema; example?: unknown }; 'text/csv'?: object }
}

export type Operation = {
  id: string
  method: string
  /** With `{name}` in place of each parameter. */
  path: string
  auth: 'business' | 'operator' | 'none'
  scope: string | null
  /** Declared statuses, as numbers. */
  statuses: number[]
  /** Schema of the JSON body, when there is one. */
  body: Schema | null
  bodyRequired: boolean
  query: string[]
  takesIdempotencyKey: boolean
}

type Described = {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: { $ref?: string; in?: string; name?: string }[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Response>
  'x-error-codes': Record<string, ErrorCode[]>
}

type EventBody = { content: { 'application/json': { schema: Schema; example: unknown } } }

type Document = {
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, { post: { requestBody: EventBody } }>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as Document

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => readOperation(method.toUpperCase(), path, described)),
)

function readOperation(method: string, path: string, described: Described): Operation {
  const [requirement = {}] = described.security
  const { parameters = [], requestBody, responses } = described
  return {
    id: described.operationId,
    method,
    path,
    auth: 'businessKey' in requirement ? 'business' : 'operatorSecret' in requirement ? 'operator' : 'none',
    scope: requirement['businessKey']?.[0] ?? null,
    statuses: Object.keys(responses).map(Number),
    body: requestBody ? requestBody.content['application/json'].schema : null,
    bodyRequired: requestBody?.required ?? false,
    query: parameters.flatMap((parameter) => (parameter.in === 'query' && parameter.name ? [parameter.name] : [])),
    takesIdempotencyKey: parameters.some((parameter) => parameter.$ref?.endsWith('/IdempotencyKey')),
  }
}

/** The codes that this operation declares for this status. */
export function codesOf(operation: Operation, status: number): ErrorCode[] {
  return describedOf(operation)?.['x-error-codes'][status] ?? []
}

/** The operation a request is for. */
export function operationAt(method: string, path: string): Operation {
  const found = operations.find((known) => isFor(known, method, path))
  if (!found) throw new Error(`${method} ${path.split('?', 1)[0]} is not in openapi.json: say why with \`unchecked\``)
  return found
}

/** @param path may have a query */
export function isFor(operation: Operation, method: string, path: string): boolean {
  const [plain = ''] = path.split('?', 1)
  return method === operation.method && new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(plain)
}

const validators = new Map<string, ValidateFunction>()
const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true })
formats.default(ajv)
ajv.addSchema({ ...(exact({ components: document.components }) as Schema), $id: 'api' })

/** Makes objects closed, so that a response with an undocumented member fails. */
function exact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(exact)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([word, value]) => [word, exact(value)]))
  if (copy['type'] === 'object' && 'properties' in copy) copy['additionalProperties'] ??= false
  return copy
}

function validatorOf(operation: Operation, status: number): ValidateFunction {
  const name = `${operation.id} ${status}`
  const known = validators.get(name)
  if (known) return known
  const declared = responseOf(operation, status)
  assert.ok(declared, `${operation.id} answered ${status}, which it does not declare`)
  const schema = exact(declared.content?.['application/json'].schema ?? {}) as Schema
  const made = ajv.compile(withAbsoluteRefs(schema) as Schema)
  validators.set(name, made)
  return made
}

function responseOf(operation: Operation, status: number): Response | undefined {
  const declared = describedOf(operation)?.responses[status]
  if (declared?.$ref === undefined) return declared
  return document.components.responses[declared.$ref.split('/').at(-1) ?? '']
}

function describedOf({ path, method }: Operation): Described | undefined {
  return document.paths[path]?.[method.toLowerCase()]
}

function withAbsoluteRefs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withAbsoluteRefs)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([word, value]) =>
      word === '$ref' ? [word, `api${String(value)}`] : [word, withAbsoluteRefs(value)],
    ),
  )
}

/** Fails unless openapi.json allows this response for this operation. */
export function assertDeclared(operation: Operation, answer: Answer): void {
  const about = `${operation.id} ${answer.status} ${answer.text.slice(0, 600)}`
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  const { content, headers } = responseOf(operation, answer.status) ?? {}
  if (type !== 'text/csv' || !content?.['text/csv']) {
    assert.equal(type, 'application/json', about)
    assertDeclaredBody(operation, answer.status, answer.body)
  }
  for (const name of Object.keys(headers ?? {})) {
    if (name === 'Link') continue // only where there is a further page
    assert.ok(answer.headers.has(name), `${about}\nwithout ${name}`)
  }
  if (answer.status !== 200) assertDeclaredError(operation, answer)
}

function assertDeclaredBody(operation: Operation, status: number, body: unknown): void {
  const validate = validatorOf(operation, status)
  const about = `${operation.id} ${status} ${JSON.stringify(body)?.slice(0, 600)}`
  assert.ok(validate(body), `${about}\n${ajv.errorsText(validate.errors)}`)
}

/** Fails unless the document has an example of the operation's success that its schema allows. */
export function assertExample(operation: Operation): void {
  const example = responseOf(operation, 200)?.content?.['application/json'].example
  assert.ok(
    example,
    `${operation.id} has no example: add it to scripts/recording/story.ts, npm run generate -- --record`,
  )
  assertDeclaredBody(operation, 200, example)
}

function assertDeclaredError(operation: Operation, answer: Answer): void {
  assertErrorShape(answer)
  const { code } = answer.body.error
  assert.ok(codesOf(operation, answer.status).includes(code), `${operation.id} does not declare ${code}`)
}

/** The documented events of Causeway, each with its example. */
export const describedEvents: ReadonlyMap<string, unknown> = new Map(
  Object.entries(document.webhooks).map(([type, { post }]) => [
    type,
    post.requestBody.content['application/json'].example,
  ]),
)

/** Fails unless the body of a Causeway event matches its description in openapi.json exactly. */
export function assertDescribedEvent(body: unknown): void {
  const type = String((body as { event_type?: unknown }).event_type)
  const described = document.webhooks[type]
  assert.ok(described, `openapi.json does not describe ${type}`)
  const name = `event ${type}`
  const validate =
    validators.get(name) ??
    ajv.compile(withAbsoluteRefs(exact(described.post.requestBody.content['application/json'].schema)) as Schema)
  validators.set(name, validate)
  assert.ok(validate(body), `${ajv.errorsText(validate.errors)}\n${JSON.stringify(body, null, 1)}`)
}

const typeOfStatus: Readonly<Record<number, string>> = {
  400: 'validation_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'validation_error',
  409: 'conflict_error',
  413: 'validation_error',
  415: 'validation_error',
  422: 'business_rule_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'unavailable_error',
  504: 'unavailable_error',
}

/** Conflicts with a request that ends soon. */
const retryableCodes: ReadonlySet<string> = new Set([
  'idempotency_in_progress',
  'kyc_submission_in_progress',
  'account_change_in_progress',
  'tos_link_in_progress',
])

const errorMembers = ['type', 'code', 'message', 'requestId', 'resolution', 'docUrl', 'retryable']

type Detail = { param: string; code: string; message: string }

/** The one shape of all errors, whatever operation or none. */
export function assertErrorShape({ body, headers, status, text }: Answer): void {
  assert.deepEqual(Object.keys(body), ['error'])
  const { error } = body
  const optional = ['param', 'details'].filter((name) => name in error)
  assert.deepEqual(Object.keys(error).sort(), [...errorMembers, ...optional].sort())
  const code = error.code as ErrorCode
  assert.equal(catalogue[code].status, status)
  assert.equal(error.type, typeOfStatus[status])
  // A repeated response names the request that it was first given to.
  if (headers.get('idempotent-replayed') !== 'true') assert.equal(error.requestId, headers.get('x-request-id'))
  const isRetryable = (status >= 429 && code !== 'provider_response_unreadable') || retryableCodes.has(code)
  assert.equal(error.retryable, isRetryable)
  assert.match(error.docUrl, new RegExp(`^https?://[^/]+/docs/errors/${code}$`))
  // No placeholder is left; braces in the name of a parameter are the caller's.
  for (const words of [error.message, error.resolution])
    assert.match(words.replaceAll(error.param || ' ', ' x '), /^[^{}]*\S[^{}]*$/, text)
  for (const detail of error.details ?? []) {
    assert.deepEqual(Object.keys(detail).sort(), ['code', 'message', 'param'])
    assert.notEqual(detail.message, '')
  }
}

export type ExpectedError = {
  /** Null: the error names no parameter. */
  param?: string | null
  message?: RegExp
  resolution?: RegExp
  /** All params of the details, in order; or the code of some of them by their param, which is empty for the whole body. */
  details?: readonly string[] | Readonly<Record<string, string>>
  /** Values that the response must not repeat. */
  silentOn?: readonly string[]
}

/** Checks the whole shape of an error, its code, and what the response must not repeat. @returns the error */
export function assertError(
  answer: Answer,
  status: number,
  code: ErrorCode,
  { param, message, resolution, details, silentOn = [] }: ExpectedError = {},
): { message: string; resolution: string; details: Detail[] } {
  assert.equal(`${answer.status} ${answer.body?.error?.code}`, `${status} ${code}`, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assertErrorShape(answer)
  const error = answer.body?.error
  if (param !== undefined) assert.equal(error.param, param ?? undefined, answer.text)
  if (message) assert.match(error.message, message)
  if (resolution) assert.match(error.resolution, resolution)
  const found: Detail[] = error.details ?? []
  if (Array.isArray(details)) {
    assert.deepEqual(
      found.map((detail) => detail.param),
      details,
    )
  } else {
    for (const [name, reason] of Object.entries(details ?? {}))
      assert.ok(
        found.some((detail) => detail.param === name && detail.code === reason),
        `no ${reason} for ${name} in ${answer.text}`,
      )
  }
  // Our own ID and port are checked above; by chance they contain any three letters, and any four digits.
  const text = answer.text.replace(error.requestId, '').replace(error.docUrl, '')
  for (const value of silentOn) assert.ok(!text.includes(value), `the response repeats ${value}`)
  return { message: error.message, resolution: error.resolution, details: found }
}

/** A success is 200 with `data` and nothing else. @returns `data` */
export function dataOf(answer: Answer): Answer['body'] {
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['data'])
  assert.ok(answer.headers.get('x-request-id'))
  return answer.body.data
}

/** Two responses that a caller cannot tell apart, except by the ID of the request, the time and the remaining quota. */
export function assertSameAnswer(one: Answer, other: Answer): void {
  const plain = ({ status, text, headers }: Answer) => ({
    status,
    text: text.replaceAll(headers.get('x-request-id') ?? '', '<id>'),
    names: [...headers.keys()].sort(),
    kept: [...headers].filter(([name]) => !/^(date|x-request-id|ratelimit)$/.test(name)),
  })
  assert.deepEqual(plain(one), plain(other))
}
