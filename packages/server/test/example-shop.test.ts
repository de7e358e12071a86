// The shop of /docs/onboard/embed as a reader runs it, with a shopper in Chromium; and its component of React.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { Frame } from 'playwright-core'
import { rolldown } from 'rolldown'
import { lacking } from '../../../scripts/test-needs.ts'
import { acceptInFrame, fillUpTo } from '../../onboarding/e2e/driver.ts'
import { type OnboardingPage, type OnboardingWorld, onboardingWorld } from '../../onboarding/e2e/onboarding-world.ts'
import { freePort, until } from './caller.ts'
import { kycBody } from './people.ts'

const shopProgram = resolve(import.meta.dirname, '../../../examples/shop/shop.ts')
const reactComponent = resolve(import.meta.dirname, '../../../examples/shop/onboarding.tsx')

describe('the shop', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => {
    world = await onboardingWorld()
  })
  after(() => world.stop())

  const frameOf = (page: OnboardingPage): Promise<Frame> =>
    until('the frame', () => page.frames().find((each) => each.url().includes('/onboard/')))

  async function walkThrough(frame: Frame): Promise<void> {
    await frame.getByRole('button', { name: 'Begin' }).click()
    await acceptInFrame(frame)
    await fillUpTo(frame, 'Is this right?', { country: 'USA', subdivision: 'CA' })
    await frame.getByRole('button', { name: 'Send' }).click()
  }

  type Shop = { origin: string; child: ChildProcess; said: string[] }

  async function startShop(): Promise<Shop> {
    const { url: baseUrl } = world.world
    const { apiKey } = world.world.business
    const port = String(await freePort())
    const child = spawn(process.execPath, ['--conditions=@causeway/source', shopProgram], {
      env: { ...process.env, CAUSEWAY_URL: baseUrl, CAUSEWAY_API_KEY: apiKey, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
    await until('the shop', () => said[0] ?? (child.exitCode !== null && assert.fail('the shop ended')))
    return { origin: `http://127.0.0.1:${port}`, child, said }
  }

  test('shows the page, and believes the event and the state, never what a browser or a stranger says', async () => {
    const { origin, child, said } = await startShop()
    const isVerified = async (): Promise<boolean> =>
      ((await (await fetch(`${origin}/shopper`)).json()) as { isVerified: boolean }).isVerified
    try {
      const page = await world.open(origin)
      await page.getByText('Please go on.').waitFor()
      const frame = await frameOf(page)
      await frame.getByRole('button', { name: 'Begin' }).waitFor()
      await page.evaluate(`postMessage({ type: 'causeway.onboarding.state', state: 'done' }, '*')`)
      const event = { event_type: 'end_user.onboarding.completed', data: { externalUserId: 'anybody' } }
      const forged = await fetch(`${origin}/webhooks`, { method: 'POST', body: JSON.stringify(event) })
      assert.deepEqual([forged.status, await isVerified()], [401, false])
      await walkThrough(frame)
      await page.getByText('You are verified.').waitFor()
      await page.locator('iframe').waitFor({ state: 'detached' })
      assert.equal(await isVerified(), true)
      await until('the event', () => said.includes('end_user.onboarding.completed'))
      await page.reload()
      await page.getByText('You are verified.').waitFor()
      assert.equal(await page.locator('iframe').count(), 0)
      assert.deepEqual(
        page.faults.filter((fault) => !fault.startsWith('asked ')),
        [],
      )
    } finally {
      child.kill()
      assert.deepEqual(await once(child, 'exit'), [0, null])
    }
    const { data } = (await world.world.business.call('GET', '/v0/webhook-endpoints')).body
    assert.ok(
      !data.some(({ webhookUrl }: { webhookUrl: string }) => webhookUrl.startsWith(origin)),
      'its endpoint is gone',
    )
  })

  test('opened in a second tab goes on there, and in the first one again when it is asked to', async () => {
    const { origin, child } = await startShop()
    try {
      const [first, second] = [await world.open(origin), await world.open('about:blank')]
      await (await frameOf(first)).getByRole('button', { name: 'Begin' }).waitFor()
      await second.goto(origin)
      await (await frameOf(second)).getByRole('button', { name: 'Begin' }).waitFor()
      await first.getByRole('button', { name: 'Go on here' }).click({ timeout: 40_000 })
      await (await frameOf(first)).getByRole('button', { name: 'Begin' }).waitFor()
    } finally {
      child.kill()
      await once(child, 'exit')
    }
  })

  /** A page that shows the component in the mode in which React does everything twice. */
  const reactPage = `
    import { createElement, StrictMode } from 'react'
    import { createRoot } from 'react-dom/client'
    import { Onboarding } from ${JSON.stringify(reactComponent)}
    const root = createRoot(document.getElementById('root'))
    const url = decodeURIComponent(location.hash.slice(1))
    window.told = []
    window.show = (name) => root.render(createElement(StrictMode, null, createElement(Onboarding, {
      url,
      onState: (state) => told.push(name + ' ' + state),
      onDone: () => told.push(name + ' is done'),
    })))
    window.hide = () => root.render(null)
    show('first')`

  async function bundled(source: string): Promise<string> {
    const input = resolve(import.meta.dirname, 'react-page.js')
    const bundle = await rolldown({
      input,
      platform: 'browser',
      resolve: { conditionNames: ['@causeway/source', 'browser', 'import'] },
      transform: { define: { 'process.env.NODE_ENV': '"development"' } },
      plugins: [
        { name: 'page', resolveId: (id) => (id === input ? id : null), load: (id) => (id === input ? source : null) },
      ],
    })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    return output[0].code
  }

  test('has a component of React that keeps its frame over renders, and takes it away', async () => {
    const script = await bundled(reactPage)
    const html =
      '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Shop</title><div id="root"></div><script type="module" src="/page.js"></script>'
    const server = createServer(({ url }, response) => {
      const [type, body] = url === '/page.js' ? ['text/javascript', script] : ['text/html; charset=utf-8', html]
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    try {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await world.world.business.call('PUT', '/v0/branding', { embedOrigins: [origin] })
      const { externalUserId, link } = await world.applicant()
      const page = await world.open(`${origin}/#${encodeURIComponent(link.url)}`)
      const frame = await frameOf(page)
      await frame.getByRole('button', { name: 'Begin' }).waitFor()
      await page.evaluate('show("second")')
      // The long poll of the page reports a submission by the API like its own.
      const body = kycBody(await world.world.business.acceptTerms(externalUserId), externalUserId)
      const sent = await world.world.business.call('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body)
      assert.equal(sent.status, 200, sent.text)
      const told = () => page.evaluate<string[]>('told')
      await until('the end', async () => (await told()).includes('second is done'))
      const isOfSecond = (line: string) => line.startsWith('second ')
      assert.deepEqual((await told()).filter(isOfSecond).slice(-2), ['second done', 'second is done'])
      await page.evaluate('hide()')
      await page.locator('iframe').waitFor({ state: 'detached' })
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
