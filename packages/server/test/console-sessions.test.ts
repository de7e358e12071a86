// Sessions of the console: who signs in with what, what a session may do, when it ends, and the attacks on it that fail.

import assert from 'node:assert/strict'
import { request as sendRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { listAudit } from '../src/audit/store.ts'
import { flushRequests } from '../src/businesses/requests/service.ts'
import { LocalLinks } from '../src/console/local-links.ts'
import { sweepConsole } from '../src/console/store.ts'
import { assertError, request, until } from './caller.ts'
import { type Browser, ownPage, signIn } from './console-browser.ts'
import { freeReaders } from './waiting-readers.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { url: baseUrl } = world
const { apiKey, id: customerId } = world.business
const { secret: adminSecret } = world.operator
const { db } = world.inside

const newKey = async (body = {}) => (await world.business.call('POST', '/v0/api-keys', body)).body.data
const newCode = async (scopes: string[] = ['end_users:read'], key = apiKey): Promise<string> =>
  (await world.business.call('POST', '/v0/console-links', { scopes }, { key })).body.data.url.split('#')[1]
const post = (body: unknown, headers: Record<string, string> = ownPage) =>
  request('POST', `${baseUrl}/console/session`, body, { headers })
const whoami = (browser: Browser, headers = {}) => browser.ask('GET', '/v0/whoami', undefined, headers)
const config = async (headers: Record<string, string> = {}) =>
  (await request('GET', `${baseUrl}/console/config`, undefined, { headers: { ...ownPage, ...headers } })).body.data

/** `fetch` sends no `Host` of the caller's. */
function statusOf(body: unknown, headers: Record<string, string>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = sendRequest(
    `${baseUrl}/console/session`,
    { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
    (response) => resolve(response.resume().statusCode),
  )
  sent.on('error', reject).end(JSON.stringify(body))
  return promise
}

describe('signing in', () => {
  test('a key opens a session with its scopes, in a cookie that no script can read and no other site sends', async () => {
    const { id, key } = await newKey({ scopes: ['end_users:read', 'events:read'] })
    const { session, setCookie, ask } = await signIn(baseUrl, { apiKey: key })
    assert.match(setCookie, /^causeway_session=svc_session_[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/)
    const { id: sessionId, expiresAt, ...who } = session
    assert.match(sessionId, /^console_session_/)
    const scopes = ['end_users:read', 'events:read']
    const expected = {
      role: 'business',
      customerId,
      name: 'Sandbox business',
      apiKeyId: id,
      scopes,
      mode: 'sandbox',
      staff: null,
    }
    assert.deepEqual({ ...who, name: expected.name }, expected)
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 12 * 3_600_000) < 60_000)
    const again = await ask('GET', '/console/config')
    assert.deepEqual(again.body.data.session, session)
    assert.equal(again.headers.get('cache-control'), 'no-store')
    assert.equal((await ask('GET', '/v0/whoami')).body.data.apiKeyId, id)
    assert.equal((await ask('GET', '/v0/end-users')).status, 200)
    assertError(await ask('GET', '/v0/webhook-endpoints'), 403, 'insufficient_scope')
  })

  test('a session lives no longer than its key', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { key } = await newKey({ expiresAt })
    const browser = await signIn(baseUrl, { apiKey: key })
    assert.equal(browser.session.expiresAt, expiresAt)
    assert.match(browser.setCookie, /Max-Age=(3600|359\d);/)
  })

  test('a link opens a session with the scopes of the link, in the name of the key that made it', async () => {
    const { id, key } = await newKey()
    const { session, ask } = await signIn(baseUrl, { code: await newCode(['end_users:read'], key) })
    assert.deepEqual([session.apiKeyId, session.scopes], [id, ['end_users:read']])
    assert.equal((await ask('GET', '/v0/end-users')).status, 200)
    assertError(await ask('POST', '/v0/end-users', { externalUserId: 'x' }), 403, 'insufficient_scope')
    assertError(await ask('POST', '/v0/console-links', { scopes: ['end_users:read'] }), 403, 'insufficient_scope')
  })

  test('the operator secret opens the operations of the operator, and those alone', async () => {
    const { session, ask } = await signIn(baseUrl, { adminSecret })
    assert.deepEqual([session.role, session.customerId, session.scopes], ['operator', null, []])
    assert.equal((await ask('GET', '/v0/customers')).status, 200)
    assertError(await ask('GET', '/v0/whoami'), 401, 'wrong_auth_scheme')
    const business = await signIn(baseUrl, { apiKey })
    assertError(await business.ask('GET', '/v0/customers'), 401, 'wrong_auth_scheme')
  })

  describe('by a link of a local environment', () => {
    const links = new LocalLinks(world.inside.randomBytes)
    const sandboxUrl = 'http://127.0.0.1:18081'
    before(() => {
      const host = { build: () => ({ state: 'built' }) as const, apiKey, sandboxUrl }
      world.server.console.host = { ...host, links }
      world.server.docs.host = host
    })
    after(() => {
      world.server.console.host = null
      world.server.docs.host = null
    })

    test('the link signs one browser in, once, as the business or as the operator', async () => {
      for (const [role, who] of [
        ['business', customerId],
        ['operator', null],
      ] as const) {
        const code = links.create(role)
        const { data } = (await post({ code })).body
        assert.deepEqual([data.role, data.customerId], [role, who])
        assertError(await post({ code }), 401, 'console_link_invalid')
      }
      assert.equal((await config()).isLocal, true)
    })

    test('an address signs nobody in, and no other credential does', async () => {
      assertError(await post({ local: 'operator' }), 400, 'unknown_field')
      assertError(await post({ code: `svc_link_${'a'.repeat(43)}` }), 401, 'console_link_invalid')
      assertError(await request('POST', `${baseUrl}/console/local-links`, { role: 'operator' }), 401, 'api_key_missing')
      const asBusiness = { headers: { authorization: `Bearer ${apiKey}` } }
      const refused = await request('POST', `${baseUrl}/console/local-links`, { role: 'operator' }, asBusiness)
      assertError(refused, 401, 'wrong_auth_scheme')
    })

    test('causeway open gets another link by the operator secret', async () => {
      const asOperator = { headers: { authorization: `Bearer ${adminSecret}` } }
      const made = await request('POST', `${baseUrl}/console/local-links`, { role: 'business' }, asOperator)
      assert.equal(made.body.data.expiresInMinutes, 10)
      assert.equal((await post({ code: made.body.data.code })).body.data.role, 'business')
    })

    test('a link is over after ten minutes', () => {
      let nowMs = 0
      const timed = new LocalLinks(world.inside.randomBytes, () => nowMs)
      const [early, late] = [timed.create('business'), timed.create('business')]
      nowMs = 599_000
      assert.equal(timed.use(early), 'business')
      nowMs = 601_000
      assert.equal(timed.use(late), null)
    })

    const own = new URL(baseUrl)
    const foreign: Record<string, Record<string, string>> = {
      'x-forwarded-for': { 'x-forwarded-for': '203.0.113.7' },
      'x-forwarded-host': { 'x-forwarded-host': 'tunnel.example' },
      'x-forwarded-proto': { 'x-forwarded-proto': 'https' },
      forwarded: { forwarded: 'for=203.0.113.7' },
      via: { via: '1.1 tunnel' },
      'x-real-ip': { 'x-real-ip': '203.0.113.7' },
      'true-client-ip': { 'true-client-ip': '203.0.113.7' },
      'x-client-ip': { 'x-client-ip': '203.0.113.7' },
      'cf-connecting-ip': { 'cf-connecting-ip': '203.0.113.7' },
      'x-original-host': { 'x-original-host': 'tunnel.example' },
      'another Host': { host: 'stranger.example', origin: 'http://stranger.example' },
      'another Origin, of the same site by its own word': {
        origin: 'http://stranger.example',
        'sec-fetch-site': 'same-origin',
      },
      'the Origin of a neighbor port': { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-origin' },
    }
    for (const [what, headers] of Object.entries(foreign))
      test(`a request with ${what} is signed in by no link, and uses none up`, async () => {
        const code = links.create('operator')
        const sent = { ...ownPage, host: own.host, ...headers }
        assert.equal(await statusOf({ code }, sent), 401)
        assert.equal(await statusOf({ code }, { ...ownPage, host: own.host, origin: own.origin }), 200)
      })

    test('the documentation gives the key to its reader who is signed in, and to nobody by the address', async () => {
      const visitor = async (headers: Record<string, string>) =>
        (await request('GET', `${baseUrl}/docs/visitor.json`, undefined, { headers })).body
      const { cookie } = await signIn(baseUrl, { code: links.create('business') })
      assert.deepEqual(await visitor({ cookie }), { apiKey, sandboxUrl })
      assert.deepEqual(await visitor({}), { sandboxUrl })
      assert.deepEqual(await visitor({ cookie, 'x-forwarded-for': '203.0.113.7' }), {})
      const asOperator = await signIn(baseUrl, { code: links.create('operator') })
      assert.deepEqual(await visitor({ cookie: asOperator.cookie }), { sandboxUrl })
    })
  })

  test('a deployment makes no such links', async () => {
    const asOperator = { headers: { authorization: `Bearer ${adminSecret}` } }
    const made = await request('POST', `${baseUrl}/console/local-links`, { role: 'business' }, asOperator)
    assertError(made, 404, 'route_not_found')
    assert.equal((await config()).isLocal, false)
  })

  test('who is not signed in, or not any more, is told so without an error', async () => {
    assert.equal((await config()).session, null)
    const { cookie, ask } = await signIn(baseUrl, { apiKey })
    assert.equal((await config({ cookie })).session.customerId, customerId)
    await ask('DELETE', '/console/session')
    assert.equal((await config({ cookie })).session, null)
  })

  test('a wrong key, code or secret, none or two at once are refused, and nothing is set', async () => {
    for (const [body, status, code] of [
      [{ apiKey: 'svc_test_x' }, 401, 'api_key_malformed'],
      [{ apiKey: adminSecret }, 401, 'api_key_malformed'],
      [{ code: apiKey }, 401, 'console_link_invalid'],
      [{ code: `svc_link_${'a'.repeat(43)}` }, 401, 'console_link_invalid'],
      [{ adminSecret: apiKey }, 401, 'admin_secret_invalid'],
      [{}, 400, 'invalid_length'],
      [{ apiKey, adminSecret }, 400, 'invalid_length'],
      [{ key: apiKey }, 400, 'unknown_field'],
    ] as const) {
      const answer = await post(body)
      assertError(answer, status, code)
      assert.equal(answer.headers.get('set-cookie'), null)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    const { key, id } = await newKey()
    await world.business.call('DELETE', `/v0/api-keys/${id}`)
    assertError(await post({ apiKey: key }), 401, 'api_key_invalid')
  })

  test('a suspended business signs in with neither a key nor a link, and the link is not used up by the attempt', async () => {
    const other = await world.otherBusiness()
    const code = await newCode(['events:read'], other.apiKey)
    const { ask } = await signIn(baseUrl, { apiKey: other.apiKey })
    const change = (status: string) =>
      world.business.call('PATCH', `/v0/customers/${other.id}`, { status }, { key: adminSecret })
    await change('suspended')
    assertError(await post({ apiKey: other.apiKey }), 403, 'business_suspended')
    assertError(await post({ code }), 403, 'business_suspended')
    assertError(await ask('GET', '/v0/whoami'), 403, 'business_suspended')
    await change('active')
    assert.equal((await post({ code })).status, 200)
  })
})

describe('attacks', () => {
  test('replayed link: it signs in once, and every later use is refused', async () => {
    const code = await newCode()
    const first = await signIn(baseUrl, { code })
    assertError(await post({ code }), 401, 'console_link_invalid')
    assert.equal((await whoami(first)).status, 200)
  })

  test('two replicas and sixteen browsers with one link at the same moment: exactly one is signed in', async () => {
    await using other = await world.replica()
    for (let round = 0; round < 5; round++) {
      const code = await newCode()
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, at) =>
          request('POST', `${at % 2 === 0 ? baseUrl : other.url}/console/session`, { code }, { headers: ownPage }),
        ),
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, ...Array.from({ length: 15 }, () => 401)])
    }
  })

  test('expired link, and one whose key has ended: refused', async () => {
    const code = await newCode()
    await db.transaction(
      (tx) => tx`update console_links set expires_at = now() where used_at is null and business_id = ${customerId}`,
    )
    assertError(await post({ code }), 401, 'console_link_invalid')
    const { id, key } = await newKey()
    const orphan = await newCode(['events:read'], key)
    await world.business.call('DELETE', `/v0/api-keys/${id}`)
    assertError(await post({ code: orphan }), 401, 'console_link_invalid')
  })

  test('fixation: a cookie that was planted before the sign-in is not taken over, and a session before it ends', async () => {
    const planted = `causeway_session=svc_session_${'A'.repeat(43)}`
    const browser = await signIn(baseUrl, { apiKey }, { cookie: planted })
    assert.notEqual(browser.cookie, planted)
    assertError(await whoami(browser, { cookie: planted }), 401, 'console_session_invalid')
    const next = await signIn(baseUrl, { apiKey }, { cookie: browser.cookie })
    assertError(await whoami(browser), 401, 'console_session_invalid')
    assert.equal((await whoami(next)).status, 200)
  })

  const foreign: Record<string, Record<string, string>> = {
    'a form of another site': { 'sec-fetch-site': 'cross-site' },
    'a form of a neighbour on the same domain': { 'sec-fetch-site': 'same-site' },
    'an address that somebody typed or followed': { 'sec-fetch-site': 'none' },
    'a script of another site that names the header': { 'sec-fetch-site': 'cross-site', 'x-causeway-console': '1' },
    'a script of a neighbour that names the header': { 'sec-fetch-site': 'same-site', 'x-causeway-console': '1' },
    'an old browser with a form of another site': { origin: 'https://evil.example.com' },
    'an old browser with a script of another site': { origin: 'https://evil.example.com', 'x-causeway-console': '1' },
    'a page in a sandbox': { origin: 'null', 'x-causeway-console': '1' },
    'a page of this server that does not name the header': { 'sec-fetch-site': 'same-origin' },
  }
  for (const [what, headers] of Object.entries(foreign)) {
    test(`CSRF by ${what}: refused on every kind of route, and nothing is done`, async () => {
      const browser = await signIn(baseUrl, { apiKey })
      const asOperator = await signIn(baseUrl, { adminSecret })
      const send = (method: string, path: string, body?: unknown, cookie = browser.cookie) =>
        request(method, `${baseUrl}${path}`, body, { headers: { cookie, ...headers } })
      const externalUserId = `forged-${what}`
      assertError(await send('POST', '/v0/end-users', { externalUserId }), 403, 'cross_site_request')
      assertError(await send('GET', '/v0/whoami'), 403, 'cross_site_request')
      assertError(await send('DELETE', '/console/session'), 403, 'cross_site_request')
      assertError(await send('POST', '/console/session', { apiKey }), 403, 'cross_site_request')
      assertError(await send('POST', '/v0/customers', { name: 'Forged' }, asOperator.cookie), 403, 'cross_site_request')
      const user = await world.business.call('GET', `/v0/end-users/${encodeURIComponent(externalUserId)}`)
      assert.equal(user.status, 404)
      assert.equal((await whoami(browser)).status, 200)
    })
  }

  test('a page that shows another session than the cookie’s is refused, nothing is done, and its session is not ended', async () => {
    const other = await world.otherBusiness()
    const [before, now] = [await signIn(baseUrl, { apiKey }), await signIn(baseUrl, { apiKey: other.apiKey })]
    const asBefore = { cookie: now.cookie }
    const made = await before.ask('POST', '/v0/end-users', { externalUserId: 'made-in-tab-one' }, asBefore)
    assertError(made, 409, 'console_session_changed')
    assertError(await before.ask('DELETE', '/console/session', undefined, asBefore), 409, 'console_session_changed')
    const asOperator = await signIn(baseUrl, { adminSecret })
    assertError(await asOperator.ask('POST', '/v0/customers', { name: 'x' }, asBefore), 409, 'console_session_changed')
    assertError(await now.ask('GET', '/v0/whoami', undefined, ownPage), 409, 'console_session_changed')
    assert.equal((await now.ask('GET', '/v0/end-users/made-in-tab-one')).status, 404)
    assert.equal((await before.ask('GET', '/console/config', undefined, asBefore)).body.data.session.id, now.session.id)
  })

  test('a browser that sends no Sec-Fetch-Site is believed by the header, and by Origin where it sends one', async () => {
    const { cookie, session } = await signIn(baseUrl, { apiKey })
    const own = { cookie, 'x-causeway-console': session.id }
    const send = (headers: Record<string, string>) =>
      request('GET', `${baseUrl}/v0/whoami`, undefined, { headers: { ...own, ...headers } })
    assert.equal((await send({})).status, 200)
    assert.equal((await send({ origin: baseUrl })).status, 200)
  })

  test('a script of another origin may not even ask: no answer allows it', async () => {
    const answer = await request('OPTIONS', `${baseUrl}/v0/end-users`, undefined, {
      headers: { origin: 'https://evil.example.com', 'access-control-request-headers': 'x-causeway-console' },
    })
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
    assert.equal(answer.headers.get('access-control-allow-headers'), null)
  })

  test('a key beside the cookie wins, right or wrong', async () => {
    const browser = await signIn(baseUrl, { apiKey })
    const { id, key } = await newKey()
    const answer = await whoami(browser, { authorization: `Bearer ${key}` })
    assert.equal(answer.body.data.apiKeyId, id)
    assertError(await whoami(browser, { authorization: 'Bearer svc_test_x' }), 401, 'api_key_malformed')
  })

  test('over https the cookie is of this host alone, and one that a neighbour has planted is not read', async () => {
    await using replica = await world.replica({ config: { publicUrl: 'https://pay.example.com' } })
    const headers = { origin: 'https://pay.example.com' }
    const secure = await signIn(replica.url, { apiKey }, headers)
    assert.match(
      secure.setCookie,
      /^__Host-causeway_session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    assert.equal((await whoami(secure, headers)).status, 200)
    const planted = secure.cookie.replace('__Host-', '')
    assertError(await whoami(secure, { ...headers, cookie: planted }), 401, 'api_key_missing')
    const link = await world.business.call('POST', '/v0/console-links', { scopes: ['events:read'] })
    assert.match(link.body.data.url, /^http:/)
    const own = await secure.ask('POST', '/v0/console-links', { scopes: ['events:read'] }, headers)
    assert.match(own.body.data.url, /^https:\/\/pay\.example\.com\/console\/link#/)
  })

  test('guesses of codes are counted by address like guesses of keys', async () => {
    await using replica = await world.replica({ config: { failedAuthPerMinute: 2 } })
    const guess = () =>
      request('POST', `${replica.url}/console/session`, { code: `svc_link_${'g'.repeat(43)}` }, { headers: ownPage })
    const statuses = [await guess(), await guess(), await guess()].map(({ status }) => status)
    assert.deepEqual(statuses, [401, 401, 429])
    assert.equal((await post({ code: await newCode() })).status, 200)
  })

  test('no page of the console can be put into a frame', async () => {
    for (const path of ['/console', '/console/', '/console/link', '/console/end-users/x']) {
      // The console itself, or the page that says how to build it.
      const { headers } = await request('GET', `${baseUrl}${path}`, undefined, { headers: { accept: 'text/html' } })
      assert.match(headers.get('content-type') ?? '', /^text\/html/)
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('cache-control'), 'no-store')
    }
  })
})

