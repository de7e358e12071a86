// What openapi.json declares, as a judge of answers: the status must be one the operation declares, the body must have the
// declared shape and nothing beyond it, the declared headers must be there.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { catalogue, categoryOf, type ErrorCode, isRetryable } from '../src/platform/errors.ts'
import type { Answer, CallOptions, TestWorld } from './test-world.ts'

type Schema = { [word: string]: unknown }
type Response = {
  $ref?: string
  headers?: Record<string, unknown>
  content?: { 'application/json': { schema: Schema; example?: unknown } }
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
  if (!found) throw new Error(`${method} ${path.split('?', 1)[0]} is not in openapi.json`)
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

/** Objects say all their members here, so that an answer with one more is found out. */
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

/** Fails unless this answer is one that openapi.json allows this operation to give. */
export function assertDeclared(operation: Operation, answer: Answer): void {
  const about = `${operation.id} ${answer.status} ${answer.text.slice(0, 600)}`
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, about)
  assertDeclaredBody(operation, answer.status, answer.body)
  for (const name of Object.keys(responseOf(operation, answer.status)?.headers ?? {})) {
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

/** The events of ours that the document describes, each with its example. */
export const describedEvents: ReadonlyMap<string, unknown> = new Map(
  Object.entries(document.webhooks).map(([type, { post }]) => [
    type,
    post.requestBody.content['application/json'].example,
  ]),
)

/** Fails unless this is the body of an event of ours as openapi.json describes its type, with nothing beyond it. */
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

const errorMembers = new Set([
  'type',
  'code',
  'message',
  'requestId',
  'param',
  'details',
  'resolution',
  'docUrl',
  'retryable',
])

/** The one shape of all errors, whatever operation or none. */
export function assertErrorShape({ body, headers, status }: Answer): void {
  assert.deepEqual(Object.keys(body), ['error'])
  const { error } = body
  for (const member of Object.keys(error)) assert.ok(errorMembers.has(member), `unknown member ${member}`)
  const code = error.code as ErrorCode
  assert.equal(catalogue[code].status, status)
  assert.equal(error.type, categoryOf(catalogue[code].status))
  // A repeated answer tells of the request that it was first given to.
  if (headers.get('idempotent-replayed') !== 'true') assert.equal(error.requestId, headers.get('x-request-id'))
  assert.equal(error.retryable, isRetryable(code))
  assert.ok(error.docUrl.endsWith(`/docs/errors/${code}`), error.docUrl)
  assert.ok(error.message.length > 0 && error.resolution.length > 0)
  assert.ok(!/\{\w+\}/.test(error.resolution), `a gap was not filled: ${error.resolution}`)
}

export type ExpectedError = { param?: string; message?: RegExp; resolution?: RegExp; details?: readonly string[] }

/** @param expected `details`: the params that details must name, in order */
export function assertError(answer: Answer, status: number, code: ErrorCode, expected: ExpectedError = {}): void {
  assert.equal(`${answer.status} ${answer.body?.error?.code}`, `${status} ${code}`, answer.text)
  const { error } = answer.body
  if (expected.param !== undefined) assert.equal(error.param, expected.param)
  if (expected.message) assert.match(error.message, expected.message)
  if (expected.resolution) assert.match(error.resolution, expected.resolution)
  if (expected.details)
    assert.deepEqual(
      error.details?.map((detail: { param: string }) => detail.param),
      expected.details,
    )
}

export type Call = TestWorld['call']

/** Calls of this world whose answers are all held against openapi.json. */
export function checkedCalls(world: TestWorld): Call {
  return async (method: string, path: string, body?: unknown, options?: CallOptions) => {
    const answer = await world.call(method, path, body, options)
    assertDeclared(operationAt(method, path), answer)
    return answer
  }
}

/** Two answers that a caller cannot tell apart, except by the id of the request. */
export function assertSameAnswer(one: Answer, other: Answer): void {
  const text = (answer: Answer) => answer.text.replaceAll(answer.headers.get('x-request-id') ?? '', '')
  assert.equal(one.status, other.status)
  assert.equal(text(one), text(other))
  const names = (answer: Answer) => [...answer.headers.keys()].sort()
  assert.deepEqual(names(one), names(other))
}
