// The sign-in of staff over HTTP, with a browser that keeps cookies and an issuer that can be dishonest.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Browser, type Visit } from '../../../../examples/oidc/browser.ts'
import { Issuers } from '../../src/sign-in/protocol/issuers.ts'
import { Rechecks } from '../../src/sign-in/recheck.ts'
import type { Business } from '../business.ts'
import { assertError, dataOf, request, until } from '../caller.ts'
import { pageShowing } from '../console-browser.ts'
import { openWorld } from '../world.ts'
import { startTestIssuer, type TestIssuer } from './test-issuer.ts'

const operatorIssuer = await startTestIssuer({ sub: 'olga', name: 'Olga', groups: ['ops'] })
const roles = { claim: 'groups', values: { admins: 'admin', money: 'finance', ops: 'admin', help: 'support' } }
const world = await openWorld({
  alone: true,
  env: {
    OIDC_ISSUER: operatorIssuer.url,
    OIDC_CLIENT_ID: 'causeway-operator',
    OIDC_CLIENT_SECRET: 'secret-of-the-operator',
    OIDC_ROLES: JSON.stringify({ claim: 'groups', values: { ops: 'admin', help: 'support' } }),
    OIDC_FRESH_SIGN_IN_MINUTES: '10',
  },
})
after(async () => {
  await world.stop()
  await operatorIssuer[Symbol.asyncDispose]()
})
const origin = world.url

type Staff = { issuer: TestIssuer; business: Business } & AsyncDisposable

/** A business with its own issuer. */
async function staffWorld(person?: Record<string, unknown>): Promise<Staff> {
  const [issuer, business] = [await startTestIssuer(person), await world.otherBusiness()]
  const signIn = { issuer: issuer.url, clientId: 'causeway', clientSecret: 'secret of the client', roles }
  dataOf(await business.call('PUT', '/v0/sign-in', signIn))
  return { issuer, business, [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose]() }
}

const startAt = (owner: string, query = '') => `${origin}/console/sign-in/${owner}${query}`
const errorOf = ({ url }: Visit) => new URL(url).searchParams.get('error')

type Open = {
  session: { id: string; staff: { roles: string[] } | null; customerId: string | null; role: string } | null
}

/** A page of the console that the browser shows. */
async function consoleOf(browser: Browser) {
  const cookie = browser.cookieFor(origin)
  const { session }: Open = dataOf(
    await request('GET', `${origin}/console/config`, undefined, { headers: { 'x-causeway-console': '1', cookie } }),
  )
  const headers = { ...pageShowing({ id: session?.id ?? 'none' }), cookie }
  const ask = (method: string, path: string, body?: unknown) => request(method, `${origin}${path}`, body, { headers })
  return { session, ask }
}

async function signedIn(owner: string, browser = new Browser()): Promise<Browser> {
  const visit = await browser.open(startAt(owner))
  assert.equal(errorOf(visit), null, visit.url)
  return browser
}

const rolesNow = async (browser: Browser) => (await consoleOf(browser)).session?.staff?.roles ?? null

/** The address that the issuer sends the browser to, which is not opened. */
async function callbackOf(browser: Browser, owner: string): Promise<URL> {
  const toIssuer = await browser.step(startAt(owner))
  const back = await browser.step(toIssuer)
  assert.ok(back.startsWith(`${origin}/console/sign-in/callback/`), back)
  return new URL(back)
}

