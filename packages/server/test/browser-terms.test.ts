// The Terms of Service from the integrator's view, from the API to a real browser and back: embedded in a page that
// checks the origin, and by redirect. KYC is submitted with the agreement ID from the browser.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { browserOptions } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from './caller.ts'
import { kycBody } from './people.ts'
import { openWorld, type World } from './world.ts'

/** The integrator's page of /docs/onboard/own-form: believes messages of one origin and no other. */
const shopPage = (link: string, tosOrigin: string): string => `<!doctype html><html lang="en"><title>Shop</title>
  <script>
    const agreements = [], ignored = []
    addEventListener('message', (event) => {
      if (event.origin !== ${JSON.stringify(tosOrigin)}) { ignored.push(event.origin); return }
      agreements.push(event.data.signedAgreementId)
    })
  </script>
  <iframe id="terms" title="Terms of Service" width="700" height="600" src="${link.replaceAll('&', '&amp;')}"></iframe>`

type Site = { origin: string; show(html: string): void; lastPath(): string; close(): Promise<void> }

async function startSite(): Promise<Site> {
  let html = ''
  let path = ''
  const server = createServer((request, response) => {
    if (request.url !== '/favicon.ico') path = request.url ?? ''
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    show: (next) => {
      html = next
    },
    lastPath: () => path,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('the Terms of Service in a browser', { skip: lacking('browser') }, () => {
  let world: World
  let shop: Site
  let stranger: Site
  let context: BrowserContext
  let profile: string

  before(async () => {
    world = await openWorld({ alone: true })
    shop = await startSite()
    stranger = await startSite()
    profile = await mkdtemp(join(tmpdir(), 'causeway-browser-'))
    context = await chromium.launchPersistentContext(profile, browserOptions)
  })
  after(async () => {
    await context.close()
    for (const site of [shop, stranger]) await site.close()
    await world.stop()
    await rm(profile, { recursive: true, force: true })
  })

  async function tosOrigin(): Promise<string> {
    return (await world.business.call('GET', '/v0/capabilities')).body.data.tosOrigin
  }

  async function linkFor(externalUserId: string, redirectUri?: string): Promise<string> {
    const body = redirectUri === undefined ? undefined : { redirectUri }
    const answer = await world.business.call('POST', `/v0/end-users/${externalUserId}/tos-link`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.tosLink
  }

  async function submitWith(externalUserId: string, agreement: string): Promise<void> {
    const answer = await world.business.call(
      'POST',
      `/v0/end-users/${externalUserId}/submit-kyc`,
      kycBody(agreement, externalUserId),
    )
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.data.tosStatus, 'approved')
  }

  const heard = async (page: Page): Promise<string[]> => await page.evaluate('agreements')

  test('accepting in an iframe gives the embedding page an agreement that KYC is taken with', async () => {
    const externalUserId = await world.business.user()
    shop.show(shopPage(await linkFor(externalUserId), await tosOrigin()))
    const page = await context.newPage()
    await page.goto(shop.origin)
    await page.frameLocator('#terms').getByRole('button', { name: 'Accept' }).click()
    const agreement = await until('the message', async () => (await heard(page))[0])
    await submitWith(externalUserId, agreement)
    await page.close()
  })

  test('a page that expects another origin ignores the message', async () => {
    const externalUserId = await world.business.user()
    stranger.show(shopPage(await linkFor(externalUserId), 'https://terms.example.com'))
    const page = await context.newPage()
    await page.goto(stranger.origin)
    await page.frameLocator('#terms').getByRole('button', { name: 'Accept' }).click()
    const ignored = await until('the message', async () => {
      const list: string[] = await page.evaluate('ignored')
      return list.length > 0 && list
    })
    assert.deepEqual(ignored, [await tosOrigin()])
    assert.deepEqual(await heard(page), [])
    await page.close()
  })

  test('accepting after a redirectUri was given carries the agreement in the address', async () => {
    const externalUserId = await world.business.user()
    shop.show('<!doctype html><html lang="en"><title>Welcome back</title><h1>Welcome back</h1>')
    const link = await linkFor(externalUserId, `${shop.origin}/back?step=2&signed_agreement_id=planted`)
    const page = await context.newPage()
    await page.goto(link)
    assert.equal(new URL(page.url()).origin, await tosOrigin(), 'nobody is sent away before a click')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.waitForURL(`${shop.origin}/back**`)
    const address = new URL(shop.lastPath(), shop.origin)
    assert.equal(address.searchParams.get('step'), '2')
    const agreements = address.searchParams.getAll('signed_agreement_id')
    assert.equal(agreements.length, 1)
    assert.notEqual(agreements[0], 'planted')
    await submitWith(externalUserId, agreements[0] ?? '')
    await page.close()
  })
})
