// The description of the API: valid, and complete about who may call, what can go wrong and how it looks.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { validate } from '@readme/openapi-parser'
import { catalogue, type ErrorCode } from '../../src/platform/errors.ts'
import { assertExample, operations as describedOperations } from '../caller.ts'

type Response = { $ref?: string; content?: Record<string, { schema: { $ref?: string } }> }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  responses: Record<string, Response>
  'x-error-codes': Record<string, ErrorCode[]>
  requestBody?: { required: boolean; content: Record<string, { schema: { additionalProperties?: boolean } }> }
}

const file = new URL('../../openapi.json', import.meta.url)
const document = JSON.parse(readFileSync(file, 'utf8')) as {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response>; schemas: Record<string, unknown> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

function sharedResponse({ $ref = '' }: Response): Response | undefined {
  return document.components.responses[$ref.split('/').at(-1) ?? '']
}

test('the document is valid OpenAPI 3.1', async () => {
  assert.equal(document.openapi, '3.1.0')
  const result = await validate(structuredClone(document) as never)
  assert.deepEqual(result.valid ? [] : result.errors, [])
})

test('every operation has a name of its own, a summary and a tag', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(names).size, names.length)
  for (const { name, operation } of operations) assert.ok(operation.summary && operation.tags.length === 1, name)
})

test('the operations of the specification are there', () => {
  const specified = [
    'POST /v0/virtual-accounts',
    'POST /v0/end-users',
    'POST /v0/end-users/{externalUserId}/tos-link',
    'POST /v0/end-users/{externalUserId}/submit-kyc',
    'GET /v0/end-users/{externalUserId}/kyc-links',
    'POST /v0/webhooks/provider',
    'PUT /v0/webhook-url',
  ]
  const described = new Set(operations.map(({ name }) => name))
  assert.deepEqual(
    specified.filter((name) => !described.has(name)),
    [],
  )
})

test('each status carries codes of the catalogue that have this very status', () => {
  for (const { name, operation } of operations) {
    const { '200': _success, ...failures } = operation.responses
    assert.deepEqual(Object.keys(failures), Object.keys(operation['x-error-codes']))
    for (const [status, codes] of Object.entries(operation['x-error-codes'])) {
      assert.ok(codes.length > 0, `${name} ${status}`)
      for (const code of codes) assert.equal(catalogue[code].status, Number(status), `${name} ${code}`)
    }
  }
})

test('every failure has the one schema of errors', () => {
  for (const { name, operation } of operations) {
    const { '200': _success, ...failures } = operation.responses
    for (const response of Object.values(failures))
      assert.equal(
        sharedResponse(response)?.content?.['application/json']?.schema.$ref,
        '#/components/schemas/Error',
        name,
      )
  }
})

test('every success has an example, recorded when it had the shape that it has now', () => {
  for (const operation of describedOperations) assertExample(operation)
})

test('what is guarded declares 401, 429 and 503; what takes a scope declares 403; every operation can fail with 500', () => {
  for (const { name, operation } of operations) {
    const declared = Object.keys(operation.responses)
    const expected = ['200', '500', '503', ...(operation.security.length > 0 ? ['401', '429'] : [])]
    const scopes = operation.security.flatMap((scheme) => scheme['businessKey'] ?? [])
    if (scopes.length > 0) expected.push('403')
    assert.deepEqual(
      expected.filter((status) => !declared.includes(status)),
      [],
      name,
    )
  }
})

test('what takes a JSON body declares 400, 413 and 415', () => {
  for (const { name, operation } of operations) {
    if (operation.requestBody === undefined) continue
    assert.deepEqual(
      ['400', '413', '415'].filter((status) => !(status in operation.responses)),
      [],
      name,
    )
  }
})

test('no word that only our validator knows is left in the document', () => {
  assert.doesNotMatch(JSON.stringify(document), /errorText|errorCode|wellFormed/)
})

type Schema = Record<string, unknown>

/** Every object of the document at any depth, with its place. */
function* placesIn(node: unknown, place = ''): Generator<[place: string, schema: Schema]> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield [place, node as Schema]
  for (const [name, member] of Object.entries(node)) yield* placesIn(member, `${place}/${name}`)
}

// RE2, Rust and Python know no surrogates and no `\u`; RE2 and Rust look neither ahead nor behind.
test('every pattern is one that other languages read alike', () => {
  const patterns = [...placesIn(document)].flatMap(([, { pattern }]) => (typeof pattern === 'string' ? [pattern] : []))
  assert.ok(patterns.length > 100)
  for (const pattern of patterns) {
    assert.doesNotMatch(pattern, /\\(?![xs.*+])|\(\?(?!:)|[\ud800-\udfff]/)
    assert.ok(new RegExp(pattern, 'u'))
  }
})

test('every enumeration has a name', () => {
  // A condition names words without being a type; a header has the name of its parameter.
  const unnamed = [...placesIn(document)].filter(
    ([place, { enum: words }]) =>
      Array.isArray(words) &&
      !/^\/components\/(schemas\/[A-Za-z]+|parameters\/.*)$/.test(place) &&
      !/\/(not|if)(\/|$)/.test(place),
  )
  assert.deepEqual(
    unnamed.map(([place]) => place),
    [],
  )
})
