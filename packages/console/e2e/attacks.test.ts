// Attacks on who is signed in to the console, and on what its pages show: planted sessions, forged requests, stolen links, keys that
// have ended, rights that are not there, frames, and markup in every text that others store.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { signIn } from '../../server/test/console-browser.ts'
import { openReceiver, type Receiver } from '../../server/test/receiver.ts'
import { type ConsoleWorld, consoleWorld, settled } from './console-world.ts'

/** Another site on the console's host, so that the browser sends it the same cookies. */
async function startSite() {
  const site = { html: '', url: '', close: async () => {} }
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(site.html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  site.close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return site
}

/** Script that an attacker would like to run. Every page that shows it must show it as text. */
const markup = '<img src=x onerror="document.title=666"><script>document.title=666</script>'

/**
 * On an idle machine two seconds are enough; with the browsers of three other tests, drawing may take longer. The
 * server rejects at once.
 */
const signedOutMsMax = 5_000

describe('attacks', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let friend: Awaited<ReturnType<typeof startSite>>
  let stranger: typeof friend
  before(async () => {
    friend = await startSite()
    stranger = await startSite()
    console = await consoleWorld({ CONSOLE_FRAME_ANCESTORS: friend.url }, { failedAuthPerMinute: 100_000 })
  })
  after(async () => {
    await console.stop()
    await friend.close()
    await stranger.close()
  })

  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await console.world.business.call(method, path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const pathOf = (url: string) => new URL(url).pathname.replace('/console', '') + new URL(url).hash
  /** As a script of the page asks. */
  const ask = (page: Page, method: string, path: string, body?: unknown): Promise<{ status: number; code?: string }> =>
    page.evaluate(
      async ([method = 'GET', path = '', json]) => {
        const own = { 'x-causeway-console': 'signed-out' }
        const { data } = (await (await fetch('/console/config', { headers: own })).json()) as {
          data: { session: { id: string } | null }
        }
        const shown = data.session?.id ?? own['x-causeway-console']
        const headers = { 'x-causeway-console': shown, ...(json && { 'content-type': 'application/json' }) }
        const response = await fetch(path, { method, headers, ...(json && { body: json }) })
        const answer = (await response.json()) as { error?: { code: string } }
        return { status: response.status, ...(answer.error && { code: answer.error.code }) }
      },
      [method, path, body === undefined ? '' : JSON.stringify(body)],
    )
  /** As in a deployment: there are no links of a local environment. */
  const awayFromHome = async (work: () => Promise<void>) => {
    const { host } = console.world.server.console
    console.world.server.console.host = null
    await work().finally(() => {
      console.world.server.console.host = host
    })
  }
  const cookieOf = async (context: BrowserContext) =>
    (await context.cookies()).find(({ name }) => name.includes('session'))

  test('fixation: a session that an attacker has planted is not taken over by the sign-in, and ends', async () => {
    const { url: baseUrl } = console.world
    const { apiKey, id: customerId } = console.world.business
    const attacker = await signIn(baseUrl, { apiKey: (await console.world.otherBusiness()).apiKey })
    const page = await console.open('/sign-in', { as: null })
    const [name = '', value = ''] = attacker.cookie.split('=')
    await page.context().addCookies([{ name, value, url: baseUrl }])
    await page.getByLabel('API key').fill(apiKey)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const cookie = await cookieOf(page.context())
    assert.ok(cookie && cookie.value !== value && cookie.httpOnly && cookie.sameSite === 'Strict')
    const session = await page.evaluate(
      `fetch('/console/config', { headers: { 'x-causeway-console': '1' } }).then((r) => r.json())`,
    )
    assert.equal((session as { data: { session: { customerId: string } } }).data.session.customerId, customerId)
    assert.equal((await attacker.ask('GET', '/v0/whoami')).status, 401)
    await page.context().close()
  })

  test('forged requests: forms and scripts of a neighbour, who has the cookie, change nothing', async () => {
    const page = await console.open('/')
    const { url: baseUrl } = console.world
    const before = [await call('GET', '/v0/api-keys'), await call('GET', '/v0/console-links')]
    const other = await page.context().newPage()
    stranger.html = `<!doctype html><title>Prizes</title>
      <form method="post" enctype="text/plain" action="${baseUrl}/v0/console-links"><input name='{"scopes":["events:read"],"x":"' value='"}'></form>`
    await other.goto(stranger.url)
    const [answer] = await Promise.all([
      other.waitForResponse((response) => response.url().endsWith('/v0/console-links')),
      other.evaluate('document.forms[0].submit()'),
    ])
    assert.equal(answer.status(), 403)
    await other.waitForURL('**/v0/console-links')
    await other.goto(stranger.url)
    const outcomes = await other.evaluate(async (url) => {
      const header = { 'x-causeway-console': '1' }
      const tries: [string, RequestInit][] = [
        ['/v0/api-keys', { method: 'POST', mode: 'no-cors', body: '{}' }],
        ['/v0/api-keys', { method: 'POST', headers: header, body: '{}' }],
        ['/console/session', { method: 'DELETE', headers: header }],
        ['/console/config', { headers: header }],
      ]
      const tell = ([path, given]: [string, RequestInit]) =>
        fetch(url + path, { credentials: 'include', ...given }).then(
          ({ type }) => type,
          () => 'refused by the browser',
        )
      return await Promise.all(tries.map(tell))
    }, baseUrl)
    assert.deepEqual(outcomes, ['opaque', ...Array(3).fill('refused by the browser')])
    const now = [await call('GET', '/v0/api-keys'), await call('GET', '/v0/console-links')]
    assert.deepEqual(
      now.map(({ length }) => length),
      before.map(({ length }) => length),
    )
    assert.equal((await ask(page, 'GET', '/v0/whoami')).status, 200)
  })

  test('a stolen link: of two browsers that open it at the same moment one is signed in, and nobody afterwards', async () => {
    const { url } = await call('POST', '/v0/console-links', { scopes: ['events:read'] })
    const pages = await Promise.all([0, 1].map(() => console.open(pathOf(url), { as: null })))
    const signedIn = await until('both to be answered', async () => {
      const states = await Promise.all(
        pages.map(async (page) => {
          if ((await page.getByRole('navigation', { name: 'Main' }).count()) > 0) return 'in'
          return (await page.getByText('This link cannot be opened').count()) > 0 ? 'out' : null
        }),
      )
      return states.every((state) => state !== null) && states
    })
    assert.deepEqual(signedIn.toSorted(), ['in', 'out'])
    const late = await console.open(pathOf(url), { as: null })
    await late.getByRole('heading', { name: 'This link cannot be opened' }).waitFor()
    for (const page of [...pages, late]) {
      assert.ok(!page.url().includes('svc_link_'))
    }
  })

  for (const [what, credentialOf, end] of [
    [
      'key',
      async () => ({ key: (await call('POST', '/v0/api-keys', {})).key }),
      async () => {
        const [{ id }] = await call('GET', '/v0/api-keys')
        await call('DELETE', `/v0/api-keys/${id}`)
      },
    ],
    [
      'link',
      async () => ({
        link: (await call('POST', '/v0/console-links', { scopes: ['events:read', 'end_users:read'] })).url,
      }),
      async () => {
        const [{ id }] = await call('GET', '/v0/console-links')
        await call('DELETE', `/v0/console-links/${id}`)
      },
    ],
  ] as [string, () => Promise<{ key?: string; link?: string }>, () => Promise<void>][])
    test(`a ${what} that ends signs its browser out by itself, without a click`, () =>
      awayFromHome(async () => {
        const { key, link } = await credentialOf()
        const page = await console.open(link === undefined ? '/end-users' : pathOf(link), {
          as: null,
          ...(key !== undefined && { key }),
        })
        await page.getByRole('button', { name: 'Live: pause updates' }).first().waitFor()
        await page
          .waitForResponse((response) => response.url().includes('/v0/events'), { timeout: 500 })
          .catch(() => {})
        await end()
        const signIn = page.getByRole('heading', { name: 'Sign in to Causeway' })
        const isSignedOut = await signIn.waitFor({ timeout: signedOutMsMax }).then(
          () => true,
          () => false,
        )
        assert.ok(isSignedOut, `still signed in after ${signedOutMsMax} ms`)
        assert.equal((await ask(page, 'GET', '/v0/whoami')).status, 401)
      }))

  test('rights: a link for events shows no control beyond them, and the server refuses the rest', () =>
    awayFromHome(async () => {
      const { url } = await call('POST', '/v0/console-links', { scopes: ['events:read'] })
      const page = await console.open(pathOf(url), { as: null })
      const nav = page.getByRole('navigation', { name: 'Main' })
      await nav.getByRole('link', { name: 'Events' }).waitFor()
      for (const name of ['End-users', 'Accounts', 'Deposits', 'Webhooks', 'Branding', 'Developers'])
        assert.equal(await nav.getByRole('link', { name, exact: true }).count(), 0, name)
      for (const [method, path, body] of [
        ['GET', '/v0/end-users'],
        ['GET', '/v0/branding'],
        ['PUT', '/v0/branding', {}],
        ['GET', '/v0/api-keys'],
        ['GET', '/v0/audit-log'],
        ['GET', '/v0/requests'],
        ['POST', '/v0/api-keys', {}],
        ['POST', '/v0/console-links', { scopes: ['events:read'] }],
        ['POST', '/v0/end-users', { externalUserId: 'beyond' }],
      ] as const)
        assert.deepEqual(await ask(page, method, path, body), { status: 403, code: 'insufficient_scope' }, path)
      assert.equal((await ask(page, 'GET', '/v0/customers')).code, 'wrong_auth_scheme')
      for (const path of ['/developers/keys', '/developers/links', '/end-users', '/branding', '/webhooks']) {
        await page.goto(`/console${path}`)
        await page.getByRole('alert').getByText('insufficient_scope').first().waitFor()
        for (const name of [/^Create/, /^Make/, /^New/, /^Add/, /^Revoke/, /^End$/])
          assert.equal(await page.getByRole('main').getByRole('button', { name }).count(), 0, `${path}: ${name}`)
      }
      await page.goto('/console/operator')
      await page.getByLabel('Operator secret').waitFor()
      await page.goto('/console/')
      await nav.waitFor() // still among the pages of the business
      await page.context().close()
    }))

  test('frames: a page that is named in the settings may show the console, any other not', async () => {
    const page = await console.open('/')
    const { url: baseUrl } = console.world
    const framed = `<!doctype html><title>Framed</title><iframe src="${baseUrl}/console/"></iframe>`
    friend.html = framed
    stranger.html = framed
    const other = await page.context().newPage()
    await other.goto(friend.url)
    await other.frameLocator('iframe').getByRole('heading', { level: 1 }).first().waitFor()
    const refusals: string[] = []
    other.on('console', (message) => refusals.push(message.text()))
    await other.goto(stranger.url)
    await until('the refusal', () => refusals.some((text) => /frame-ancestors/.test(text)))
  })

  describe('markup in what others store is shown as text', () => {
    let receiver: Receiver
    const pages: string[] = []
    before(async () => {
      receiver = await openReceiver(() => ({ status: 500, headers: { 'content-type': 'text/html' }, body: markup }))
      const { id: customerId } = console.world.business
      const { secret: adminSecret } = console.world.operator
      await console.world.business.call('PATCH', `/v0/customers/${customerId}`, { name: markup }, { key: adminSecret })
      await call('POST', '/v0/api-keys', { name: markup })
      const endpoint = await call('POST', '/v0/webhook-endpoints', {
        webhookUrl: `${receiver.url}?${encodeURIComponent(markup)}`,
        description: markup,
      })
      await call('POST', '/v0/end-users', { externalUserId: markup, metadata: { [markup.slice(0, 40)]: markup } })
      const url = `https://example.com/?${encodeURIComponent(markup)}`
      await call('POST', `/v0/end-users/${encodeURIComponent(markup)}/onboarding-links`, { redirectUri: url })
      const supportEmail = '<img/src=x/onerror=document.title=666>@example.com'
      await call('PUT', '/v0/branding', { name: markup, supportEmail, privacyUrl: url })
      await console.world.business.call('POST', '/v0/webhooks/provider', {
        event_id: 'wh_markup',
        event_type: markup,
        event_object: { [markup]: markup },
        external_user_id: markup,
      })
      const delivery = await until('an answer', async () => {
        const rows = await call('GET', `/v0/deliveries?webhookEndpointId=${endpoint.id}`)
        return rows.find(({ lastAttempt }: { lastAttempt: unknown }) => lastAttempt)
      })
      const events: { id: string; eventType: string }[] = await call('GET', '/v0/events')
      pages.push('/', '/end-users', `/end-users/${encodeURIComponent(markup)}`, '/events', '/webhooks')
      pages.push(...events.slice(0, 3).map(({ id }) => `/events/${id}`))
      pages.push(`/webhooks/${endpoint.id}`, '/webhooks/deliveries', `/webhooks/deliveries/${delivery.id}`)
      pages.push('/accounts', '/deposits', '/branding', '/developers/keys', '/developers/requests', '/developers/audit')
    })
    after(() => receiver[Symbol.asyncDispose]())

    test('on every page of the business', async () => {
      const page = await console.open('/')
      const silent: string[] = []
      for (const path of pages) {
        await page.goto(`/console${path}`)
        await page.locator('h1').first().waitFor()
        await settled(page)
        for (const summary of await page.locator('main summary').all()) await summary.click()
        assert.equal(await page.locator('img[src="x"], main script').count(), 0, path)
        assert.notEqual(await page.title(), '666', path)
        if (!((await page.locator('main').textContent()) ?? '').includes('<img src=x')) silent.push(path)
      }
      // Pages that show nothing of what was stored would prove nothing.
      assert.ok(silent.length <= 7, `nothing of it is on ${silent.join(', ')}`)
      page.assertClean()
    })

    test('on the pages of the operator', async () => {
      const held = { event_type: markup, event_object: { [markup]: markup }, customer_id: 'nobody-known' }
      await console.world.business.call('POST', '/v0/webhooks/provider', { event_id: 'wh_held_markup', ...held })
      const page = await console.open('/operator', { as: 'operator' })
      const { id: customerId } = console.world.business
      const business = `/businesses/${customerId}`
      const paths = ['', '/businesses', business, `${business}/requests`, `${business}/audit`, '/events', '/storage']
      for (const path of paths) {
        await page.goto(`/console/operator${path}`)
        await page.locator('h1').first().waitFor()
        await settled(page)
        assert.equal(await page.locator('img[src="x"], main script').count(), 0, path)
        assert.notEqual(await page.title(), '666', path)
      }
      await page.goto(`/console/operator/businesses/${customerId}`)
      await page.getByText('<img src=x').first().waitFor()
      page.assertClean()
    })
  })
})