describe('a sign-in', () => {
  test('opens a session with the roles of the claim, at the page that was asked for', async () => {
    await using staff = await staffWorld({ sub: 'ada', name: 'Ada', groups: ['money', 'admins'] })
    const browser = new Browser()
    const visit = await browser.open(startAt(staff.business.id, '?next=/console/events?type=a'))
    assert.equal(visit.url, `${origin}/console/events?type=a`)
    const { session } = await consoleOf(browser)
    assert.deepEqual(
      [session?.role, session?.customerId, session?.staff?.roles],
      ['business', staff.business.id, ['admin', 'finance']],
    )
    const { ask } = await consoleOf(browser)
    assert.equal((await ask('GET', '/v0/whoami')).status, 200)
  })

  test('of the operator opens the pages of the operator', async () => {
    const { session, ask } = await consoleOf(await signedIn('operator'))
    assert.deepEqual([session?.role, session?.customerId, session?.staff?.roles], ['operator', null, ['admin']])
    assert.equal((await ask('GET', '/v0/customers')).status, 200)
    const config = await request('GET', `${origin}/console/config`, undefined, {
      headers: { 'x-causeway-console': '1' },
    })
    assert.deepEqual(dataOf(config).signIn, { operator: true })
  })

  test('sets cookies that no script reads, and ends the session before', async () => {
    await using staff = await staffWorld()
    const browser = await signedIn(staff.business.id)
    const before = (await consoleOf(browser)).session?.id
    const start = await fetch(startAt(staff.business.id), { redirect: 'manual' })
    assert.match(
      start.headers.getSetCookie()[0] ?? '',
      /^causeway_sign_in=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    assert.equal(start.headers.get('cache-control'), 'no-store')
    assert.equal(start.headers.get('referrer-policy'), 'no-referrer')
    await signedIn(staff.business.id, browser)
    assert.notEqual((await consoleOf(browser)).session?.id, before)
    const rows = await world.rows`select 1 from console_sessions where id = ${before ?? ''}`
    assert.equal(rows.length, 0)
  })

  test('leads only to pages of the console', async () => {
    await using staff = await staffWorld()
    for (const next of [
      'https://evil.example/',
      '//evil.example/',
      '/v0/events',
      '/console/../v0',
      '/console\\..\\x',
      '/consolex',
      '/console/sign-in/operator',
      '/console/sign-in?error=x',
    ]) {
      const visit = await new Browser().open(startAt(staff.business.id, `?${new URLSearchParams({ next })}`))
      assert.equal(visit.url, `${origin}/console`, next)
    }
  })

  test('asks the issuer for a fresh sign-in when the page does', async () => {
    await using staff = await staffWorld()
    const ageOf = async (query: string) =>
      new URL(await new Browser().step(startAt(staff.business.id, query))).searchParams.get('max_age')
    assert.deepEqual([await ageOf(''), await ageOf('?fresh=1')], [null, '300'])
    staff.issuer.lies.claims = (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1_000) - 3_600 })
    assert.equal(errorOf(await new Browser().open(startAt(staff.business.id, '?fresh=1'))), 'sign_in_failed')
    assert.equal(errorOf(await new Browser().open(startAt(staff.business.id))), null)
  })

  test('that another site starts stops at the sign-in page', async () => {
    await using staff = await staffWorld()
    for (const site of ['cross-site', 'same-site']) {
      const response = await fetch(startAt(staff.business.id, '?next=/console/events'), {
        redirect: 'manual',
        headers: { 'sec-fetch-site': site },
      })
      const page = new URL(response.headers.get('location') ?? '', origin)
      assert.equal(page.pathname, '/console/sign-in')
      assert.deepEqual(Object.fromEntries(page.searchParams), { owner: staff.business.id, next: '/console/events' })
      assert.deepEqual(response.headers.getSetCookie(), [])
    }
  })
})

