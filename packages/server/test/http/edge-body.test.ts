// Reading bodies: JSON only, bounded in size and depth, and a response that always reaches the caller.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Type } from 'typebox'
import { rawBodyOf } from '../../src/platform/http/body/json-body.ts'
import { jsonDepthMax, ordinaryBody, providerEventBody, refusedBody } from '../../src/platform/http/limits.ts'
import { closed } from '../../src/platform/http/schema/schema.ts'
import { jsonValues } from '../json-values.ts'
import { edgeServer } from './edge-server.ts'

const open = { auth: 'none' } as const
/** The time is cut for the callers that are cut off. */
const lingerMs = 2_000
const edge = await edgeServer({
  refusedBody: { ...refusedBody, lingerMs, bytesPerMs: 64 * 1024 },
  routes(app) {
    const anything = Type.Object({}, { additionalProperties: true })
    app.post(
      '/echo',
      { config: open, schema: { body: Type.Object({ value: Type.Unknown() }) } },
      (request) => request.body,
    )
    app.post('/any', { config: open, schema: { body: anything } }, (request) => request.body)
    app.post(
      '/optional',
      { config: open, schema: { body: closed({ redirectUri: Type.Optional(Type.String()) }) } },
      (request) => request.body,
    )
    app.post('/none', { config: open }, () => ({ data: 'done' }))
    app.post(
      '/small',
      {
        config: { ...open, bodyLimits: { ...ordinaryBody, bytesMax: 10, plainBytesMax: 10 } },
        schema: { body: anything },
      },
      () => ({}),
    )
    app.post('/raw', { config: { ...open, rawBody: true, bodyLimits: providerEventBody } }, (request) => ({
      hex: rawBodyOf(request).toString('hex'),
    }))
  },
})
after(() => edge.stop())

const { bytesMax, membersMax } = ordinaryBody
const json = { 'content-type': 'application/json' }

test('any JSON value arrives as it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(jsonValues({ maxDepth: 6 }), async (value) => {
      const sent = JSON.parse(JSON.stringify({ value })) as object
      fc.pre(!JSON.stringify(sent).includes('"__proto__"'))
      const answer = await edge.call('POST', '/echo', sent)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(answer.body, sent)
    }),
    { numRuns: 60 },
  )
})

test('a body of another type, or of none, is 415 and says what is accepted', async () => {
  for (const type of [
    'text/plain',
    'application/xml',
    'application/jsonx',
    'application/json; charset=latin1',
    'nonsense',
    '',
  ]) {
    const answer = await edge.call('POST', '/any', undefined, { raw: '{}', headers: { 'content-type': type } })
    assert.equal(answer.status, 415, type)
    assert.equal(answer.body.error.code, 'unsupported_media_type')
    assert.equal(answer.headers.get('accept-post'), 'application/json')
  }
})

test('JSON is JSON with a charset of UTF-8, in any spelling, too', async () => {
  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;charset=utf8',
  ])
    assert.equal(
      (await edge.call('POST', '/any', undefined, { raw: '{"a":"ü"}', headers: { 'content-type': type } })).body.a,
      'ü',
      type,
    )
})

test('a required body that is missing, empty, or no object is 400 body_required', async () => {
  const cases = [
    {},
    { headers: json },
    { headers: json, raw: '' },
    { headers: json, raw: 'null' },
    { headers: json, raw: '[]' },
    { headers: json, raw: '"x"' },
  ]
  for (const options of cases) {
    const answer = await edge.call('POST', '/echo', undefined, options)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'body_required', JSON.stringify(options))
  }
})

test('a body of which nothing is required may be left out, with or without a content type', async () => {
  for (const options of [{}, { headers: json }, { headers: json, raw: '' }, { headers: json, raw: '{}' }]) {
    const answer = await edge.call('POST', '/optional', undefined, options)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body, {})
  }
  assert.equal((await edge.call('POST', '/none')).status, 200)
})

test('what is not JSON is 400 invalid_json and is not repeated', async () => {
  for (const raw of [
    '{"hunter2"',
    '{hunter2:1}',
    "{'hunter2':1}",
    '{"a":1}hunter2',
    'hunter2',
    '{"a":NaN}',
    '\u0000',
    '{"a":"\u0001"}',
  ]) {
    const answer = await edge.call('POST', '/any', undefined, { raw, headers: json })
    assert.equal(answer.status, 400, raw)
    assert.equal(answer.body.error.code, 'invalid_json')
    assert.ok(!answer.text.includes('hunter2'))
  }
  const notUtf8 = await edge.call('POST', '/any', undefined, {
    raw: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    headers: json,
  })
  assert.equal(notUtf8.body.error.code, 'invalid_json')
})

test('no bytes whatever make more than a 400', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const answer = await edge.call('POST', '/echo', undefined, { raw: Buffer.from(bytes), headers: json })
      assert.ok(answer.status === 400 || answer.status === 200, answer.text)
    }),
    { numRuns: 100 },
  )
})

test(`nesting is allowed to ${jsonDepthMax} levels and no further, however deep it goes`, async () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const send = (raw: string) => edge.call('POST', '/any', undefined, { raw, headers: json })
  assert.equal((await send(nested(jsonDepthMax))).status, 200)
  for (const levels of [jsonDepthMax + 1, 1_000, 100_000]) {
    const answer = await send(nested(levels))
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'json_too_deep', String(levels))
  }
})

