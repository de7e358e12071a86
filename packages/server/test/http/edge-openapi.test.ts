// The description of the API: valid, current, and complete about who may call, what can go wrong and how it looks.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { validate } from '@readme/openapi-parser'
import { catalogue, type ErrorCode } from '../../src/platform/errors.ts'

type Response = { $ref?: string; content?: Record<string, { schema: { allOf: [unknown, CodeSchema] } }> }
type CodeSchema = { properties: { error: { properties: { code: { enum: ErrorCode[] } } } } }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  responses: Record<string, Response>
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

function codesOf(response: Response): ErrorCode[] {
  const shared =
    response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1) ?? '']
  return shared?.content?.['application/json']?.schema.allOf[1].properties.error.properties.code.enum ?? []
}

test('the document is valid OpenAPI 3.1', async () => {
  assert.equal(document.openapi, '3.1.0')
  const result = await validate(structuredClone(document) as never)
  assert.deepEqual(result.valid ? [] : result.errors, [])
})

test('what is generated is what the code says now', async () => {
  const script = new URL('../../../../scripts/generate.ts', import.meta.url)
  await promisify(execFile)(process.execPath, [script.pathname, '--check'])
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
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status === '200') continue
      const codes = codesOf(response)
      assert.ok(codes.length > 0, `${name} ${status}`)
      for (const code of codes) assert.equal(catalogue[code].status, Number(status), `${name} ${code}`)
    }
  }
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
  assert.doesNotMatch(JSON.stringify(document), /errorText|errorCode/)
})
