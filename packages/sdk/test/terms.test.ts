// The terms in a real browser: accepted in a frame and in a window, believed from nobody else, closed and taken away.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { kycBody } from '../../server/test/people.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { Causeway } from '../src/index.ts'

// Bundles an entry for browsers as an integrator does.
async function bundled(entry: string): Promise<string> {
  const bundle = await rolldown({ input: new URL(`../src/${entry}`, import.meta.url).pathname, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  return output[0].code
}

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
  <button id="go">Terms</button><div id="terms"></div>
  <script type="module">
    import * as terms from '/terms.js'
    import * as webhooks from '/webhooks.js'
    Object.assign(window, { terms, webhooks, result: new Promise((resolve) => {
      window.show = (options) => terms.openTerms(options).then(resolve, ({ name, code }) => resolve(name + ' ' + code))
    }) })
  </script>`

describe('in a browser', { skip: lacking('browser') }, () => {
  let world: World
  let browser: Browser
  let origin: string
  const site = createServer()

  before(async () => {
    world = await openWorld({ env: { WEBHOOK_SIGNATURE_SCHEMES: 'v1,v1a' } })
    browser = await launchBrowser()
    const files: Record<string, string> = {
      '/terms.js': await bundled('terms/open-terms.ts'),
      '/webhooks.js': await bundled('webhooks/index.ts'),
    }
    site.on('request', ({ url = '' }, response) => {
      const script = files[url]
      response.writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' }).end(script ?? page)
    })
    await once(site.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  })
  after(async () => {
    await browser.close()
    site.closeAllConnections()
    site.close()
    await world.stop()
  })

  async function shop(): Promise<{ tab: Page; tosLink: string; externalUserId: string }> {
    const api = new Causeway({ baseUrl: world.url, apiKey: world.business.apiKey })
    const externalUserId = await world.business.user()
    const { tosLink } = await api.endUsers.createTosLink(externalUserId)
    const tab = await browser.newPage()
    await tab.goto(origin)
    await tab.waitForFunction('window.show !== undefined')
    return { tab, tosLink, externalUserId }
  }

  const inFrame = (tosLink: string) =>
    `{ tosLink: ${JSON.stringify(tosLink)}, container: document.getElementById('terms') }`
  const openWindow = async (tab: Page, tosLink: string): Promise<Page> => {
    await tab.evaluate(
      `document.getElementById('go').onclick = () => window.show({ tosLink: ${JSON.stringify(tosLink)} })`,
    )
    const [opened] = await Promise.all([tab.waitForEvent('popup'), tab.click('#go')])
    return opened
  }

  async function assertTaken(externalUserId: string, agreement: unknown): Promise<void> {
    const body = kycBody(String(agreement), externalUserId)
    const answer = await world.business.call('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body)
    assert.equal(answer.body.data?.tosStatus, 'approved', answer.text)
  }

  test('terms accepted in a frame give an agreement that KYC is taken with, and the frame goes', async () => {
    const { tab, tosLink, externalUserId } = await shop()
    await tab.evaluate(`void window.show(${inFrame(tosLink)})`)
    await tab.frameLocator('#terms iframe').getByRole('button', { name: 'Accept' }).click()
    await assertTaken(externalUserId, await tab.evaluate('window.result'))
    assert.equal(await tab.locator('#terms iframe').count(), 0)
    await tab.close()
  })

  test('terms accepted in a window give the same, and the window goes', async () => {
    const { tab, tosLink, externalUserId } = await shop()
    const opened = await openWindow(tab, tosLink)
    await Promise.all([opened.waitForEvent('close'), opened.getByRole('button', { name: 'Accept' }).click()])
    await assertTaken(externalUserId, await tab.evaluate('window.result'))
    await tab.close()
  })

  test('a message of another window or origin is not believed', async () => {
    const { tab, tosLink } = await shop()
    await tab.evaluate(`void window.show(${inFrame(tosLink)})`)
    await tab.evaluate(`new Promise((resolve) => {
      addEventListener('message', ({ data }) => data.last && resolve())
      postMessage({ signedAgreementId: 'forged' }, '*')
      const origin = ${JSON.stringify(new URL(tosLink).origin)}
      dispatchEvent(new MessageEvent('message', { origin, source: window, data: { signedAgreementId: 'forged' } }))
      postMessage({ last: true }, '*')
    })`)
    assert.equal(await tab.evaluate("Promise.race([window.result, 'not accepted'])"), 'not accepted')
    await tab.frameLocator('#terms iframe').getByRole('button', { name: 'Accept' }).click()
    assert.match(String(await tab.evaluate('window.result')), /^[0-9a-f-]{36}$/)
    await tab.close()
  })

  test('a window that is closed, one that is blocked, an abort and a link of another origin each say so', async () => {
    const closing = await shop()
    await (await openWindow(closing.tab, closing.tosLink)).close()
    assert.equal(await closing.tab.evaluate('window.result'), 'TermsError window_closed')

    const blocked = await shop()
    await blocked.tab.evaluate('window.open = () => null')
    await blocked.tab.evaluate(`void window.show({ tosLink: ${JSON.stringify(blocked.tosLink)} })`)
    assert.equal(await blocked.tab.evaluate('window.result'), 'TermsError window_blocked')

    const aborted = await shop()
    await aborted.tab.evaluate(`{
      const leaving = new AbortController()
      void window.show({ ...${inFrame(aborted.tosLink)}, signal: leaving.signal })
      leaving.abort()
    }`)
    assert.equal(await aborted.tab.evaluate('window.result'), 'TermsError aborted')
    assert.equal(await aborted.tab.locator('#terms iframe').count(), 0)

    const strange = { tosLink: aborted.tosLink, tosOrigin: 'https://terms.example.com' }
    await assert.rejects(aborted.tab.evaluate(`window.terms.openTerms(${JSON.stringify(strange)})`), /not in tosOrigin/)
    for (const { tab } of [closing, blocked, aborted]) await tab.close()
  })

  test('the verifier works in a browser', async () => {
    const tab = await browser.newPage()
    await tab.goto(origin)
    await tab.waitForFunction('window.webhooks !== undefined')
    const told = await tab.evaluate(`(async () => {
      const { sign, verify } = window.webhooks
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
      const body = '{"event_type":"end_user.created"}'
      const headers = await sign(body, secret)
      const { name } = await verify(body, new Headers(headers), secret)
      return [name, await verify(body + ' ', headers, secret).catch(({ reason }) => reason)]
    })()`)
    assert.deepEqual(told, ['end_user.created', 'signature_mismatch'])
    await tab.close()
  })
})
