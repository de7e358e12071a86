// The sign-in of staff in Chromium, at a real provider and at one that is dishonest.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type ProviderClient, type StaffProvider, startProvider } from '../../../../examples/oidc/provider.ts'
import { launchBrowser } from '../../../../scripts/test-browser.ts'
import { lacking } from '../../../../scripts/test-needs.ts'
import type { Business } from '../business.ts'
import { dataOf, until } from '../caller.ts'
import { openWorld, type World } from '../world.ts'
import { startTestIssuer } from './test-issuer.ts'

const roles = { claim: 'groups', values: { admins: 'admin', help: 'support' } }
const staff = [
  { id: 'ada', name: 'Ada', email: 'ada@example.com', groups: ['admins'] },
  { id: 'grace', name: 'Grace', email: 'grace@example.com', groups: ['help'] },
  { id: 'eve', name: 'Eve', email: 'eve@example.com', groups: ['visitors'] },
]
type Session = { id: string; customerId: string; staff: { roles: string[] } }

const clientSecret = 'a-secret-of-the-client-with-enough-text'

describe('staff in a browser', { skip: lacking('browser') || lacking('console') }, () => {
  let world: World
  let browser: Browser
  let provider: StaffProvider
  let business: Business
  before(async () => {
    ;[browser, provider] = await Promise.all([launchBrowser(), startProvider(staff)])
    const OIDC_ROLES = JSON.stringify({ claim: 'groups', values: { admins: 'admin' } })
    const client = { OIDC_CLIENT_ID: 'causeway-operator', OIDC_CLIENT_SECRET: clientSecret }
    const env = { OIDC_ISSUER: provider.issuer, OIDC_ROLES, OIDC_FRESH_SIGN_IN_MINUTES: '10', ...client }
    world = await openWorld({ alone: true, env })
    provider.register(clientOf({ id: 'operator' }, client.OIDC_CLIENT_ID))
    business = await world.otherBusiness()
    await setSignIn(business, provider.issuer)
  })
  after(async () => {
    await browser?.close()
    await provider?.[Symbol.asyncDispose]()
    await world?.stop()
  })

  async function setSignIn(of: Business, issuer: string): Promise<void> {
    const clientId = `causeway-${of.id}`
    if (issuer === provider.issuer) provider.register(clientOf(of, clientId))
    dataOf(await of.call('PUT', '/v0/sign-in', { issuer, clientId, clientSecret, roles }))
  }

  function clientOf({ id }: Pick<Business, 'id'>, clientId: string): ProviderClient {
    const base = `${world.url}/console/sign-in`
    const addresses = { redirectUri: `${base}/callback/${id}`, backchannelLogoutUri: `${base}/${id}/logout` }
    return { clientId, clientSecret, ...addresses, postLogoutRedirectUri: base }
  }

  const startAt = (of: Business, query = '') => `${world.url}/console/sign-in/${of.id}${query}`
  /** Addresses that a page has opened, each redirect included: the sign-in page rewrites its own. */
  const opened = new WeakMap<Page, URL[]>()
  const lastOf = (page: Page): URL => opened.get(page)?.at(-1) ?? assert.fail('nothing was opened')
  const errorOf = (page: Page) => lastOf(page).searchParams.get('error')

  /** The session that the page has, read as the console reads it. */
  const sessionOf = async (page: Page) => {
    if (!page.url().startsWith(world.url)) await page.goto(`${world.url}/console`)
    return await page.evaluate(async () => {
      const response = await fetch('/console/config', { headers: { 'x-causeway-console': '1' } })
      const { data } = (await response.json()) as { data: { session: Session | null } }
      return data.session
    })
  }

  async function fresh(): Promise<{ context: BrowserContext; page: Page } & AsyncDisposable> {
    const context = await browser.newContext()
    const page = await context.newPage()
    const addresses: URL[] = []
    opened.set(page, addresses)
    page.on('request', (request) => request.isNavigationRequest() && addresses.push(new URL(request.url())))
    return { context, page, [Symbol.asyncDispose]: () => context.close() }
  }

  async function signIn(page: Page, name: string, of = business, query = ''): Promise<void> {
    await page.goto(startAt(of, query))
    await page.getByRole('button', { name }).click()
    await page.waitForURL((url) => url.origin === world.url)
  }

  test('a person signs in at the provider, and the second time without being asked', async () => {
    await using first = await fresh()
    const { page, context } = first
    await signIn(page, 'Ada', business, '?next=/console/events')
    assert.equal(new URL(page.url()).pathname, '/console/events')
    const session = await sessionOf(page)
    assert.deepEqual([session?.customerId, session?.staff.roles], [business.id, ['admin']])
    const cookies = await context.cookies(world.url)
    const [cookie] = cookies.filter(({ name }) => name === 'causeway_session')
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
    assert.ok(!cookies.some(({ name }) => name === 'causeway_sign_in'), 'the attempt is over')
    await page.goto(startAt(business))
    await page.waitForURL((url) => url.origin === world.url)
    const again = await sessionOf(page)
    assert.deepEqual([again?.staff.roles, again?.id === session?.id], [['admin'], false])
  })

  test('from a page of the console to the provider and back, and again before a sensitive action', async () => {
    await using visit = await fresh()
    const { page } = visit
    await page.goto(`${world.url}/console/developers/keys`)
    await page.getByLabel('Business ID').fill(business.id)
    await page.getByRole('button', { name: 'Sign in with your company account' }).click()
    await page.getByRole('button', { name: 'Ada' }).click()
    await page.waitForURL(`${world.url}/console/developers/keys`)
    const createKey = async () => {
      await page.getByRole('button', { name: 'Create API key' }).click()
      await page.getByLabel('Name').fill('Reports')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    }
    await createKey()
    await page.getByRole('button', { name: 'Sign in again' }).click()
    // The provider knows when Ada signed in, and does not ask her.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForURL(`${world.url}/console/developers/keys`)
    await createKey()
    await page.getByText(/svc_test_/).waitFor()
    const [entry] = dataOf(await business.call('GET', '/v0/audit-log?action=api_key.created&limit=1'))
    assert.equal(entry.person.email, 'ada@example.com')
  })

  test('the operator signs in from the page of the operator', async () => {
    await using visit = await fresh()
    const { page } = visit
    await page.goto(`${world.url}/console/operator/staff`)
    await page.getByRole('button', { name: 'Sign in with your company account' }).click()
    await page.getByRole('button', { name: 'Ada' }).click()
    await page.waitForURL(`${world.url}/console/operator/staff`)
    await page.getByRole('cell', { name: 'ada@example.com' }).waitFor()
  })

  test('a person without a role is not signed in', async () => {
    await using visit = await fresh()
    await signIn(visit.page, 'Eve')
    assert.equal(errorOf(visit.page), 'role_unknown')
    assert.equal(await sessionOf(visit.page), null)
  })

  test('a wrong state, a code without its attempt and a replayed code sign nobody in', async () => {
    await using visit = await fresh()
    const { page } = visit
    const callbacks: string[] = []
    page.on('request', (request) => request.url().includes('/callback/') && callbacks.push(request.url()))
    await signIn(page, 'Ada')
    const [used = ''] = callbacks
    await page.goto(used)
    assert.equal(errorOf(page), 'sign_in_expired')
    await using other = await fresh()
    await other.page.goto(used)
    assert.equal(errorOf(other.page), 'sign_in_expired')
    await other.page.goto(startAt(business))
    const wrong = new URL(used)
    wrong.searchParams.set('state', 'guessed')
    await other.page.goto(wrong.href)
    assert.equal(errorOf(other.page), 'sign_in_failed')
    assert.equal(await sessionOf(other.page), null)
  })

  test('a session of one business is none of another, and their responses cannot be swapped', async () => {
    const another = await world.otherBusiness()
    await setSignIn(another, provider.issuer)
    await using visit = await fresh()
    const { page } = visit
    // The browser's attempt is at one business, and the response comes to the other.
    await page.route('**/callback/**', (route) =>
      route.continue({ url: route.request().url().replace(business.id, another.id) }),
    )
    await page.goto(startAt(business))
    const toCallback = page.waitForRequest((request) => request.url().includes('/callback/'))
    await page.getByRole('button', { name: 'Ada' }).click()
    const swapped = (await toCallback).url().replace(business.id, another.id)
    await page.unroute('**/callback/**')
    await page.goto(startAt(business))
    await page.waitForURL((url) => url.origin === world.url)
    await page.goto(swapped)
    assert.notEqual(errorOf(page), null)
    assert.equal((await sessionOf(page))?.customerId, business.id)
    await page.goto(startAt(another))
    await page.waitForURL((url) => url.origin === world.url)
    assert.equal((await sessionOf(page))?.customerId, another.id, 'the session before has ended')
  })

  test('a sign-out at the provider ends the session in another tab, and a sign-out everywhere in another browser', async () => {
    await using one = await fresh()
    await using two = await fresh()
    await signIn(one.page, 'Grace')
    await signIn(two.page, 'Grace')
    const tab = await one.context.newPage()
    await tab.goto(`${provider.issuer}/session/end`)
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await until('the end', async () => (await sessionOf(one.page)) === null)
    assert.deepEqual((await sessionOf(two.page))?.staff.roles, ['support'], 'another session of the provider')
    await using three = await fresh()
    await signIn(three.page, 'Grace')
    const endSessionUrl = await three.page.evaluate(async () => {
      const read = async (method: string, path: string, session: string) =>
        await (await fetch(path, { method, headers: { 'x-causeway-console': session } })).json()
      const { data } = (await read('GET', '/console/config', '1')) as { data: { session: Session } }
      const out = await read('DELETE', '/console/session?everywhere=true', data.session.id)
      return (out as { data: { endSessionUrl: string } }).data.endSessionUrl
    })
    assert.ok(endSessionUrl.startsWith(`${provider.issuer}/session/end?`))
    for (const { page } of [two, three]) assert.equal(await sessionOf(page), null)
  })

  for (const [name, lie] of Object.entries({
    'has expired': { claims: (claims: object) => ({ ...claims, exp: 1 }) },
    'is forged': { isForged: true },
    'has another nonce': { claims: (claims: object) => ({ ...claims, nonce: 'other' }) },
    'is of another issuer': { claims: (claims: object) => ({ ...claims, iss: 'https://login.example.com' }) },
  }))
    test(`a token that ${name} signs nobody in`, async () => {
      await using issuer = await startTestIssuer({ sub: 'ada', groups: ['admins'] })
      const of = await world.otherBusiness()
      await setSignIn(of, issuer.url)
      Object.assign(issuer.lies, lie)
      await using visit = await fresh()
      await visit.page.goto(startAt(of))
      assert.equal(errorOf(visit.page), 'sign_in_failed')
      assert.equal(await sessionOf(visit.page), null)
    })

  test('a link on another site leads to the sign-in page, and signs nobody in', async () => {
    await using issuer = await startTestIssuer({ sub: 'mallory', groups: ['admins'] })
    const of = await world.otherBusiness()
    await setSignIn(of, issuer.url)
    await using visit = await fresh()
    await visit.page.goto(`${issuer.url}/keys`)
    await visit.page.evaluate(`location.assign(${JSON.stringify(startAt(of))})`)
    await visit.page.waitForURL((url) => url.origin === world.url)
    const { pathname, searchParams } = lastOf(visit.page)
    assert.deepEqual([pathname, searchParams.get('owner')], ['/console/sign-in', of.id])
    assert.equal(await sessionOf(visit.page), null)
  })
})
