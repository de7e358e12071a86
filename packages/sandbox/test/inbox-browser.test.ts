// The inbox page in a real browser: live updates, verdicts, controls, and deliveries whose content is never executed.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import { deliver, newSecret } from './inbox-fixture.ts'
import { cleanPage, openProfile, withoutBrowser } from './pages-fixture.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

describe('the inbox page in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox()
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await sandbox[Symbol.asyncDispose]()
  })

  const delivery = (page: Page, eventType: string) => page.getByRole('button', { name: eventType })

  test('says how to make an event while empty, then shows a verified and a forged delivery as they arrive', async () => {
    const { page, problems } = await cleanPage(browser)
    const address = `${sandbox.url}/inbox/live`
    const secret = newSecret()
    await page.goto(address)
    await page.getByText('Nothing has arrived yet').waitFor()
    await page.getByText(`curl -d '{"hello":"world"}' ${address}`).waitFor()

    await page.getByLabel('Signing secrets').fill(secret)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.locator('#secret-state', { hasText: /^1 set$/ }).waitFor()
    await deliver(address, { secret, headers: { 'svc-event-type': 'genuine.event', 'svc-sequence': '1' } })
    await deliver(address, { secret: newSecret(), headers: { 'svc-event-type': 'forged.event' } })

    await delivery(page, 'genuine.event').getByText('Verified', { exact: true }).waitFor()
    await delivery(page, 'forged.event').getByText('Bad signature', { exact: true }).waitFor()
    assert.equal(await page.getByText('Nothing has arrived yet').isVisible(), false)
    assert.deepEqual(problems, [])
  })

  test('a delivery opens by keyboard, shows its body pretty-printed, and stays open while others arrive', async () => {
    const { page, problems } = await cleanPage(browser)
    const address = `${sandbox.url}/inbox/open`
    await deliver(address, { body: '{"a":{"b":1}}', headers: { 'svc-event-type': 'first.event' } })
    await page.goto(address)
    await delivery(page, 'first.event').focus()
    await page.keyboard.press('Enter')
    const body = page.locator('.panel pre')
    assert.equal(await body.textContent(), JSON.stringify({ a: { b: 1 } }, null, 2))
    await deliver(address, { headers: { 'svc-event-type': 'second.event' } })
    await delivery(page, 'second.event').waitFor()
    assert.equal(await delivery(page, 'first.event').getAttribute('aria-expanded'), 'true')
    assert.equal(await body.isVisible(), true)
    assert.match((await page.locator('#announcer').textContent()) ?? '', /1 new delivery/)
    assert.deepEqual(problems, [])
  })

  test('the controls decide what senders get: an error, gone, a passing failure, success', async () => {
    const { page, problems } = await cleanPage(browser)
    const address = `${sandbox.url}/inbox/controls`
    await page.goto(address)
    for (const [label, status] of [
      ['500 error', 500],
      ['410 Gone', 410],
      ['200 OK', 200],
    ] as const) {
      await page.getByLabel(label).check()
      await page.getByText(`Deliveries get ${status}.`).waitFor()
      assert.equal(await deliver(address), status)
    }
    await page.getByRole('button', { name: 'Fail the next 3' }).click()
    await page.getByText('The next 3 get 500, then 200.').waitFor()
    assert.equal(await deliver(address), 500)
    await page.getByText('The next 2 get 500, then 200.').waitFor()

    await page.getByLabel('Time out').check()
    await page.getByText('Deliveries get 200 after 30 s.').waitFor()
    await assert.rejects(deliver(address, { signal: AbortSignal.timeout(300) }))
    await page.getByText('No answer').first().waitFor()

    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Nothing has arrived yet').waitFor()
    assert.deepEqual(problems, [])
  })

  test('markup in bodies and headers is shown as text and never runs', async () => {
    const attack = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'"\`\${1}</textarea></pre>`
    const address = `${sandbox.url}/inbox/attacked`
    await deliver(address, {
      body: JSON.stringify({ event_type: attack, [attack]: attack }),
      headers: {
        'svc-event-type': attack,
        'svc-external-user-id': attack,
        'webhook-id': attack,
        'svc-sequence': attack,
        'svc-attempt': attack,
        'x-note': attack,
      },
    })
    await deliver(address, { body: `</code></pre>${attack}`, headers: { 'svc-event-type': 'plain.attack' } })
    const { page, problems } = await cleanPage(browser)
    await page.goto(address)
    await page.locator('.toggle').nth(1).waitFor()
    for (const toggle of await page.locator('.toggle').all()) await toggle.click()
    assert.equal(await page.locator('.panel').count(), 2)
    assert.equal(await page.locator('main :is(img, script, textarea)').count(), 0)
    assert.equal(await page.locator('.event').last().textContent(), attack)
    assert.equal(await page.locator('.panel pre').first().textContent(), `</code></pre>${attack}`)
    assert.equal(await page.evaluate('window.hacked'), undefined)
    assert.deepEqual(problems, [])
  })

  test('long values do not make the page scroll sideways at 320 px', async () => {
    const address = `${sandbox.url}/inbox/narrow`
    const long = 'unbroken'.repeat(30)
    await deliver(address, {
      body: long,
      headers: { 'svc-event-type': long, 'svc-external-user-id': long, [`x-${'h'.repeat(60)}`]: long },
    })
    await using profile = await openProfile(browser, { viewport: { width: 320, height: 640 } })
    const page = await profile.context.newPage()
    await page.goto(address)
    await page.locator('.toggle').click()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
  })

  test('a lost connection is shown, and the page recovers by itself', async () => {
    const { page } = await cleanPage(browser)
    await page.goto(`${sandbox.url}/inbox/lost`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.route('**/messages*', (route) => route.abort())
    await page.getByText('Reconnecting').waitFor()
    await page.unroute('**/messages*')
    await page.getByText('Live', { exact: true }).waitFor()
  })
})