describe('the end of a session', () => {
  test('signing out ends it on the server and takes the cookie away; signing out twice is no error', async () => {
    const browser = await signIn(baseUrl, { apiKey })
    for (const _ of [1, 2]) {
      const answer = await browser.ask('DELETE', '/console/session')
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('set-cookie') ?? '', /^causeway_session=; Max-Age=0;/)
      assertError(await whoami(browser), 401, 'console_session_invalid')
      assert.equal((await browser.ask('GET', '/console/config')).body.data.session, null)
    }
  })

  const ends: Record<string, (browser: Browser) => Promise<unknown>> = {
    'signing out': (browser) => browser.ask('DELETE', '/console/session'),
    'signing in again': (browser) => signIn(baseUrl, { apiKey }, { cookie: browser.cookie }),
  }
  for (const [what, end] of Object.entries(ends)) {
    test(`${what} ends a poll that waits for events at once, without an event`, async () => {
      await using other = await world.replica()
      for (const server of [world, other]) {
        const browser = await signIn(baseUrl, { apiKey })
        const free = freeReaders(server, customerId)
        const poll = request('GET', `${server.url}/v0/events?after=now&wait=20`, undefined, {
          headers: browser.headers,
        })
        await until('a reader', () => freeReaders(server, customerId) === free - 1)
        await end(browser)
        assertError(await poll, 401, 'console_session_invalid')
      }
    })
  }

  test('the end of the key ends its sessions and those of its links, on every replica with the next request', async () => {
    await using other = await world.replica()
    const { id, key } = await newKey()
    const [byKey, byLink] = [
      await signIn(baseUrl, { apiKey: key }),
      await signIn(baseUrl, { code: await newCode(['events:read'], key) }),
    ]
    const there = (browser: Browser) =>
      request('GET', `${other.url}/v0/whoami`, undefined, { headers: browser.headers })
    for (const browser of [byKey, byLink]) assert.equal((await there(browser)).status, 200)
    await world.business.call('DELETE', `/v0/api-keys/${id}`)
    for (const browser of [byKey, byLink]) {
      assertError(await there(browser), 401, 'console_session_invalid')
      assertError(await whoami(browser), 401, 'console_session_invalid')
    }
  })

  test('a new operator secret ends the sessions of the operator, and those alone', async () => {
    await using other = await world.replica({ config: { adminSecret: 'another-secret-of-the-operator' } })
    const [asOperator, business] = [await signIn(baseUrl, { adminSecret }), await signIn(baseUrl, { apiKey })]
    const there = (browser: Browser, path: string) =>
      request('GET', `${other.url}${path}`, undefined, { headers: browser.headers })
    assertError(await there(asOperator, '/v0/customers'), 401, 'console_session_invalid')
    assert.equal((await there(business, '/v0/whoami')).status, 200)
    assert.equal((await asOperator.ask('GET', '/v0/customers')).status, 200)
  })

  test('half an hour without a request ends it, a request moves that on, and nothing moves its last hour', async () => {
    const browser = await signIn(baseUrl, { apiKey })
    const { id } = browser.session
    const set = (column: 'idle_until' | 'expires_at', minutes: number) =>
      db.transaction(
        (tx) =>
          tx`update console_sessions set ${tx.names(column)} = now() + make_interval(mins => ${minutes}) where id = ${id}`,
      )
    const idleMinutes = async () => {
      const [row] = await db.read(
        (query) => query<{ minutes: number }[]>`
          select round(extract(epoch from idle_until - now()) / 60)::int as minutes from console_sessions where id = ${id}`,
      )
      return row?.minutes
    }
    await set('idle_until', 5)
    await whoami(browser)
    assert.equal(await idleMinutes(), 30)
    await set('expires_at', 10)
    await set('idle_until', 5)
    await whoami(browser)
    assert.equal(await idleMinutes(), 10)
    await set('idle_until', 0)
    assertError(await whoami(browser), 401, 'console_session_invalid')
  })

  test('what has ended is swept away, and what goes on is not', async () => {
    const [ended, kept] = [await signIn(baseUrl, { apiKey }), await signIn(baseUrl, { apiKey })]
    const { id } = (await world.business.call('POST', '/v0/console-links', { scopes: ['events:read'] })).body.data
    const code = await newCode()
    const count = await db.transaction(async (tx) => {
      await tx`update console_sessions set idle_until = now() - interval '1 second'
        where id = ${ended.session.id}`
      await tx`update console_links set expires_at = now() - interval '25 hours' where id = ${id}`
      return await sweepConsole(tx, 1_000)
    })
    assert.ok(count >= 2, `${count}`)
    assertError(await whoami(ended), 401, 'console_session_invalid')
    assert.equal((await whoami(kept)).status, 200)
    assert.equal((await post({ code })).status, 200)
    assertError(await world.business.call('DELETE', `/v0/console-links/${id}`), 404, 'console_link_not_found')
  })
})

