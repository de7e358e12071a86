// Which failures are repeated, how, and under which key.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AbortedError,
  ApiError,
  Causeway,
  type CausewayOptions,
  ConflictError,
  ConnectionError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
} from '../../src/index.ts'
import { answer, cut, refusal, type ScriptedServer, scriptedServer, silence, success } from '../scripted-server.ts'

const client = (server: ScriptedServer, options: Partial<CausewayOptions> = {}) =>
  new Causeway({ baseUrl: server.url, apiKey: 'svc_test_x', backoffMs: 1, ...options })

const keys = (server: ScriptedServer) => server.seen.map(({ headers }) => headers['idempotency-key'])
const unavailable = (headers = {}) => refusal(503, 'unavailable_error', 'provider_unavailable', true, headers)

test('a write is repeated after a cut connection, with the same body and the same key, made before the first attempt', async () => {
  await using server = await scriptedServer(cut, unavailable(), success({ id: 'eu_1' }))
  const created = await client(server).endUsers.create({ externalUserId: 'ada' })
  assert.equal(created.id, 'eu_1')
  assert.equal(server.seen.length, 3)
  assert.match(String(keys(server)[0]), /^[0-9a-f]{32}$/)
  assert.equal(new Set(keys(server)).size, 1)
  assert.deepEqual(new Set(server.seen.map(({ body }) => body)), new Set(['{"externalUserId":"ada"}']))
})

test("the caller's own key is kept, and two calls never share a key of ours", async () => {
  await using server = await scriptedServer(success({}))
  const api = client(server)
  await api.endUsers.create({ externalUserId: 'ada' }, { idempotencyKey: 'order-4711' })
  await api.endUsers.create({ externalUserId: 'ada' })
  await api.endUsers.create({ externalUserId: 'ada' })
  assert.equal(keys(server)[0], 'order-4711')
  assert.equal(new Set(keys(server)).size, 3)
})

test('a key that no header can carry is refused before anything is sent', async () => {
  await using server = await scriptedServer(success({}))
  for (const idempotencyKey of ['', 'order-\u2013', 'a\nb', 'x'.repeat(256), 7 as never]) {
    const creating = client(server).endUsers.create({ externalUserId: 'ada' }, { idempotencyKey })
    await assert.rejects(creating, (error) => error instanceof TypeError && /^idempotencyKey /.test(error.message))
  }
  assert.equal(server.seen.length, 0)
})

test('a failure that stays is thrown after two retries, with the request id and what to do', async () => {
  await using server = await scriptedServer(unavailable())
  const error = await client(server)
    .endUsers.get('ada')
    .catch((failure: unknown) => failure)
  assert.ok(error instanceof UnavailableError)
  assert.equal(server.seen.length, 3)
  assert.deepEqual(
    { ...error },
    {
      ...{ code: 'provider_unavailable', name: 'UnavailableError', status: 503, type: 'unavailable_error' },
      ...{ requestId: 'req_1', retryable: true, resolution: 'Wait.', docUrl: 'x', param: null, details: [] },
      ...{ retryAfterMs: null, nextCursor: null },
    },
  )
  assert.match(error.message, /^503 provider_unavailable: Refused\. Wait\. \(request req_1\)$/)
})

test('409 is repeated only when the server says so', async () => {
  const inProgress = refusal(409, 'conflict_error', 'idempotency_in_progress', true)
  await using running = await scriptedServer(inProgress, success({ id: 'eu_1' }))
  assert.equal((await client(running).endUsers.create({ externalUserId: 'ada' })).id, 'eu_1')

  await using taken = await scriptedServer(refusal(409, 'conflict_error', 'end_user_already_exists', false))
  await assert.rejects(client(taken).endUsers.create({ externalUserId: 'ada' }), ConflictError)
  assert.equal(taken.seen.length, 1)
})

test('a refusal that no repeat heals is thrown at once, whatever its status', async () => {
  await using server = await scriptedServer(refusal(503, 'unavailable_error', 'shutting_down', false))
  await assert.rejects(client(server).deposits.get('dep_1'), UnavailableError)
  assert.equal(server.seen.length, 1)
})

test('Retry-After is waited for, in seconds and as a date, and one that is too long is thrown', async () => {
  const began = performance.now()
  await using server = await scriptedServer(unavailable({ 'retry-after': '1' }), success({ id: 'eu_1' }))
  await client(server).endUsers.get('ada')
  assert.ok(performance.now() - began >= 1_000)

  const past = new Date(Date.now() - 60_000).toUTCString()
  await using dated = await scriptedServer(unavailable({ 'retry-after': past }), success({ id: 'eu_1' }))
  await client(dated).endUsers.get('ada')

  await using long = await scriptedServer(
    refusal(429, 'rate_limit_error', 'rate_limited', true, { 'retry-after': '61' }),
  )
  const error = await client(long)
    .endUsers.get('ada')
    .catch((failure: unknown) => failure)
  assert.ok(error instanceof RateLimitError)
  assert.equal(error.retryAfterMs, 61_000)
  assert.equal(long.seen.length, 1)
})

