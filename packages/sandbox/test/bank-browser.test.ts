// The bank in a real browser: a deposit sent and followed to its end, one advanced by keyboard, and both without a script.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../../scripts/test-browser.ts'
import type { Resource } from './answers.ts'
import { cleanPage, openProfile, withoutBrowser } from './pages-fixture.ts'
import { deposit, depositAt, openAccount } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

describe('the bank in a browser', { skip: withoutBrowser }, () => {
  let sandbox: Sandbox
  let browser: Browser
  let account: Resource
  before(async () => {
    sandbox = await startSandbox({ depositStepMs: 1 })
    account = await openAccount(sandbox)
    await openAccount(sandbox, 'eur')
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await sandbox.stop()
  })

  const badge = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true })

  test('a person chooses an account, sends a deposit and watches it arrive without a reload', async () => {
    const { page, problems } = await cleanPage(browser)
    await page.goto(sandbox.url)
    await page.getByRole('link', { name: 'Send a deposit' }).click()
    await page.getByRole('link', { name: /USD account/ }).click()
    await page.getByLabel('Amount in USD').fill('250.41')
    await page.getByLabel('Rail').selectOption('Wire')
    await page.getByLabel('Sender').fill('Grace Hopper')
    await page.getByRole('button', { name: 'Send deposit' }).click()
    await badge(page, 'Announced').waitFor()
    await page.evaluate('window.stillHere = true')
    for (const step of ['Received', 'Payment sent', 'Paid out']) await badge(page, step).waitFor()
    assert.equal(await page.evaluate('window.stillHere'), true, 'the page was never loaded again')
    assert.equal(await page.locator('.step').count(), 4)
    await page.getByText(/^0x[0-9a-f]{64}$/).waitFor()
    assert.deepEqual(problems, [])
  })

  test('the keyboard alone sends a deposit and releases it from review, and the focus is not lost', async () => {
    const { page, problems } = await cleanPage(browser)
    await page.goto(`${sandbox.url}/bank?account=${account.id}`)
    await page.getByLabel('Amount in USD').focus()
    await page.keyboard.type('99.42')
    await page.keyboard.press('Enter')
    await badge(page, 'In review').waitFor()
    const release = page.getByRole('button', { name: 'Release and pay out' })
    await release.waitFor()
    await release.focus()
    assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth'), '3px')
    await page.keyboard.press('Enter')
    await badge(page, 'Paid out').waitFor()
    assert.equal(await release.count(), 0)
    assert.deepEqual(problems, [])
  })

  test('a button that goes away while it has the focus hands it to the heading', async () => {
    const { page, problems } = await cleanPage(browser)
    const id = await deposit(sandbox, account, { amount: '5.00', outcome: 'in_review' })
    await depositAt(sandbox, id, 'in_review')
    await page.goto(`${sandbox.url}/bank/deposits/${id}`)
    await page.getByRole('button', { name: 'Refund', exact: true }).focus()
    await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to: 'refunded' } })
    await badge(page, 'Refunded').waitFor()
    assert.equal(await page.evaluate('document.activeElement?.id'), 'title')
    assert.deepEqual(problems, [])
  })

  test('a wrong amount has the focus and its rule beside it', async () => {
    const { page } = await cleanPage(browser)
    await page.goto(`${sandbox.url}/bank?account=${account.id}`)
    await page.getByLabel('Amount in USD').fill('1.234')
    await page.getByRole('button', { name: 'Send deposit' }).click()
    await page.getByText('Enter an amount above zero').waitFor()
    await page.locator('#amount:focus').waitFor() // by `autofocus`, which a browser heeds some time after it shows the page
    assert.equal(await page.getByLabel('Amount in USD').inputValue(), '1.234')
  })

  test('everything works without a script, by reloading', async () => {
    await using profile = await openProfile(browser, { javaScriptEnabled: false })
    const page = await profile.context.newPage()
    await page.goto(`${sandbox.url}/bank?account=${account.id}`)
    await page.getByLabel('Amount in USD').fill('10.00')
    await page.getByLabel('Pace').selectOption('3600000')
    await page.getByRole('button', { name: 'Send deposit' }).click()
    await badge(page, 'Received').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    for (const step of ['payment_submitted', 'payment_processed']) {
      await page.getByRole('button', { name: 'Take the next step now' }).click()
      await depositAt(sandbox, id, step)
      await page.getByRole('link', { name: 'Reload it' }).click()
    }
    await badge(page, 'Paid out').waitFor()
    assert.deepEqual(profile.problems, [])
  })

  test('the clock on the front page is moved by its form', async () => {
    const { page, problems } = await cleanPage(browser)
    const id = await deposit(sandbox, account, { amount: '7.00', step_ms: 60 * 60 * 1000 })
    await page.goto(sandbox.url)
    await page.getByRole('button', { name: 'Move forward' }).click()
    await page.getByText('1 d ahead').waitFor()
    await page.goto(`${sandbox.url}/bank/deposits/${id}`)
    await badge(page, 'Paid out').waitFor()
    assert.deepEqual(problems, [])
  })

  test('no page of it scrolls sideways at 320 px, in either theme, and each has one main heading', async () => {
    const long = await openAccount(sandbox, 'brl')
    await sandbox.wire('PUT', `/customers/${long.customer_id}`, { body: { first_name: 'N'.repeat(90) } })
    const id = await deposit(sandbox, long, {
      amount: '123456789.42',
      reference: 'r'.repeat(140),
      sender_name: 's'.repeat(200),
    })
    await depositAt(sandbox, id, 'in_review')
    await using profile = await openProfile(browser, { viewport: { width: 320, height: 640 } })
    const page = await profile.context.newPage()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const path of ['/', '/bank', `/bank?account=${long.id}`, `/bank/deposits/${id}`, '/bank?q=nobody']) {
        await page.goto(sandbox.url + path)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path)
        assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path)
      }
    }
  })
})
