// Who may call what: each wrong credential has its own 401, scopes and suspension are 403, rates are 429. Real keys in
// a real database.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApp } from '../../src/app/http-server.ts'
import { formatApiKey } from '../../src/businesses/api-key.rules.ts'
import { issueApiKey } from '../../src/businesses/api-keys.ts'
import { changeAnyBusiness, createBusiness } from '../../src/businesses/service.ts'
import type { FixedLimits } from '../../src/platform/config.ts'
import { type App, businessOf } from '../../src/platform/http/app.ts'
import { until } from '../caller.ts'
import { testDatabase } from '../test-database.ts'
import { adminSecret, type EdgeServer, edgeServer } from './edge-server.ts'

let bodiesRead = 0
function routes(app: App): void {
  app.get('/mine', { config: { auth: 'business' } }, (request) => ({ id: businessOf(request).id }))
  app.get('/scoped', { config: { auth: 'business', scope: 'events:read' } }, () => ({ data: 'seen' }))
  app.post(
    '/upload',
    {
      config: { auth: 'business' },
      preParsing: (_request, _reply, body, done) => {
        bodiesRead += 1
        done(null, body)
      },
    },
    () => ({ data: 'done' }),
  )
  app.get('/operator', { config: { auth: 'operator' } }, () => ({ data: 'operated' }))
  app.get('/open', { config: { auth: 'none' } }, () => ({ data: 'open' }))
  app.get('/confused', { config: { auth: 'none' } }, (request) => ({ id: businessOf(request).id }))
}

const database = await testDatabase()
const servers: EdgeServer[] = []
async function start(env: Record<string, string> = {}, limits: Partial<FixedLimits> = {}): Promise<EdgeServer> {
  const server = await edgeServer({ routes, database: database.connection, env, limits })
  servers.push(server)
  return server
}
const edge = await start({}, { failedAuthPerMinute: 1_000 })
after(async () => {
  for (const server of servers) await server.stop()
  await database.drop()
})

const business = await createBusiness(edge.deps, { name: 'A business' })
const { key } = await issueApiKey(edge.deps, business.id, { name: 'test' })
/** Well-formed, and nobody's. */
const strangerKey = (): string => formatApiKey('test', edge.deps.randomBytes(64))
const bearer = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } })
const get = (path: string, authorization?: string, server = edge) =>
  server.call('GET', path, undefined, authorization === undefined ? {} : { headers: { authorization } })

test('a valid key passes and makes its business known', async () => {
  const answer = await get('/mine', `Bearer ${key}`)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.id, business.id)
  assert.equal((await get('/mine', `bearer   ${key}`)).status, 200, 'the scheme is case-insensitive')
})

test('each wrong credential of a business operation has its own code', async () => {
  const cases = [
    [undefined, 'api_key_missing'],
    ['Bearer', 'api_key_missing'],
    [`Basic ${Buffer.from(`${key}:`).toString('base64')}`, 'wrong_auth_scheme'],
    [key, 'wrong_auth_scheme'],
    [`Bearer ${adminSecret}`, 'wrong_auth_scheme'],
    ['Bearer nonsense', 'api_key_malformed'],
    [`Bearer ${key.slice(0, -1)}`, 'api_key_malformed'],
    [`Bearer ${key} ${key}`, 'api_key_malformed'],
    [`Bearer ${strangerKey()}`, 'api_key_invalid'],
    [`Bearer ${formatApiKey('live', edge.deps.randomBytes(64))}`, 'api_key_invalid'],
  ] as const
  for (const [authorization, code] of cases) {
    const answer = await get('/mine', authorization)
    assert.equal(answer.status, 401, code)
    assert.equal(answer.body.error.code, code, authorization?.slice(0, 12))
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    assert.ok(!answer.text.includes(key) && !answer.text.includes(adminSecret))
  }
})

test('each wrong credential of an operator operation has its own code', async () => {
  const cases = [
    [undefined, 'api_key_missing'],
    [`Basic ${Buffer.from(`x:${adminSecret}`).toString('base64')}`, 'wrong_auth_scheme'],
    [`Bearer ${key}`, 'wrong_auth_scheme'],
    [`Bearer ${adminSecret}x`, 'admin_secret_invalid'],
    [`Bearer ${adminSecret.slice(1)}`, 'admin_secret_invalid'],
  ] as const
  for (const [authorization, code] of cases) {
    const answer = await get('/operator', authorization)
    assert.equal(answer.status, 401, code)
    assert.equal(answer.body.error.code, code)
  }
  assert.equal((await get('/operator', `Bearer ${adminSecret}`)).status, 200)
})