describe('a sign-in is refused', () => {
  const refusedAt = async (browser: Browser, url: URL | string) => {
    const visit = await browser.open(String(url))
    assert.equal(new URL(visit.url).pathname, '/console/sign-in')
    assert.equal(await rolesNow(browser), null, 'nobody is signed in')
    return errorOf(visit)
  }

  test('with another state, in another browser, twice, or with a code that was used', async () => {
    await using staff = await staffWorld()
    const { id } = staff.business
    const browser = new Browser()
    const changed = await callbackOf(browser, id)
    changed.searchParams.set('state', 'x'.repeat(43))
    assert.equal(await refusedAt(browser, changed), 'sign_in_failed')
    const stolen = await callbackOf(browser, id)
    assert.equal(await refusedAt(new Browser(), stolen), 'sign_in_expired')
    const attempt = browser.copy()
    assert.equal(errorOf(await browser.open(stolen.href)), null)
    assert.equal(errorOf(await browser.open(stolen.href)), 'sign_in_expired', 'the attempt is used up')
    assert.equal(await refusedAt(attempt, stolen), 'sign_in_failed', 'the code is used up')
  })

  test('with the attempt of another business, or of the operator', async () => {
    await using staff = await staffWorld()
    await using other = await staffWorld()
    const browser = new Browser()
    for (const owner of [other.business.id, 'operator']) {
      const callback = await callbackOf(browser, staff.business.id)
      callback.pathname = callback.pathname.replace(staff.business.id, owner)
      assert.equal(await refusedAt(browser, callback), 'sign_in_failed')
    }
    // A code of one issuer in the attempt at the other.
    const [code, own] = [
      await callbackOf(new Browser(), staff.business.id),
      await callbackOf(browser, other.business.id),
    ]
    for (const name of ['code', 'iss']) own.searchParams.set(name, code.searchParams.get(name) ?? '')
    assert.equal(await refusedAt(browser, own), 'sign_in_failed')
    own.searchParams.delete('iss')
    assert.equal(await refusedAt(browser, own), 'sign_in_expired')
  })

  test('with a token that has expired, is forged, or has another nonce', async () => {
    await using staff = await staffWorld()
    const { lies } = staff.issuer
    for (const [name, lie] of Object.entries({
      expired: { claims: (claims: object) => ({ ...claims, exp: 1 }) },
      forged: { isForged: true },
      nonce: { claims: (claims: object) => ({ ...claims, nonce: 'other' }) },
    })) {
      Object.assign(lies, { claims: undefined, isForged: false }, lie)
      assert.equal(await refusedAt(new Browser(), startAt(staff.business.id)), 'sign_in_failed', name)
    }
  })

  test('without a role, without an issuer, with a silent issuer, and at a suspended business', async () => {
    await using staff = await staffWorld({ sub: 'eve', groups: ['visitors'] })
    const { id } = staff.business
    assert.equal(await refusedAt(new Browser(), startAt(id)), 'role_unknown')
    staff.issuer.change({ groups: ['admins'] })
    dataOf(await world.operator.call('PATCH', `/v0/customers/${id}`, { status: 'suspended' }))
    assert.equal(await refusedAt(new Browser(), startAt(id)), 'business_suspended')
    dataOf(await world.operator.call('PATCH', `/v0/customers/${id}`, { status: 'active' }))
    const callback = await callbackOf(new Browser(), id)
    assert.equal(callback.searchParams.has('code'), true)
    const browser = new Browser()
    const waiting = await callbackOf(browser, id)
    staff.issuer.away(true)
    assert.equal(await refusedAt(browser, waiting), 'sign_in_unavailable')
    for (const owner of [(await world.otherBusiness()).id, 'biz_00000000000000000000000000', 'nobody'])
      assert.equal(await refusedAt(new Browser(), startAt(owner)), 'sign_in_not_set')
  })

  test('by more responses in a minute than one address may send, before the issuer is asked', async () => {
    const [issuer, limited] = [
      await startTestIssuer(),
      await openWorld({ alone: true, limits: { failedAuthPerMinute: 3 } }),
    ]
    try {
      dataOf(await limited.business.call('PUT', '/v0/sign-in', { issuer: issuer.url, clientId: 'causeway', roles }))
      const start = `${limited.url}/console/sign-in/${limited.business.id}`
      const browser = new Browser()
      const callback = new URL(await browser.step(await browser.step(start)))
      callback.searchParams.set('code', 'guessed')
      const tries = await Promise.all(Array.from({ length: 8 }, () => browser.copy().open(callback.href)))
      const codes = tries.map(errorOf).toSorted()
      assert.deepEqual(codes, [...Array(3).fill('sign_in_failed'), ...Array(5).fill('sign_in_unavailable')])
      assert.equal(issuer.asked.filter((path) => path === 'POST /token').length, 3)
    } finally {
      await limited.stop()
      await issuer[Symbol.asyncDispose]()
    }
  })

  test('and the log says why, without codes and tokens', async () => {
    await using staff = await staffWorld()
    const browser = new Browser()
    const callback = await callbackOf(browser, staff.business.id)
    staff.issuer.lies.isForged = true
    await browser.open(callback.href)
    const line = await until('the line', () =>
      world.log.find((text) => text.includes('staff sign-in failed') && text.includes(staff.business.id)),
    )
    assert.match(line, /"code":"sign_in_failed".*"reason":"[^"]*signature/)
    const text = world.log.join('\n')
    for (const secret of [
      callback.searchParams.get('code') ?? '',
      callback.searchParams.get('state') ?? '',
      'secret of the client',
    ])
      assert.ok(!text.includes(secret))
  })
})

