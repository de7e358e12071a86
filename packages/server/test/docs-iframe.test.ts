// The iframe snippet of /docs/onboard/own-form in a real browser: it takes the agreement's id from the terms page, and from
// nobody else.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/src/content/docs/onboard/own-form.mdx'), 'utf8')
const [, snippet = ''] = /^```html\n(.*?)^```/ms.exec(page) ?? []
// Again and again, so that one comes after the snippet listens.
const forgery = `<iframe srcdoc="<script>setInterval(() => parent.postMessage({ signedAgreementId: 'forged' }, '*'), 20)</script>"></iframe>`

describe('the iframe snippet of the page about the terms', { skip: lacking('browser') }, async () => {
  const world = await openWorld({ alone: true })
  after(() => world.stop())

  const cases: [name: string, externalUserId: () => Promise<string>, hasSecondOrigin: boolean][] = [
    ['of somebody new', () => world.business.user(), false],
    ['of a customer whose link has another host', () => world.business.user('approved'), true],
  ]
  for (const [name, externalUserId, hasSecondOrigin] of cases) {
    test(`hands the id of the accepted agreement ${name} to the backend, and ignores a message of another frame`, async () => {
      const user = await externalUserId()
      await world.provider.control('POST', '/behaviour', { tos_second_origin: hasSecondOrigin })
      const { tosLink } = (await world.business.call('POST', `/v0/end-users/${user}/tos-link`)).body.data
      await world.provider.control('POST', '/behaviour', { tos_second_origin: false })
      const { origin } = new URL(tosLink)
      const { tosOrigin, tosOrigins } = (await world.business.call('GET', '/v0/capabilities')).body.data
      assert.equal(origin !== tosOrigin, hasSecondOrigin)
      assert.ok(tosOrigins.includes(origin))
      assert.equal((await world.business.call('GET', `/v0/end-users/${user}`)).body.data.tosOrigin, origin)
      assert.match((await takenByBackend(tosLink)).join(), /^[0-9a-f-]{36}$/)
    })
  }
})

async function takenByBackend(tosLink: string): Promise<string[]> {
  const taken: string[] = []
  const backend = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.url !== '/my-backend/terms') {
      return response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${snippet}${forgery}`)
    }
    if (request.method === 'POST') taken.push(JSON.parse(Buffer.concat(chunks).toString()).signedAgreementId)
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ tosLink }))
  })
  await new Promise<void>((listening) => backend.listen(0, '127.0.0.1', listening))
  const browser = await launchBrowser()
  try {
    const tab = await browser.newPage()
    await tab.goto(`http://127.0.0.1:${(backend.address() as AddressInfo).port}/`)
    await tab.frameLocator('#terms').getByRole('button', { name: 'Accept' }).click({ timeout: 10_000 })
    await until('the id at the backend', () => taken.length > 0)
    return taken
  } finally {
    await browser.close()
    backend.closeAllConnections()
    backend.close()
  }
}
