// The hosted pages in a real browser: embedding, redirects, keyboard, narrow screens, and no requests to other hosts.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import {
  cleanPage,
  makeKycLink,
  makeTosLink,
  openProfile,
  type Site,
  startSite,
  withoutBrowser,
} from './pages-fixture.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

/** Renders an integrator's page, which accepts messages from the origin of its link only. */
const embeddingPage = (address: URL): string => {
  const link = address.searchParams.get('link') ?? ''
  const intruder = address.searchParams.get('intruder')
  return `<!doctype html><title>Shop</title><h1>Shop</h1>
    <script>
      const link = ${JSON.stringify(link)}, believed = [], ignored = []
      addEventListener('message', (event) => {
        const entry = { origin: event.origin, data: event.data }
        event.origin === new URL(link).origin ? believed.push(entry) : ignored.push(entry)
      })
    </script>
    ${intruder ? `<iframe src="${intruder}"></iframe>` : ''}
    ${
      address.pathname === '/opener'
        ? `<button onclick="window.open(link)">Terms</button>`
        : `<iframe id="terms" width="700" height="600" src="${link}"></iframe>`
    }`
}

const intruderPage = (): string =>
  `<!doctype html><script>parent.postMessage({ signedAgreementId: 'planted' }, '*')</script>`

type Entry = { origin: string; data: unknown }
const heard = (page: Page, list: 'believed' | 'ignored'): Promise<Entry[]> => page.evaluate(list)
const waitUntilHeard = (page: Page, list: 'believed' | 'ignored') => page.waitForFunction(`${list}.length > 0`)

const tabTo = async (page: Page, id: string, pressesMax: number): Promise<void> => {
  for (let presses = 0; presses < pressesMax; presses += 1) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement?.id')) === id) return
  }
  assert.fail(`#${id} is not reached by ${pressesMax} presses of Tab`)
}