describe('a session', () => {
  test('of one business opens nothing of another', async () => {
    await using staff = await staffWorld()
    await using other = await staffWorld()
    const { ask, session } = await consoleOf(await signedIn(staff.business.id))
    const endpoint = dataOf(
      await other.business.call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://example.com/' }),
    )
    assertError(await ask('GET', `/v0/webhook-endpoints/${endpoint.id}`), 404, 'webhook_endpoint_not_found')
    assertError(await ask('GET', '/v0/customers'), 401, 'wrong_auth_scheme')
    assert.equal(dataOf(await ask('GET', '/v0/sign-in')).issuer, staff.issuer.url)
    assert.equal(session?.customerId, staff.business.id)
  })

  test('ends when the issuer says so, and not when somebody else does', async () => {
    await using staff = await staffWorld({ sub: 'ada', groups: ['admins'], sid: 's1' })
    await using other = await staffWorld()
    const browser = await signedIn(staff.business.id)
    const logOut = async (token: string | null, owner = staff.business.id) => {
      const body = new URLSearchParams(token === null ? {} : { logout_token: token })
      const response = await fetch(`${origin}/console/sign-in/${owner}/logout`, { method: 'POST', body })
      assert.equal(response.headers.get('cache-control'), 'no-store')
      return response.status
    }
    const good = await staff.issuer.logoutToken('causeway', { sid: 's1' })
    assert.equal(await logOut(null), 400)
    assert.equal(await logOut('x.y.z'), 400)
    assert.equal(
      await logOut(
        await other.issuer.logoutToken('causeway', { iss: staff.issuer.url, sid: 's1' }).then((t) => `${t}x`),
      ),
      400,
    )
    assert.equal(await logOut(await other.issuer.logoutToken('causeway', { sid: 's1' })), 400)
    assert.equal(await logOut(good, other.business.id), 400)
    assert.equal(await logOut(good, 'nobody'), 400)
    assert.equal(await logOut(await staff.issuer.logoutToken('causeway', { sid: 's2' })), 200, 'another session')
    assert.deepEqual(await rolesNow(browser), ['admin'])
    assert.equal(await logOut(good), 200)
    assert.equal(await rolesNow(browser), null)
    const again = await signedIn(staff.business.id)
    assert.equal(await logOut(await staff.issuer.logoutToken('causeway')), 200, 'all sessions of the person')
    assert.equal(await rolesNow(again), null)
  })

  test('a logout request of another form is refused', async () => {
    const url = `${origin}/console/sign-in/operator/logout`
    assert.equal((await request('POST', url, { logout_token: 'x' })).status, 400, 'JSON')
    const body = new URLSearchParams({ logout_token: 'x'.repeat(20_000) })
    assert.equal((await fetch(url, { method: 'POST', body })).status, 413)
  })

  test('a sign-out ends this session, or every session of the person, and names the page of the issuer', async () => {
    await using staff = await staffWorld()
    const { id } = staff.business
    const [first, second, third] = [await signedIn(id), await signedIn(id), await signedIn(id)]
    const { ask } = await consoleOf(first)
    const { endSessionUrl } = dataOf(await ask('DELETE', '/console/session'))
    const page = new URL(endSessionUrl)
    assert.equal(page.origin + page.pathname, `${staff.issuer.url}/logout`)
    assert.equal(page.searchParams.get('post_logout_redirect_uri'), `${origin}/console/sign-in`)
    assert.deepEqual([await rolesNow(first), await rolesNow(second)], [null, ['admin']])
    staff.issuer.lies.metadata = ({ end_session_endpoint: _end, ...honest }) => honest
    const everywhere = (await consoleOf(second)).ask
    dataOf(await everywhere('DELETE', '/console/session?everywhere=true'))
    assert.deepEqual([await rolesNow(second), await rolesNow(third)], [null, null])
  })

  test('ends when the issuer or the client of the business changes, and with its sign-in; not with other changes', async () => {
    await using staff = await staffWorld()
    const { business, issuer } = staff
    const browser = await signedIn(business.id)
    const good = { issuer: issuer.url, clientId: 'causeway', roles }
    dataOf(await business.call('PUT', '/v0/sign-in', { ...good, scope: 'openid' }))
    assert.deepEqual(await rolesNow(browser), ['admin'])
    dataOf(await business.call('PUT', '/v0/sign-in', { ...good, clientId: 'another' }))
    assert.equal(await rolesNow(browser), null)
    await signedIn(business.id, browser)
    dataOf(await business.call('DELETE', '/v0/sign-in'))
    assert.equal(await rolesNow(browser), null)
  })
})

