// Errors as callers see them: one shape, the right headers, and no internal text or data of the caller.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { catalogue, type ErrorCode, fail } from '../../src/platform/errors.ts'
import { anySegment } from '../any-text.ts'
import { edgeServer } from './edge-server.ts'

const open = { config: { auth: 'none' } } as const
const edge = await edgeServer({
  routes(app) {
    app.get('/v0/things/:id', open, () => ({ data: 'read' }))
    app.delete('/v0/things/:id', open, () => ({ data: 'deleted' }))
    app.post('/v0/things', open, () => ({ data: 'made' }))
    app.get('/v0/bug', open, () => {
      throw Object.assign(new Error('connect postgres://user:hunter2@db', { cause: new Error('deep') }), {
        row: 'private',
      })
    })
    app.get(
      '/v0/misshapen',
      { ...open, schema: { response: { 200: Type.Object({ data: Type.String() }) } } },
      () => ({}) as { data: string },
    )
    app.post('/v0/twice', open, (_request, reply) => {
      reply.send({ data: 'once' })
      reply.send({ data: 'twice' })
    })
    app.get('/v0/fails/:code', open, (request) => {
      throw fail((request.params as { code: ErrorCode }).code)
    })
  },
})
after(() => edge.stop())

test('every entry of the catalogue is answered with its status, its code and a page that exists', async () => {
  for (const [code, entry] of Object.entries(catalogue)) {
    const answer = await edge.call('GET', `/v0/fails/${code}`)
    assert.equal(answer.status, entry.status, code)
    assert.equal(answer.body.error.code, code)
    assert.equal(answer.body.error.requestId, answer.headers.get('x-request-id'))
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    const page = await fetch(answer.body.error.docUrl)
    assert.equal(page.status, 200, code)
    assert.ok((await page.text()).includes(code))
  }
})

test('what Fastify itself has to warn of is in the log', async () => {
  assert.deepEqual((await edge.call('POST', '/v0/twice')).body, { data: 'once' })
  const warning = edge.log.find((line) => JSON.stringify(line).includes('FST_ERR_REP_ALREADY_SENT'))
  assert.equal(warning?.['level'], 40)
})

test('401 names the scheme, 415 the accepted type, 429 and 503 the wait', async () => {
  assert.equal((await edge.call('GET', '/v0/fails/api_key_invalid')).headers.get('www-authenticate'), 'Bearer')
  assert.equal(
    (await edge.call('GET', '/v0/fails/unsupported_media_type')).headers.get('accept-post'),
    'application/json',
  )
  for (const code of ['rate_limited', 'database_unavailable', 'provider_unavailable', 'shutting_down']) {
    const wait = Number((await edge.call('GET', `/v0/fails/${code}`)).headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 5, `${code}: ${wait}`)
  }
})

test('an unknown path is 404 whatever the method, also when a body comes with it', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await edge.call(method, '/v0/nothing', method === 'GET' ? undefined : { any: 'thing' })
    assert.equal(answer.status, 404, method)
    assert.equal(answer.body.error.code, 'route_not_found')
    assert.equal(answer.headers.get('allow'), null)
  }
})

test('a known path with another method is 405 and lists what it takes, HEAD beside GET', async () => {
  const cases = [
    ['POST', '/v0/things/a', 'GET, HEAD, DELETE'],
    ['PUT', '/v0/things/a%2Fb?x=1', 'GET, HEAD, DELETE'],
    ['GET', '/v0/things', 'POST'],
    ['OPTIONS', '/v0/things', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ] as const
  for (const [method, path, allow] of cases) {
    const answer = await edge.call(method, path)
    assert.equal(answer.status, 405, `${method} ${path}`)
    assert.equal(answer.body.error.code, 'method_not_allowed')
    assert.equal(answer.headers.get('allow'), allow, `${method} ${path}`)
  }
})

test('HEAD answers as GET does, without a body', async () => {
  const answer = await edge.call('HEAD', '/v0/things/a')
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '')
})

test('a path that is not well percent-encoded, or has an endless parameter, is 400', async () => {
  for (const path of ['/v0/things/%zz', '/v0/things/%C3%28', `/v0/things/${'a'.repeat(3000)}`]) {
    const answer = await edge.call('GET', path)
    assert.equal(answer.status, 400, path.slice(0, 30))
    assert.equal(answer.body.error.code, 'invalid_path')
    assert.ok(answer.headers.get('x-request-id'))
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  }
})

test('an unexpected error tells nothing and is logged with its stack under the request id', async () => {
  for (const path of ['/v0/bug', '/v0/misshapen']) {
    const answer = await edge.call('GET', path, undefined, {
      headers: { 'x-request-id': `id-of${path.replaceAll('/', '-')}` },
    })
    assert.equal(answer.status, 500)
    assert.equal(answer.body.error.code, 'internal_error')
    assert.equal(answer.body.error.message, catalogue.internal_error.message)
    assert.doesNotMatch(answer.text, /hunter2|private|stack|deep|required/i)
    const line = edge.log.find((entry) => entry['requestId'] === answer.body.error.requestId && entry['failure'])
    assert.ok(line, 'the failure is logged')
    assert.match((line['failure'] as { stack: string }).stack, /\n +at /)
  }
  const line = edge.log.find((entry) => entry['requestId'] === 'id-of-v0-bug' && entry['failure'])
  assert.ok(!JSON.stringify(line).includes('private'), 'members of an error may hold data of a caller')
})