test('an open route looks at no credential', async () => {
  for (const authorization of [undefined, 'Bearer nonsense', 'Basic x'])
    assert.equal((await get('/open', authorization)).status, 200)
})

test('authentication comes before the body is read', async () => {
  const before = bodiesRead
  const refused = await edge.call('POST', '/upload', undefined, {
    raw: '{broken',
    headers: { 'content-type': 'text/plain' },
  })
  assert.equal(refused.status, 401)
  assert.equal(bodiesRead, before)
  await edge.call('POST', '/upload', {}, bearer(key))
  assert.equal(bodiesRead, before + 1)
})

test('a key without the scope is 403 and told which; with it, it passes', async () => {
  const narrow = await issueApiKey(edge.deps, business.id, { scopes: ['end_users:read'] })
  const refused = await get('/scoped', `Bearer ${narrow.key}`)
  assert.equal(refused.status, 403)
  assert.equal(refused.body.error.code, 'insufficient_scope')
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer error="insufficient_scope", scope="events:read"')
  assert.match(refused.body.error.resolution, /events/)
  const wide = await issueApiKey(edge.deps, business.id, { scopes: ['events:read'] })
  assert.equal((await get('/scoped', `Bearer ${wide.key}`)).status, 200)
})

test('a suspended business is 403 everywhere, and back when it is readmitted', async () => {
  const other = await createBusiness(edge.deps, { name: 'Suspended' })
  const issued = await issueApiKey(edge.deps, other.id, {})
  await changeAnyBusiness(edge.deps, other.id, { status: 'suspended' })
  const refused = await get('/mine', `Bearer ${issued.key}`)
  assert.equal(refused.status, 403)
  assert.equal(refused.body.error.code, 'business_suspended')
  await changeAnyBusiness(edge.deps, other.id, { status: 'active' })
  assert.equal((await get('/mine', `Bearer ${issued.key}`)).status, 200)
})

test('asking for the business on a route without one is a bug, not a hole', async () => {
  assert.equal((await get('/confused', `Bearer ${key}`)).status, 500)
})

test('a route that does not say who may call it keeps the server from starting', async () => {
  const silent = createApp(edge.deps, { routes: [(app) => void app.get('/silent', () => 'open to all')] })
  await assert.rejects(silent, /do not say who may call them: GET \/silent/)
})

test('a key may ask as often as configured; then 429 with the time to wait; another key is not affected', async () => {
  const limited = await start({ RATE_LIMIT_REQUESTS: '3', RATE_LIMIT_WINDOW_SECONDS: '60' })
  const mine = await issueApiKey(edge.deps, business.id, {})
  const left: string[] = []
  for (let request = 0; request < 3; request++) {
    const answer = await get('/mine', `Bearer ${mine.key}`, limited)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=3;w=60')
    left.push(/^"default";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '')?.[1] ?? 'malformed')
  }
  assert.deepEqual(left, ['2', '1', '0'])
  const refused = await get('/mine', `Bearer ${mine.key}`, limited)
  assert.equal(refused.status, 429)
  assert.equal(refused.body.error.code, 'rate_limited')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 60, String(wait))
  assert.match(refused.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/)
  assert.equal((await get('/mine', `Bearer ${key}`, limited)).status, 200)
})

test('the window passes by itself', async () => {
  const limited = await start({ RATE_LIMIT_REQUESTS: '1', RATE_LIMIT_WINDOW_SECONDS: '1' })
  const deadline = Date.now() + 10_000
  assert.equal((await get('/mine', `Bearer ${key}`, limited)).status, 200)
  assert.equal((await get('/mine', `Bearer ${key}`, limited)).status, 429)
  while ((await get('/mine', `Bearer ${key}`, limited)).status !== 200) assert.ok(Date.now() < deadline)
})

test('an address that guesses keys gets 429 in place of 401, while right keys from it still pass', async () => {
  const limited = await start({}, { failedAuthPerMinute: 3 })
  const statuses: number[] = []
  for (let guess = 0; guess < 5; guess++) statuses.push((await get('/mine', `Bearer ${strangerKey()}`, limited)).status)
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
  assert.equal((await get('/mine', `Bearer ${key}`, limited)).status, 200)
})