test('browsers that change between two businesses at the same moment: none waits for another in a circle', async () => {
  const keys = [apiKey, (await world.otherBusiness()).apiKey]
  const deadlocks = async () => {
    const [row] = await db.read(
      (query) => query<{ count: number }[]>`
        select deadlocks::int as count from pg_stat_database where datname = current_database()`,
    )
    return row?.count
  }
  const before = await deadlocks()
  const browsers = await Promise.all(
    Array.from({ length: 16 }, (_, at) => signIn(baseUrl, { apiKey: keys[at % 2] ?? '' })),
  )
  await Promise.all(
    browsers.map(async (browser, at) => {
      let { cookie } = browser
      for (let turn = 1; turn <= 10; turn++)
        cookie = (await signIn(baseUrl, { apiKey: keys[(at + turn) % 2] ?? '' }, { cookie })).cookie
    }),
  )
  assert.equal(await deadlocks(), before)
})

describe('what is told of it', () => {
  test('the audit log names the session, its key and its link; the log of requests names the session and the key', async () => {
    const { id: keyId, key } = await newKey()
    const link = (await world.business.call('POST', '/v0/console-links', { scopes: ['api_keys:write'] }, { key })).body
      .data
    const browser = await signIn(baseUrl, { code: link.url.split('#')[1] ?? '' })
    const issued = await browser.ask('POST', '/v0/api-keys', {}, { 'x-request-id': 'by-a-session' })
    assert.equal(issued.status, 200, issued.text)
    await browser.ask('DELETE', '/console/session')
    const entries = await db.read((query) => listAudit(query, customerId, { limit: 10_000 }))
    const opened = entries.find(
      ({ action, details }) => action === 'console_session.opened' && details['linkId'] === link.id,
    )
    assert.equal(opened?.actor, keyId)
    const sessionId = opened?.subjectId
    assert.match(sessionId ?? '', /^console_session_/)
    const act = entries.find(({ requestId }) => requestId === 'by-a-session')
    assert.deepEqual([act?.action, act?.actor], ['api_key.created', `${keyId}/${sessionId}`])
    const ended = entries.find(({ action, subjectId }) => action === 'console_session.ended' && subjectId === sessionId)
    assert.equal(ended?.actor, `${keyId}/${sessionId}`)
    await flushRequests(world.inside)
    const logged = await until('the request', async () => {
      const { data } = (await world.business.call('GET', '/v0/requests?requestId=by-a-session')).body
      return data[0]
    })
    assert.deepEqual([logged.credentialId, logged.sessionId], [keyId, sessionId])
    const bySession = (await world.business.call('GET', `/v0/requests?by=${sessionId}`)).body.data
    assert.ok(bySession.length >= 1 && bySession.every((row: { sessionId: string }) => row.sessionId === sessionId))
  })

  test('an act of the operator in the console names the session', async () => {
    const { ask } = await signIn(baseUrl, { adminSecret })
    await ask('POST', '/v0/customers', { name: 'By hand' }, { 'x-request-id': 'operator-session' })
    const entries = await db.read((query) => listAudit(query, null, { limit: 10_000 }))
    const entry = entries.find(({ requestId }) => requestId === 'operator-session')
    assert.match(entry?.actor ?? '', /^operator\/console_session_/)
  })

  test('an idempotency key belongs to the business, whether its key or its session sends it', async () => {
    const browser = await signIn(baseUrl, { apiKey })
    const headers = { 'idempotency-key': 'one-of-both' }
    const first = await browser.ask('POST', '/v0/api-keys', { name: 'once' }, headers)
    const repeat = await world.business.call('POST', '/v0/api-keys', { name: 'once' }, { headers })
    assert.deepEqual([repeat.text, repeat.headers.get('idempotent-replayed')], [first.text, 'true'])
  })

  test('requests of a session count with those of its key', async () => {
    await using replica = await world.replica({ config: { rateLimitRequests: 3 } })
    const { key } = await newKey()
    const browser = await signIn(replica.url, { apiKey: key })
    const remaining = async (headers: Record<string, string>) => {
      const answer = await request('GET', `${replica.url}/v0/whoami`, undefined, { headers })
      return /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]
    }
    assert.equal(await remaining(browser.headers), '1')
    assert.equal(await remaining({ authorization: `Bearer ${key}` }), '0')
    assertError(await whoami(browser), 429, 'rate_limited')
  })
})