test('an answer that is not of the API is repeated by its status, and said to be one', async () => {
  const badGateway = answer(502, '<h1>Bad gateway</h1>', { 'x-request-id': 'edge-1' })
  await using server = await scriptedServer(badGateway)
  const error = await client(server, { retriesMax: 1 })
    .endUsers.get('ada')
    .catch((failure: unknown) => failure)
  assert.ok(error instanceof ApiError)
  assert.deepEqual(
    [error.code, error.status, error.requestId, error.type],
    ['unexpected_response', 502, 'edge-1', null],
  )
  assert.equal(server.seen.length, 2)

  for (const odd of [answer(200, '<h1>Welcome</h1>'), answer(308, '', { location: '/elsewhere' }), answer(404, '{}')]) {
    await using site = await scriptedServer(odd)
    await assert.rejects(client(site).endUsers.get('ada'), { code: 'unexpected_response' })
    assert.equal(site.seen.length, 1)
  }
})

test('a category that this version does not know is still an ApiError with its code', async () => {
  await using server = await scriptedServer(refusal(418, 'tea_error', 'teapot', false))
  await assert.rejects(client(server).endUsers.get('ada'), { name: 'ApiError', code: 'teapot', status: 418 })
})

test('a write without an idempotency key is repeated only after a refusal for haste', async () => {
  const hasty = refusal(429, 'rate_limit_error', 'rate_limited', true)
  await using server = await scriptedServer(hasty, cut)
  const call = client(server).call('createCustomer', { body: { name: 'Shop' } })
  await assert.rejects(call, ConnectionError)
  assert.equal(server.seen.length, 2)
  assert.deepEqual(keys(server), [undefined, undefined])
})

test('each attempt has its own time, and no answer within it is a TimeoutError', async () => {
  await using server = await scriptedServer(silence, success({ id: 'eu_1' }))
  assert.equal((await client(server, { timeoutMs: 200 }).endUsers.get('ada')).id, 'eu_1')

  await using silent = await scriptedServer(silence)
  let attempts = 0
  const counting = (url: string, init: RequestInit) => {
    attempts += 1
    return fetch(url, init)
  }
  const failing = client(silent, { fetch: counting }).endUsers.get('ada', { timeoutMs: 50, retriesMax: 1 })
  await assert.rejects(failing, (error) => error instanceof TimeoutError && error.code === 'timed_out')
  assert.equal(attempts, 2)
})

test('an answer that never ends is a TimeoutError too', async () => {
  await using server = await scriptedServer((response) => response.writeHead(200).write('{"data":'))
  await assert.rejects(client(server).endUsers.get('ada', { timeoutMs: 50, retriesMax: 0 }), TimeoutError)
})

test("the caller's abort ends the request at once, is not repeated, and is not called a timeout", async () => {
  const caller = new AbortController()
  await using server = await scriptedServer(() => caller.abort(new Error('left the page')))
  const error = await client(server)
    .endUsers.get('ada', { signal: caller.signal })
    .catch((failure: unknown) => failure)
  assert.ok(error instanceof AbortedError)
  assert.equal((error.cause as Error).message, 'left the page')
  assert.equal(server.seen.length, 1)
  await assert.rejects(client(server).endUsers.get('ada', { signal: AbortSignal.abort() }), AbortedError)
  assert.equal(server.seen.length, 1, 'a signal that is aborted already sends nothing')
})

test('an abort ends the wait before a retry', async () => {
  const caller = new AbortController()
  const abortSoon = () => setImmediate(() => caller.abort())
  await using server = await scriptedServer((response, seen) => {
    unavailable({ 'retry-after': '50' })(response, seen)
    response.on('close', abortSoon)
  })
  const began = performance.now()
  await assert.rejects(client(server).endUsers.get('ada', { signal: caller.signal }), AbortedError)
  assert.ok(performance.now() - began < 20_000)
})

test('no message of an error holds the API key', async () => {
  await using server = await scriptedServer(unavailable())
  const secret = 'svc_test_secret'
  for (const baseUrl of [server.url, 'http://127.0.0.1:1']) {
    const api = new Causeway({ baseUrl, apiKey: secret, retriesMax: 0 })
    const error = await api.endUsers.get('ada').catch((failure: unknown) => failure)
    assert.ok(error instanceof Error)
    assert.ok(!JSON.stringify([error.message, error.stack, { ...error }]).includes(secret))
  }
  assert.throws(
    () => new Causeway({ baseUrl: server.url, apiKey: `${secret}\n` }),
    (error: Error) => {
      return error instanceof TypeError && !error.message.includes(secret)
    },
  )
})
