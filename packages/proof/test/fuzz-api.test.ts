// The proof proved: its judge finds what it is there for, and a failure is made small. `.ci/run` shows that it finds nothing in
// the real server.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Answer } from '../../server/test/caller.ts'
import { freshIdentityMark, freshMark } from '../src/fuzz/marks.ts'
import { judge } from '../src/fuzz-api/judge.ts'
import { drawOf } from '../src/fuzz-api/requests/draw.ts'
import { asCurl, openWire, type Sent } from '../src/fuzz-api/requests/wire.ts'
import { shrink } from '../src/fuzz-api/shrink.ts'

const sent = (changes: Partial<Sent> = {}): Sent => ({
  method: 'GET',
  path: '/v0/whoami',
  headers: [],
  body: null,
  chunked: false,
  ...changes,
})

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const all = {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    ratelimit: 'x',
    'ratelimit-policy': 'x',
    ...headers,
  }
  return { status, headers: new Headers(all), body, text: JSON.stringify(body) }
}

const kindsOf = (request: Sent, given: Answer, expects: readonly number[] | null = null) => [
  ...new Set(judge({ sent: request, expects }, given).map(({ kind }) => kind)),
]

test('the judge finds what it is there for, and nothing in what is right', () => {
  const whoAmI = { data: { customer: { id: `biz_${'0'.repeat(26)}`, name: 'A', status: 'active' } } }
  assert.ok(kindsOf(sent(), answer(500, {})).includes('serverError'))
  assert.deepEqual(kindsOf(sent(), answer(402, {})), ['schemaBreak'])
  assert.deepEqual(kindsOf(sent(), answer(200, { data: { unknown: 1 } })), ['schemaBreak'])
  assert.deepEqual(kindsOf(sent({ path: '/nowhere' }), answer(404, { wrong: true })), ['schemaBreak'])
  assert.ok(kindsOf(sent(), answer(400, { error: { message: freshMark() } })).includes('echo'))
  assert.ok(kindsOf(sent(), answer(404, {}, { allow: freshMark() })).includes('echo'))
  assert.ok(kindsOf(sent(), answer(200, { ...whoAmI, more: freshIdentityMark().toUpperCase() })).includes('echo'))
  assert.ok(!kindsOf(sent(), answer(200, { data: freshMark() })).includes('echo'))
  assert.ok(kindsOf(sent(), answer(200, whoAmI), [401]).includes('modelBreak'))
  const tookTooMuch = sent({
    method: 'POST',
    path: '/v0/end-users',
    headers: [['content-type', 'application/json']],
    body: Buffer.from('{"externalUserId":1}'),
  })
  assert.ok(judge({ sent: tookTooMuch, expects: null }, answer(200, {})).some(({ kind }) => kind === 'schemaBreak'))
})

test('the same seed draws the same, another one something else', () => {
  const drawn = (seed: number, index: number) => {
    const draw = drawOf(seed, index)
    return Array.from({ length: 20 }, () => draw.below(1_000_000)).join()
  }
  assert.equal(drawn(7, 3), drawn(7, 3))
  assert.notEqual(drawn(7, 3), drawn(8, 3))
  assert.notEqual(drawn(7, 3), drawn(7, 4))
})

test('a failing request is made small: what does not matter goes, what matters stays, and a shell can send it', async () => {
  await using server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    response.writeHead(body.includes('"bad"') ? 500 : 404, { 'x-request-id': 'req_1' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const wire = openWire(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const body = Buffer.from(JSON.stringify({ a: 'x'.repeat(500), list: [1, 2, { bad: true, good: 'é' }], b: { c: 1 } }))
  const failed = sent({
    method: 'POST',
    path: '/v0/anything?x=1&y=2',
    headers: [
      ['x-one', '1'],
      ['x-two', "it's"],
    ],
    body,
  })
  const small = await shrink(wire, { sent: failed, expects: null }, 'serverError')
  wire.close()
  assert.ok(small.repeats)
  assert.deepEqual(small.sent.headers, [])
  assert.equal(small.sent.path, '/v0/anything')
  assert.equal(small.sent.body?.toString(), '{"list":[{"bad":true}]}')
  assert.match(asCurl(small.sent), /^printf %b '\{"list":\[\{"bad":true\}\]\}' \| curl /)
})
