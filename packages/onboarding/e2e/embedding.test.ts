// The page inside a page of the business: by `mountOnboarding` on a site that may embed it, on one that may not, and
// among frames and windows that send other messages.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { rolldown } from 'rolldown'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { acceptInFrame, fillUpTo } from './driver.ts'
import { type OnboardingWorld, onboardingWorld, watch } from './onboarding-world.ts'

type Site = { origin: string; close(): Promise<void> }

/** A site with the same page at every path, except its script. */
async function startSite(html: string, script: string): Promise<Site> {
  const server = createServer(({ url = '' }, response) => {
    const isScript = url === '/onboarding.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html; charset=utf-8' })
    response.end(isScript ? script : html)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The entry as an integrator's bundler builds it. */
async function bundledElement(): Promise<string> {
  const input = new URL('../../sdk/src/onboarding/mount-onboarding.ts', import.meta.url).pathname
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  return output[0].code
}

const shopPage = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Shop</title>
  <div id="onboarding"></div>
  <script type="module">
    import { mountOnboarding } from '/onboarding.js'
    window.states = []
    window.done = 0
    window.mounted = mountOnboarding(document.getElementById('onboarding'), {
      url: decodeURIComponent(location.hash.slice(1)),
      onState: (state) => states.push(state),
      onDone: () => done++,
    })
  </script>`

describe('embedded', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  let shop: Site
  let stranger: Site
  before(async () => {
    world = await onboardingWorld()
    const script = await bundledElement()
    ;[shop, stranger] = [await startSite(shopPage, script), await startSite(shopPage, script)]
    const set = await world.world.business.call('PUT', '/v0/branding', {
      name: 'Nubia Pay',
      embedOrigins: [shop.origin],
    })
    assert.equal(set.status, 200, set.text)
  })
  after(async () => {
    for (const site of [shop, stranger]) await site.close()
    await world.stop()
  })

  const openOn = async (site: Site, url: string) => {
    const page = await world.open(`${site.origin}/blank`)
    page.faults.length = 0
    watch(page, [site.origin])
    await page.goto(`${site.origin}/#${encodeURIComponent(url)}`)
    return page
  }
  // biome-ignore lint/suspicious/noExplicitAny: what the page of the shop has noted
  const noted = (page: { evaluate(script: string): Promise<any> }, name: string) => page.evaluate(name)

  test('a site of the business shows the page, hears each step and the end once, and takes it away', async () => {
    const { link } = await world.applicant({ redirectUri: 'https://shop.example/after' })
    const page = await openOn(shop, link.url)
    const frame = await until('the frame', () => page.frames().find((each) => each.url().includes('/onboard/')))
    await frame.getByText('Nubia Pay', { exact: true }).waitFor()
    await frame.getByRole('button', { name: 'Begin' }).click()
    await acceptInFrame(frame)
    await fillUpTo(frame, 'Is this right?', { country: 'USA', subdivision: 'CA' })
    await frame.getByRole('button', { name: 'Send' }).click()
    await frame.getByRole('heading', { name: 'You are verified' }).waitFor()
    const height = await page.locator('iframe').evaluate((element) => element.getBoundingClientRect().height)
    const content = await frame.evaluate('document.documentElement.offsetHeight')
    assert.ok(Math.abs(height - Number(content)) <= 2 || height >= Number(content), `${height} for ${content}`)
    assert.equal(await frame.locator('a.primary').count(), 0, 'the page around it decides what comes next')
    assert.deepEqual(await noted(page, 'states'), ['start', 'terms', 'form', 'waiting', 'done'])
    assert.equal(await noted(page, 'done'), 1)
    await noted(page, 'mounted.unmount()')
    assert.equal(await page.locator('iframe').count(), 0)
  })

  test('Back goes one step back in the frame, and the site around it stays', async () => {
    const { link } = await world.applicant()
    const page = await openOn(shop, link.url)
    const frame = await until('the frame', () => page.frames().find((each) => each.url().includes('/onboard/')))
    await frame.getByRole('button', { name: 'Begin' }).click()
    await acceptInFrame(frame)
    await fillUpTo(frame, 'How to reach you', { country: 'USA' })
    const address = page.url()
    for (const step of ['About you', 'Where you live', 'Verify your identity']) {
      await page.evaluate('history.back()')
      await frame.getByRole('heading', { name: step, level: 1 }).waitFor()
    }
    assert.equal(page.url(), address)
    assert.deepEqual(await noted(page, 'states'), ['start', 'terms', 'form', 'start'])
  })

  test('a site that is not in the list is shown nothing', async () => {
    const { link } = await world.applicant()
    const page = await openOn(stranger, link.url)
    await until('the refusal', () => page.faults.some((fault) => fault.includes('frame-ancestors')))
    const [, frame] = page.frames()
    assert.equal(await frame?.locator('h1').count(), 0)
    assert.deepEqual(await noted(page, 'states'), [])
  })

  test('nor by a site of the list that is itself framed by another', async () => {
    const { link } = await world.applicant()
    const page = await world.open(`${stranger.origin}/blank`)
    const inner = `${shop.origin}/#${encodeURIComponent(link.url)}`
    await page.setContent(`<iframe src="${inner}"></iframe>`)
    await until('the refusal', () => page.faults.some((fault) => fault.includes('frame-ancestors')))
  })

  test('messages of others are believed by nobody: neither by the shop nor by the page', async () => {
    const { link } = await world.applicant()
    const page = await openOn(shop, link.url)
    await until('the first step', async () => (await noted(page, 'states'))[0] === 'start')
    const forged = `{ type: 'causeway.onboarding.state', state: 'done' }`
    // From the shop's own window, from a frame of a stranger, and from a window that the page opened.
    await noted(page, `window.postMessage(${forged}, '*')`)
    const source = `<script>parent.postMessage(${forged}, '*'); parent.frames[0].postMessage({ type: 'causeway.onboarding.hello' }, '*'); addEventListener('message', ({ data }) => parent.postMessage({ heard: data }, '*'))</script>`
    await noted(
      page,
      `new Promise((resolve) => {
        window.heard = []
        addEventListener('message', ({ data }) => data.heard && heard.push(data.heard))
        const frame = document.createElement('iframe')
        frame.onload = resolve
        frame.sandbox = 'allow-scripts'
        frame.srcdoc = ${JSON.stringify(source)}
        document.body.append(frame)
      })`,
    )
    await page.waitForTimeout(300)
    assert.deepEqual(
      [await noted(page, 'states'), await noted(page, 'done'), await noted(page, 'heard')],
      [['start'], 0, []],
    )
  })

  test('an address that is no link is refused by the element', async () => {
    for (const url of ['javascript:alert(1)', `${stranger.origin}/onboard/`, 'https://shop.example/', '']) {
      const page = await openOn(shop, url)
      await until('the error', () => page.faults.some((fault) => fault.startsWith('error:')))
      assert.equal(await page.locator('iframe').count(), 0, url)
    }
  })
})