describe('the hosted pages in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  let shop: Site
  /** An allowed origin that is not the one of the links. */
  let neighbour: Site
  let stranger: Site
  let sandbox: Sandbox

  before(async () => {
    shop = await startSite(embeddingPage)
    stranger = await startSite((address) =>
      address.pathname === '/intruder' ? intruderPage() : embeddingPage(address),
    )
    neighbour = await startSite(embeddingPage)
    sandbox = await startSandbox({ embedOrigins: [shop.origin, neighbour.origin] })
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    for (const part of [sandbox, shop, neighbour, stranger]) await part[Symbol.asyncDispose]()
  })

  const embedIn = (site: Site, link: string, extra = ''): string =>
    `${site.origin}/?link=${encodeURIComponent(link)}${extra}`

  test('accepting in an iframe tells the embedding page the agreement id, from the origin of the link', async () => {
    const { page, problems } = await cleanPage(browser)
    await page.goto(embedIn(shop, await makeTosLink(sandbox)))
    await page.frameLocator('#terms').getByRole('button', { name: 'Accept' }).click()
    await waitUntilHeard(page, 'believed')
    const [entry, ...more] = await heard(page, 'believed')
    assert.deepEqual(more, [])
    assert.equal(entry?.origin, sandbox.url)
    assert.deepEqual(Object.keys(Object(entry.data)), ['signedAgreementId'])
    await page.frameLocator('#terms').getByRole('heading', { name: 'Terms accepted' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('an iframe-origin in the link reaches the same page', async () => {
    const { page, problems } = await cleanPage(browser)
    const link = `${await makeTosLink(sandbox)}&iframe-origin=${encodeURIComponent(shop.origin)}`
    await page.goto(embedIn(shop, link))
    await page.frameLocator('#terms').getByRole('button', { name: 'Accept' }).click()
    await waitUntilHeard(page, 'believed')
    assert.deepEqual(problems, [])
  })

  test('a correctly written page ignores the same message from another origin', async () => {
    const { page } = await cleanPage(browser)
    const intruder = encodeURIComponent(`${stranger.origin}/intruder`)
    await page.goto(embedIn(shop, await makeTosLink(sandbox), `&intruder=${intruder}`))
    await waitUntilHeard(page, 'ignored')
    assert.deepEqual(await heard(page, 'ignored'), [
      { origin: stranger.origin, data: { signedAgreementId: 'planted' } },
    ])
    assert.deepEqual(await heard(page, 'believed'), [])
  })

  test('an origin that is not allowed cannot embed the page', async () => {
    const { page } = await cleanPage(browser)
    const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await page.goto(embedIn(stranger, await makeTosLink(sandbox)))
    await refusal
    assert.equal(await page.frameLocator('#terms').getByRole('button', { name: 'Accept' }).count(), 0)
    assert.deepEqual(await heard(page, 'believed'), [])
  })

  test('a window opened by an allowed page tells its opener; one opened by a stranger tells nobody', async () => {
    for (const [site, expected] of [
      [shop, 1],
      [stranger, 0],
    ] as const) {
      const { page, problems } = await cleanPage(browser)
      await page.goto(`${site.origin}/opener?link=${encodeURIComponent(await makeTosLink(sandbox))}`)
      const opened = page.waitForEvent('popup')
      await page.getByRole('button', { name: 'Terms' }).click()
      const terms = await opened
      await terms.getByRole('button', { name: 'Accept' }).click()
      // The page sends the message before it shows this heading, so a message would have arrived.
      await terms.getByRole('heading', { name: 'Terms accepted' }).waitFor()
      if (expected > 0) await waitUntilHeard(page, 'believed')
      assert.equal((await heard(page, 'believed')).length, expected)
      assert.deepEqual(problems, [])
    }
  })

  test('a message for one allowed origin does not reach another that embeds or opens the page', async () => {
    for (const path of ['/', '/opener']) {
      const { page, context } = await cleanPage(browser)
      const link = `${await makeTosLink(sandbox)}&iframe-origin=${encodeURIComponent(shop.origin)}`
      // The browser reports on the sender's console that it did not deliver the message.
      const keptBack = context.waitForEvent('console', (message) =>
        message.text().includes(`The target origin provided ('${shop.origin}') does not match`),
      )
      await page.goto(`${neighbour.origin}${path}?link=${encodeURIComponent(link)}`)
      if (path === '/opener') {
        const opened = page.waitForEvent('popup')
        await page.getByRole('button', { name: 'Terms' }).click()
        await (await opened).getByRole('button', { name: 'Accept' }).click()
      } else {
        await page.frameLocator('#terms').getByRole('button', { name: 'Accept' }).click()
      }
      await keptBack
      assert.deepEqual([...(await heard(page, 'believed')), ...(await heard(page, 'ignored'))], [])
    }
  })

  test('a redirect waits for the click, then carries the agreement id in place of a planted one', async () => {
    await using landing = await startSite(() => '<!doctype html><title>Back</title><h1>Back in the shop</h1>')
    const { page, problems } = await cleanPage(browser)
    const link = new URL(await makeTosLink(sandbox))
    link.searchParams.set('redirect_uri', `${landing.origin}/back?signed_agreement_id=planted&cart=7#end`)
    await page.goto(link.href, { waitUntil: 'networkidle' })
    assert.equal(page.url(), link.href)
    assert.deepEqual(landing.requests, [])
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Back in the shop' }).waitFor()
    const arrived = new URL(page.url())
    const ids = arrived.searchParams.getAll('signed_agreement_id')
    assert.equal(ids.length, 1)
    assert.notEqual(ids[0], 'planted')
    assert.equal(arrived.searchParams.get('cart'), '7')
    assert.equal(await page.evaluate('document.referrer'), '', 'the link and its token do not travel along')
    assert.deepEqual(problems, [])
  })

  test('the keyboard alone accepts, focus is visible, and the result has the focus', async () => {
    const { page, problems } = await cleanPage(browser)
    await page.goto(await makeTosLink(sandbox))
    await tabTo(page, 'accept', 2)
    assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth'), '3px')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Terms accepted' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement?.id'), 'done-title')
    assert.deepEqual(problems, [])
  })

  test('the identity check goes from the terms and back, and ends as chosen by keyboard', async () => {
    const { page, problems } = await cleanPage(browser)
    const { kycLink } = await makeKycLink(sandbox)
    await page.goto(kycLink)
    await page.getByRole('link', { name: 'Read the terms' }).click()
    await page.getByRole('button', { name: 'Accept' }).click()
    // This button belongs to the KYC page, so its script has run.
    await page.locator('#pending:not([inert])').getByRole('group', { name: 'Result of the check' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await tabTo(page, 'finish', 2)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Check failed' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement?.id'), 'done-title')
    assert.deepEqual(problems, [])
  })

  test('the embedded identity check tells the embedding page how it ended', async () => {
    const { page, problems } = await cleanPage(browser)
    const { kycLink, tosLink } = await makeKycLink(sandbox)
    await fetch(tosLink, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    const widget = `${kycLink.replace('/verify', '/widget')}&iframe-origin=${encodeURIComponent(shop.origin)}`
    await page.goto(embedIn(shop, widget))
    await page.frameLocator('#terms').getByLabel('Send to manual review').check()
    await page.frameLocator('#terms').getByRole('button', { name: 'Finish check' }).click()
    await waitUntilHeard(page, 'believed')
    assert.deepEqual(await heard(page, 'believed'), [
      { origin: sandbox.url, data: { name: 'complete', metadata: { status: 'under_review' } } },
    ])
    assert.deepEqual(problems, [])
  })

  test('a control that is used before its script has come does nothing, and works once it has', async () => {
    const { page, problems } = await cleanPage(browser)
    let letThrough = (): void => undefined
    const released = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    await page.route('**/assets/tos.js', async (route) => {
      await released
      await route.continue()
    })
    const link = await makeTosLink(sandbox)
    await page.goto(link, { waitUntil: 'commit' })
    await page.locator('#accept').waitFor()
    await page.keyboard.press('Tab')
    assert.notEqual(await page.evaluate('document.activeElement?.id'), 'accept')
    letThrough()
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Terms accepted' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('a sandbox that went away is reported where the person looks, and the button works again', async () => {
    await using brief = await startSandbox()
    const { page } = await cleanPage(browser)
    await page.goto(await makeTosLink(brief))
    await page.route('**/*', (route) => route.abort())
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor()
    await page.unroute('**/*')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Terms accepted' }).waitFor()
  })

  test('no page scrolls sideways at 320 px, in either theme, and each has one visible main heading', async () => {
    const { kycLink, tosLink } = await makeKycLink(sandbox, {
      email: `${'long'.repeat(12)}@${'domain'.repeat(9)}.example`,
    })
    const pages = [
      `${sandbox.url}/nothing`,
      tosLink,
      kycLink,
      `${tosLink}&redirect_uri=${encodeURIComponent(`https://${'long-label.'.repeat(12)}example/`)}`,
      `${tosLink}x`,
    ]
    await using profile = await openProfile(browser, { viewport: { width: 320, height: 640 } })
    const page = await profile.context.newPage()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const address of pages) {
        await page.goto(address)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, address)
        assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, address)
      }
    }
  })
})
