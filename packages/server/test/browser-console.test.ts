// The sign-in to the console in a real browser: which of a neighbour's and of a stranger's tricks the browser lets through,
// and what the server makes of those.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from './caller.ts'
import { openWorld, type World } from './world.ts'

type Site = { port: number; show(html: string): void; close(): Promise<void> }

async function startSite(): Promise<Site> {
  let html = ''
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  }).listen(0)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    show: (next) => {
      html = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('the console in a browser', { skip: lacking('browser') }, () => {
  let world: World
  let site: Site
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let shownSession = 'signed-out'

  before(async () => {
    world = await openWorld({ alone: true })
    site = await startSite()
    browser = await launchBrowser()
    context = await browser.newContext()
    page = await context.newPage()
    // A page without a policy that forbids the scripts of this test.
    await page.goto(`${world.url}/healthz`)
    const signedIn = await ask('POST', '/console/session', { apiKey: world.business.apiKey })
    assert.equal(signedIn.status, 200)
    shownSession = JSON.parse(signedIn.text).data.id
  })
  after(async () => {
    await browser.close()
    await site.close()
    await world.stop()
  })

  type Told = { status: number; text: string }

  /** As a page of the console asks. */
  const ask = (method: string, path: string, body?: unknown): Promise<Told> =>
    page.evaluate(
      async ([method = 'GET', path = '', json, shown = '']) => {
        const headers = { 'x-causeway-console': shown, ...(json && { 'content-type': 'application/json' }) }
        const response = await fetch(path, { method, headers, ...(json && { body: json }) })
        return { status: response.status, text: await response.text() }
      },
      [method, path, body === undefined ? '' : JSON.stringify(body), shownSession],
    )

  const endUsers = async (): Promise<number> => (await world.business.call('GET', '/v0/end-users')).body.data.length
  /** Same site, other origin: cookies know no ports. */
  const neighbour = () => `http://127.0.0.1:${site.port}/`
  const stranger = () => `http://localhost:${site.port}/`

  test('a page of the same origin is let in by its cookie, which no script reads', async () => {
    const { status, text } = await ask('GET', '/v0/whoami')
    assert.equal(status, 200, text)
    assert.equal(JSON.parse(text).data.customerId, world.business.id)
    assert.equal((await ask('POST', '/v0/end-users', { externalUserId: 'by-the-console' })).status, 200)
    assert.equal(await page.evaluate('document.cookie'), '')
  })

  for (const [who, address, code] of [
    ['a neighbour, with the cookie', neighbour, 'cross_site_request'],
    ['a stranger, whom the browser gives no cookie', stranger, 'api_key_missing'],
  ] as const) {
    test(`a form and a script of ${who}: nothing is done`, async () => {
      const before = await endUsers()
      const target = `${world.url}/v0/end-users`
      site.show(`<!doctype html><title>Prizes</title>
        <form method="post" enctype="text/plain" action="${target}">
          <input name='{"externalUserId":"forged","email":"' value='x@example.com"}'></form>`)
      const other = await context.newPage()
      await other.goto(address())
      const [answer] = await Promise.all([
        other.waitForResponse((response) => response.url() === target),
        other.evaluate('document.forms[0].submit()'),
      ])
      assert.equal((await answer.json()).error.code, code)
      await other.goto(address())
      const outcomes = await other.evaluate(async (url) => {
        const body = JSON.stringify({ externalUserId: 'forged' })
        const json = { 'content-type': 'application/json' }
        const tries: RequestInit[] = [
          { mode: 'no-cors', body },
          { headers: json, body },
          { headers: { ...json, 'x-causeway-console': '1' }, body },
        ]
        const tell = (given: RequestInit) =>
          fetch(url, { method: 'POST', credentials: 'include', ...given }).then(
            ({ type }) => type,
            () => 'refused by the browser',
          )
        return await Promise.all(tries.map(tell))
      }, target)
      assert.deepEqual(outcomes, ['opaque', 'refused by the browser', 'refused by the browser'])
      assert.equal(await endUsers(), before)
      await other.close()
    })
  }

  test('a neighbour cannot put the console into a frame', async () => {
    const other = await context.newPage()
    const refusals: string[] = []
    other.on('console', (message) => refusals.push(message.text()))
    site.show(`<!doctype html><title>Prizes</title><iframe src="${world.url}/console"></iframe>`)
    await other.goto(neighbour())
    await until('the refusal', () => refusals.some((text) => /frame-ancestors/.test(text)))
    await other.close()
  })

  test('the code of a link is in no request of the browser', async () => {
    const { url } = (await world.business.call('POST', '/v0/console-links', { scopes: ['events:read'] })).body.data
    const code = new URL(url).hash.slice(1)
    const other = await context.newPage()
    const sent: string[] = []
    other.on('request', (request) => sent.push(`${request.url().split('#')[0]} ${JSON.stringify(request.headers())}`))
    await other.goto(url)
    await other.goto(neighbour())
    assert.ok(sent.length >= 2)
    assert.deepEqual(
      sent.filter((text) => text.includes(code)),
      [],
    )
    await other.close()
  })

  test('after the sign-out the cookie is gone from the browser, too', async () => {
    assert.equal((await ask('DELETE', '/console/session')).status, 200)
    assert.deepEqual(await context.cookies(world.url), [])
    const { status, text } = await ask('GET', '/v0/whoami')
    assert.deepEqual([status, JSON.parse(text).error.code], [401, 'api_key_missing'])
  })
})