test('behind a proxy the address is the one that the proxy saw, whatever the caller says before it', async () => {
  const guess = async (server: EdgeServer, forwarded: string) => {
    const headers = { authorization: `Bearer ${strangerKey()}`, 'x-forwarded-for': forwarded }
    return (await server.call('GET', '/mine', undefined, { headers })).status
  }
  const one = await start({ TRUST_PROXY: 'true' }, { failedAuthPerMinute: 1 })
  assert.equal(await guess(one, '203.0.113.1, 198.51.100.7'), 401)
  assert.equal(await guess(one, '203.0.113.2, 198.51.100.7'), 429)
  assert.equal(await guess(one, '198.51.100.7, 198.51.100.8'), 401, 'another caller is not affected')
  const two = await start({ TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' }, { failedAuthPerMinute: 1 })
  assert.equal(await guess(two, '203.0.113.1, 198.51.100.7, 10.1.2.3'), 401)
  assert.equal(await guess(two, '203.0.113.2, 198.51.100.7, 10.1.2.4'), 429)
  const none = await start({}, { failedAuthPerMinute: 1 })
  assert.equal(await guess(none, '198.51.100.7'), 401)
  assert.equal(await guess(none, '198.51.100.8'), 429, 'a header that nobody vouches for changes nothing')
})

test('a proxy that is no address keeps the server from starting', async () => {
  for (const proxies of ['yes', '2', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.1,', '::1/129', '1.2.3.4/8/8'])
    await assert.rejects(start({ TRUST_PROXY: proxies }), /TRUST_PROXY must be true, false, or addresses/, proxies)
  for (const proxies of ['::1', 'fd00::/8', 'loopback, uniquelocal']) await start({ TRUST_PROXY: proxies })
})

test('missing and misspelled credentials are no guesses and never become 429', async () => {
  const limited = await start({}, { failedAuthPerMinute: 3 })
  for (let attempt = 0; attempt < 8; attempt++) {
    assert.equal((await get('/mine', undefined, limited)).status, 401)
    assert.equal((await get('/mine', 'Bearer svc_test_typo', limited)).status, 401)
  }
})

test('an address that guesses the operator secret gets 429; the right one still passes from there', async () => {
  const limited = await start({}, { failedAuthPerMinute: 3 })
  for (let guess = 0; guess < 3; guess++)
    assert.equal((await get('/operator', `Bearer guess-number-${guess}`, limited)).status, 401)
  const refused = await get('/operator', 'Bearer guess-number-4', limited)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.equal((await get('/operator', `Bearer ${adminSecret}`, limited)).status, 200)
  assert.equal((await get('/operator', 'Bearer guess-number-5', limited)).status, 429, 'which forgives no guess')
})

test('a business operation confirms a guessed operator secret to nobody who guessed before', async () => {
  const limited = await start({}, { failedAuthPerMinute: 3 })
  for (let guess = 0; guess < 3; guess++) await get('/mine', `Bearer guess-number-${guess}`, limited)
  assert.equal((await get('/mine', `Bearer ${adminSecret}`, limited)).body.error.code, 'api_key_malformed')
})

test('with the database away, a well-formed key is 503 and a malformed one still 401', async () => {
  const alone = await edgeServer({ routes })
  servers.push(alone)
  const away = await get('/mine', `Bearer ${strangerKey()}`, alone)
  assert.equal(away.status, 503)
  assert.equal(away.body.error.code, 'database_unavailable')
  assert.ok(Number(away.headers.get('retry-after')) >= 1)
  assert.equal((await get('/mine', 'Bearer svc_test_typo', alone)).status, 401)
})

test('no credential is in any log line, not even as the id of a request', async () => {
  for (const path of ['/open', '/nowhere'])
    await edge.call('GET', path, undefined, { headers: { 'x-request-id': key } })
  await until('both lines', () => edge.log.filter(({ requestId }) => requestId === 'svc_test_…').length === 2)
  for (const server of servers) {
    const text = JSON.stringify(server.log)
    assert.ok(!text.includes(key) && !text.includes(adminSecret) && !text.includes(key.slice(9, 30)))
  }
})
