// A deprecated operation: its headers on each response of a real listener, and its mark in the description of the API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeApi } from '../../../../scripts/openapi-document.ts'
import { fail } from '../../src/platform/errors.ts'
import { type Operation, publicOperations } from '../../src/platform/http/operation.ts'
import { anyId, closed } from '../../src/platform/http/schema/schema.ts'
import { routeOf } from '../../src/platform/http/serve.ts'
import { edgeServer } from './edge-server.ts'

const { read, list } = publicOperations('Capabilities')
const deprecated = { since: '2026-06-01', sunset: '2027-06-01', replacement: 'GET /v0/things/:id' } as const
const item = closed({ id: anyId })
const operations = [
  read('GET /v0/old-things/:id', {
    id: 'getOldThing',
    summary: 'read an old thing',
    deprecated,
    data: item,
    errors: ['deposit_not_found'],
    run({ params: { id } }) {
      if (id === 'none') throw fail('deposit_not_found')
      return { id }
    },
  }),
  list('GET /v0/old-things', {
    id: 'listOldThings',
    summary: 'list old things',
    deprecated: { ...deprecated, replacement: 'GET /v0/things' },
    items: item,
    run: async () => ({ items: [{ id: 'a' }], next: { at: new Date(0), id: 'a' } }),
  }),
  read('GET /v0/things/:id', {
    id: 'getThing',
    summary: 'read a thing',
    data: item,
    run: ({ params: { id } }) => ({ id }),
  }),
] as unknown as readonly Operation[]

const edge = await edgeServer({
  env: { PUBLIC_URL: 'https://api.example.com' },
  routes: (app) => {
    for (const operation of operations) app.route(routeOf(operation))
  },
})
const headersOf = async (path: string, status = 200) => {
  const response = await fetch(`${edge.url}${path}`)
  assert.equal(response.status, status)
  await response.arrayBuffer()
  return response.headers
}

test('each response of a deprecated operation has its dates, the policy and the successor; an error has them, too', async () => {
  for (const [path, status] of [
    ['/v0/old-things/a%2Fb', 200],
    ['/v0/old-things/none', 404],
  ] as const) {
    const headers = await headersOf(path, status)
    assert.equal(headers.get('deprecation'), `@${Date.UTC(2026, 5, 1) / 1_000}`)
    assert.equal(headers.get('sunset'), 'Tue, 01 Jun 2027 00:00:00 GMT')
    const successor = path.replace('old-things', 'things')
    assert.equal(
      headers.get('link'),
      `<https://api.example.com/docs/integrate/versioning/>; rel="deprecation"; type="text/html", <https://api.example.com${successor}>; rel="successor-version"`,
    )
  }
})

test('a deprecated list keeps the link to its next page, in front', async () => {
  const link = (await headersOf('/v0/old-things?limit=1')).get('link') ?? ''
  assert.match(
    link,
    /^<https:\/\/api\.example\.com\/v0\/old-things\?[^>]*cursor=[^>]+>; rel="next", <[^>]+>; rel="deprecation"/,
  )
})

test('an operation that is not deprecated has none of these headers', async () => {
  const headers = await headersOf('/v0/things/a')
  assert.deepEqual([headers.get('deprecation'), headers.get('sunset'), headers.get('link')], [null, null, null])
})

test('the description marks the operation, and names the dates and the successor', async () => {
  type Described = { deprecated?: boolean; description?: string }
  const { paths } = (await describeApi({}, operations)) as { paths: Record<string, Record<string, Described>> }
  const old = paths['/v0/old-things/{id}']?.['get']
  assert.equal(old?.deprecated, true)
  assert.equal(
    old?.description,
    'Deprecated since 2026-06-01, and available until 2027-06-01 at least. Use `GET /v0/things/:id`.',
  )
  assert.equal(paths['/v0/things/{id}']?.['get']?.deprecated, undefined)
})

test('a declaration that the headers cannot carry is refused', () => {
  const [operation] = operations
  assert.ok(operation)
  const marked = (change: object) => () => routeOf({ ...operation, deprecated: { ...deprecated, ...change } })
  assert.throws(marked({ sunset: '2026-05-31' }), /sunset after its deprecation/)
  assert.throws(marked({ since: 'soon' }), /two dates/)
  assert.throws(marked({ replacement: 'GET /v0/things/:other' }), /names other/)
})