describe('roles are read again', () => {
  const rechecks = new Rechecks({ ...world.inside, issuers: new Issuers() })
  /** Every session of the business is due. The loop of the server may be first. */
  const recheck = async ({ business }: Staff) => {
    await world.rows`update console_sessions set check_at = now() where business_id = ${business.id} and refresh_token is not null`
    await rechecks.run()
  }

  test('a new role counts in the open session, and without a role every session of the person ends', async () => {
    await using staff = await staffWorld()
    const [browser, other] = [await signedIn(staff.business.id), await signedIn(staff.business.id)]
    staff.issuer.change({ groups: ['money'] })
    await recheck(staff)
    await until('the new role', async () => (await rolesNow(browser))?.[0] === 'finance')
    const { ask } = await consoleOf(browser)
    assertError(await ask('GET', '/v0/api-keys'), 403, 'insufficient_scope')
    staff.issuer.change({ groups: [] })
    await recheck(staff)
    await until('the end', async () => (await rolesNow(browser)) === null && (await rolesNow(other)) === null)
  })

  test('by every server that runs the relay', async () => {
    await using staff = await staffWorld()
    const browser = await signedIn(staff.business.id)
    staff.issuer.change({ groups: ['help'] })
    await world.rows`update console_sessions set check_at = now() where business_id = ${staff.business.id}`
    await using _another = await world.replica()
    await until('the new role', async () => (await rolesNow(browser))?.[0] === 'support')
  })

  test('the end of one grant ends its session alone', async () => {
    await using staff = await staffWorld()
    const [browser, other] = [await signedIn(staff.business.id), await signedIn(staff.business.id)]
    let refused = false
    staff.issuer.lies.refresh = () => {
      if (refused) return null
      refused = true
      return { status: 400, body: { error: 'invalid_grant' } }
    }
    await recheck(staff)
    const live = async () => (await Promise.all([rolesNow(browser), rolesNow(other)])).filter((each) => each !== null)
    await until('one end', async () => refused && (await live()).length === 1)
  })

  test('an issuer that is away ends nothing until the time is over; then the session ends', async () => {
    await using staff = await staffWorld()
    const browser = await signedIn(staff.business.id)
    staff.issuer.away(true)
    const asked = staff.issuer.asked.length
    await recheck(staff)
    await until('a try', () => staff.issuer.asked.length > asked)
    assert.deepEqual(await rolesNow(browser), ['admin'])
    await world.rows`update console_sessions set checked_until = now() where business_id = ${staff.business.id}`
    assert.equal(await rolesNow(browser), null)
  })
})