test('problem+json is written when asked for, and only then', async () => {
  const get = (accept: string) => edge.call('GET', '/v0/fails/kyc_not_approved', undefined, { headers: { accept } })
  const problem = await get('application/problem+json')
  assert.equal(problem.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.deepEqual(Object.keys(problem.body).sort(), [
    'category',
    'code',
    'detail',
    'requestId',
    'resolution',
    'retryable',
    'status',
    'title',
    'type',
  ])
  assert.equal(problem.body.status, 422)
  assert.equal(problem.body.type, `${edge.url}/docs/errors/kyc_not_approved`)
  for (const accept of [
    'application/json',
    '*/*',
    'application/json, application/problem+json;q=0.5',
    'application/problem+json;q=0',
  ])
    assert.equal((await get(accept)).body.error.code, 'kyc_not_approved', accept)
})

test("the caller's request id is echoed when it is harmless, and replaced when it is not", async () => {
  const echo = async (id: string) =>
    (await edge.call('GET', '/v0/things/a', undefined, { headers: { 'x-request-id': id } })).headers.get('x-request-id')
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/), async (id) => assert.equal(await echo(id), id)),
    { numRuns: 30 },
  )
  for (const id of ['has space', 'a'.repeat(129), 'a,b', 'ü', '{{7*7}}'])
    assert.match(String(await echo(id)), /^req_[0-9a-z]{26}$/, id)
})

test('a request is logged once: by route pattern and id, never by path or query', async () => {
  const answer = await edge.call('GET', '/v0/things/ada%40example.com?token=hunter3')
  const lines = edge.log.filter((entry) => entry['requestId'] === answer.headers.get('x-request-id'))
  assert.equal(lines.length, 1)
  const { method, route, status } = lines[0] ?? {}
  assert.deepEqual({ method, route, status }, { method: 'GET', route: '/v0/things/:id', status: 200 })
  assert.doesNotMatch(JSON.stringify(edge.log), /ada@|ada%40|hunter3/)
})

test('what is not HTTP gets our answer with a request id, and the server goes on', async () => {
  const cases = [
    ['NONSENSE\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'POST /v0/things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  ] as const
  for (const [text, status] of cases) {
    const heard = await edge.raw(text)
    assert.match(heard, status)
    assert.match(heard, /\r\nx-request-id: req_[0-9a-z]{26}\r\n/)
    const body = JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4)) as { error: { code: string } }
    assert.equal(body.error.code, 'invalid_header')
  }
  assert.equal((await edge.call('GET', '/healthz')).status, 200)
})

test('what a proxy in front may read another way is 400, in our shape', async () => {
  const end = 'Connection: close\r\n\r\n'
  for (const [text, code, param] of [
    ['GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n', 'invalid_header', 'Host'],
    ['GET / HTTP/1.1\r\nhost: x\r\nHOST: x\r\n', 'invalid_header', 'Host'],
    ['GET /healthz HTTP/1.1\r\n', 'invalid_header', 'Host'],
    [
      'GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n',
      'invalid_header',
      'Authorization',
    ],
    [
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n',
      'invalid_header',
      'Transfer-Encoding',
    ],
    ['GET * HTTP/1.1\r\nHost: x\r\n', 'invalid_path', undefined],
    ['OPTIONS * HTTP/1.1\r\nHost: x\r\n', 'invalid_path', undefined],
  ] as const) {
    const heard = await edge.raw(`${text}${end}`)
    assert.match(heard, /^HTTP\/1\.1 400 /, text)
    assert.match(heard, /\r\nx-request-id: req_[0-9a-z]{26}\r\n/, text)
    const { error } = JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4)) as {
      error: { code: string; param?: string }
    }
    assert.deepEqual([error.code, error.param], [code, param], text)
  }
  assert.match(await edge.raw(`GET /healthz HTTP/1.0\r\n${end}`), /^HTTP\/1\.1 200 /, 'HTTP/1.0 knows no Host')
  assert.match(await edge.raw(`GET http://other.example/healthz HTTP/1.1\r\nHost: x\r\n${end}`), /^HTTP\/1\.1 200 /)
})

test('CONNECT is 405 with an answer of ours, and the connection ends', async () => {
  const heard = await edge.raw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 5_000)
  assert.match(heard, /^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, /)
  assert.match(heard, /\r\nx-request-id: req_[0-9a-z]{26}\r\n[\s\S]*"method_not_allowed"/)
})

test('nothing that a stranger sends to any path makes a 5xx', async () => {
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')
  const known = fc.constantFrom('v0', 'things', 'end-users', '..', '%2e%2e', '', '%00', 'webhooks')
  const path = fc.array(fc.oneof(known, anySegment), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      anySegment,
      fc.uint8Array({ maxLength: 200 }),
      async (verb, segments, query, bytes) => {
        const options = verb === 'GET' ? {} : { raw: Buffer.from(bytes) }
        const answer = await edge.call(verb, `/x/${segments.join('/')}?${query}`, undefined, options)
        assert.ok(answer.status >= 200 && answer.status < 500, String(answer.status))
      },
    ),
    { numRuns: 150 },
  )
})

test('an expectation that we do not know is passed over, and the answer is one of ours', async () => {
  const heard = await edge.raw('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: hunter2\r\n\r\n', 200)
  assert.match(heard, /^HTTP\/1\.1 200 /)
  assert.match(heard, /\r\nx-request-id: req_/i)
})