test(`a body has ${membersMax} members at most, however they are nested; what is in its texts does not count`, async () => {
  const send = (raw: string) => edge.call('POST', '/any', undefined, { raw, headers: json })
  const names = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":"[,{:,"`).join()
  for (const [raw, most] of [
    [`{${names(membersMax)}}`, true],
    [`{${names(membersMax + 1)}}`, false],
    [`{"a":[${'[],'.repeat(membersMax - 2)}[]]}`, true],
    [`{"a":[${'[],'.repeat(membersMax - 1)}[]]}`, false],
    [`{"a":"${'[{,:'.repeat(10_000)}","b":"\\"${',\\"'.repeat(10_000)}"}`, true],
  ] as const) {
    const answer = await send(raw)
    assert.equal(answer.status, most ? 200 : 413, answer.text)
    if (most) continue
    assert.equal(answer.body.error.code, 'too_many_members')
    assert.match(answer.body.error.resolution, new RegExp(String(membersMax)))
  }
})

test('a body with too many members is refused while it is still being sent', async () => {
  const part = `{${'"k":1,'.repeat(membersMax + 1)}`
  const head = `POST /any HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n`
  assert.match(await edge.raw(head + part), /^HTTP\/1\.1 413 [\s\S]*"too_many_members"/)
})

test('a body that is packed is 415 and says that none is taken so', async () => {
  for (const coding of ['gzip', 'br', 'identity, gzip', 'nonsense']) {
    const headers = { ...json, 'content-encoding': coding }
    for (const raw of ['{}', gzipSync('{}')]) {
      const answer = await edge.call('POST', '/any', undefined, { raw, headers })
      assert.equal(answer.status, 415, coding)
      assert.equal(answer.body.error.code, 'unsupported_media_type')
      assert.equal(answer.headers.get('accept-encoding'), 'identity')
    }
  }
  const headers = { ...json, 'content-encoding': 'Identity' }
  assert.equal((await edge.call('POST', '/any', undefined, { raw: '{}', headers })).status, 200)
})

test('a member named __proto__ is refused at any depth', async () => {
  for (const raw of ['{"__proto__":{"admin":true}}', '{"a":[{"\\u005f_proto__":1}]}']) {
    const answer = await edge.call('POST', '/any', undefined, { raw, headers: json })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'invalid_json')
  }
})

test('a body at the limit is taken; one byte more is 413, which names the limit of that route', async () => {
  const body = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  const send = (path: string, raw: string) => edge.call('POST', path, undefined, { raw, headers: json })
  assert.equal((await send('/any', body(bytesMax))).status, 200)
  const large = await send('/any', body(bytesMax + 1))
  assert.equal(large.status, 413)
  assert.equal(large.body.error.code, 'payload_too_large')
  assert.match(large.body.error.resolution, new RegExp(String(bytesMax)))
  assert.match((await send('/small', '{"a":123456}')).body.error.resolution, / 10 bytes/)
})

test('a caller that goes on sending 30 MiB reads the 413, and the connection can be used again', async () => {
  const size = 30 * 1024 * 1024
  const head = `POST /any HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`
  const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  // The production limit: on a busy machine, 30 MiB take more than the two seconds of the other tests, without a
  // response.
  const patient = await edgeServer({
    refusedBody: { ...refusedBody, bytesPerMs: 64 * 1024 },
    routes: (app) => void app.post('/any', { config: open }, () => ({})),
  })
  after(() => patient.stop())
  const whole = Buffer.concat([Buffer.from(head), Buffer.alloc(size, 32), Buffer.from(next)])
  const heard = await patient.raw(whole, refusedBody.lingerMs)
  assert.match(heard, /^HTTP\/1\.1 413 /)
  assert.match(heard, /HTTP\/1\.1 200 OK/)
})

test('a caller that was refused and never finishes its body is cut off, but not at once', async () => {
  const head = 'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
  const begun = Date.now()
  const heard = await edge.raw(head, 2 * lingerMs)
  const tookMs = Date.now() - begun
  assert.match(heard, /^HTTP\/1\.1 404 /)
  assert.ok(tookMs > lingerMs / 2 && tookMs < 2 * lingerMs, `${tookMs} ms`)
})

test('a media type without any body is an empty body of that type', async () => {
  const send = (path: string, type: string) =>
    edge.raw(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`)
  assert.match(await send('/optional', 'application/json'), /^HTTP\/1\.1 200 /)
  assert.match(await send('/echo', 'application/json'), /^HTTP\/1\.1 400 /)
  assert.match(await send('/raw', 'application/json'), /^HTTP\/1\.1 200 [\s\S]*\{"hex":""\}/)
  assert.match(await send('/none', 'text/plain'), /^HTTP\/1\.1 415 /)
})

test('who was refused without having sent a body keeps the connection', async () => {
  const socket = connect(edge.port, '127.0.0.1')
  const closed = once(socket, 'close')
  let heard = ''
  socket.on('data', (chunk) => {
    heard += String(chunk)
  })
  socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n')
  await delay(lingerMs + 500)
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await closed
  assert.match(heard, /^HTTP\/1\.1 404 [\s\S]+HTTP\/1\.1 200 OK/)
})

test('a body without a length is cut at the same limit', async () => {
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
  const head = 'POST /any HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const heard = await edge.raw(`${head}${chunk.repeat(8)}0\r\n\r\n`)
  assert.match(heard, /^HTTP\/1\.1 413 /)
})

test('a raw route gets the very bytes, also such as are no JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
      const answer = await edge.call('POST', '/raw', undefined, { raw: Buffer.from(bytes), headers: json })
      assert.equal(answer.body.hex, Buffer.from(bytes).toString('hex'))
    }),
    { numRuns: 40 },
  )
  assert.equal((await edge.call('POST', '/raw')).body.hex, '')
  assert.equal(
    (await edge.call('POST', '/raw', undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } })).status,
    415,
  )
  assert.equal(
    (await edge.call('POST', '/raw', undefined, { raw: Buffer.alloc(1024 * 1024 + 1), headers: json })).status,
    413,
  )
})
