// The page on which end-users onboard by a link, as the business sees to it: make a link, revoke it, set how the page looks.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { lacking } from '../../../scripts/test-needs.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone } from './console-world.ts'
import { logo } from './paths.ts'
import { type People, people } from './people.ts'

describe('onboarding', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let who: People
  before(async () => {
    console = await consoleWorld()
    console.world.server.onboarding.build = () => ({ state: 'built' })
    who = await people(console)
  })
  after(() => console.stop())

  const links = (page: Page) => page.getByRole('table', { name: /^Onboarding links/ })
  const makeLink = async (page: Page) => {
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    return (await page.locator('[data-secret]').textContent()) ?? ''
  }
  const done = async (page: Page) => {
    await page.getByLabel('I have stored the link').check()
    await page.getByRole('button', { name: 'Done' }).click()
  }
  const read = async (path: string) => (await console.world.business.call('GET', path)).body.data
  const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
  /** The text below a field. */
  const noteOf = (page: Page, label: string) => field(page, label).locator('xpath=ancestor::div[p][1]/p').innerText()
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()

  test('a link is the first way of who has something to do: chosen, shown once, listed, and revoked', async () => {
    const page = await console.open(`/end-users/${who.fresh}`)
    await page.getByText('No links yet').waitFor()
    const ways = page.getByRole('region', { name: 'Next action' }).getByRole('button')
    await ways.nth(1).waitFor()
    assert.deepEqual(await ways.allTextContents(), ['Create onboarding link', 'Terms link'])
    await ways.first().click()
    const dialog = page.getByRole('dialog')
    assert.ok(await dialog.getByLabel('USD').isChecked())
    await dialog.getByLabel('EUR').check()
    await dialog.getByLabel('Language').selectOption('Deutsch')
    await dialog.getByLabel('Expires after').selectOption('3 days')
    await dialog.getByLabel('Redirect URL').fill('https://app.globex.example/back')
    const url = await makeLink(page)
    await dialog.getByText(`This link is only for ${who.fresh}`).waitFor()
    await dialog.getByRole('button', { name: 'Copy the link' }).or(dialog.getByLabel('Copy link')).waitFor()
    assert.equal(await dialog.getByRole('link', { name: 'Open' }).getAttribute('href'), url)
    const [{ rails, locale, redirectUri, createdAt, expiresAt }] = await read(
      `/v0/end-users/${who.fresh}/onboarding-links`,
    )
    assert.deepEqual([rails, locale, redirectUri], [['usd', 'eur'], 'de', 'https://app.globex.example/back'])
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 72 * 3_600_000)
    await page.keyboard.press('Escape') // asks before the link is lost
    await page.getByRole('button', { name: 'Close anyway' }).waitFor()
    await done(page)
    assert.equal((await page.content()).includes(url), false)
    const row = links(page).getByRole('row').filter({ hasText: 'USD, EUR' })
    await row.getByText('Open', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Revoke link' }).click()
    await row.getByText('Revoked').waitFor()
    assert.equal(await row.getByRole('button').count(), 0)
    page.assertClean()
  })

  test('what the server refuses is told in the dialog', async () => {
    const page = await console.open(`/end-users/${who.approved}`, phone)
    const next = page.getByRole('region', { name: 'Next action' })
    await next.waitFor()
    assert.equal(await next.getByRole('button').count(), 0)
    await page.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog')
    // Dollars and euros are open: nothing is chosen for the end-user.
    assert.ok(await dialog.getByRole('button', { name: 'Create link' }).isDisabled())
    await dialog.getByLabel('USD (active)').check()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('alert').getByText('onboarding_not_needed').waitFor()
    await dialog.getByLabel('MXN').check()
    await dialog.getByLabel('Redirect URL').fill('http://app.globex.example/back')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('alert').getByText('invalid_redirect_uri').waitFor()
    page.faults.length = 0 // the browser notes the refusals
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    page.assertClean()
  })

  test('the branding is previewed with its contrast, refused at its fields, and saved', async () => {
    const page = await console.open('/')
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await page.getByRole('heading', { level: 1, name: 'Branding' }).waitFor()
    const preview = page.getByRole('figure')
    await field(page, 'Name').fill('Globex Payments')
    await preview.getByText('Globex Payments needs to verify who you are before you can move money').waitFor()
    assert.match(await noteOf(page, 'Text'), /Contrast 17\.\d\s:\s1/)
    await field(page, 'Text').fill('#999999')
    assert.match(await noteOf(page, 'Text'), /Contrast 2\.8\s:\s1 with the background\. Minimum: 4\.5\s:\s1/)
    await field(page, 'Privacy notice').fill('http://globex.example/privacy')
    await page.getByLabel('Allowed embed origins').fill('https://app.globex.example\nhttps://globex.example/pay\n')
    await save(page)
    await page.getByRole('alert').getByText('invalid_branding').waitFor()
    page.faults.length = 0 // the browser notes the 400
    assert.match(await noteOf(page, 'Privacy notice'), /https/)
    assert.match(await noteOf(page, 'Allowed embed origins'), /^“https:\/\/globex.example\/pay” must be/)
    await field(page, 'Text').fill('#431407')
    await field(page, 'Background').fill('#fff7ed')
    await field(page, 'Privacy notice').fill('https://globex.example/privacy')
    await field(page, 'Support email').fill('help@globex.example')
    await page.getByLabel('Allowed embed origins').fill('https://app.globex.example\n\nhttps://pay.globex.example/\n')
    await save(page)
    await page.getByText('Branding saved.').waitFor()
    assert.deepEqual(await read('/v0/branding'), {
      name: 'Globex Payments',
      logo: null,
      colors: { primary: '#0f766e', background: '#fff7ed', text: '#431407' },
      supportEmail: 'help@globex.example',
      privacyUrl: 'https://globex.example/privacy',
      embedOrigins: ['https://app.globex.example', 'https://pay.globex.example'],
    })
    const sites = await page.getByLabel('Allowed embed origins').inputValue()
    assert.equal(sites, 'https://app.globex.example\nhttps://pay.globex.example')
    assert.equal(await page.getByRole('alert').count(), 0)
    page.assertClean()
  })

  test('a logo is read in the browser, shown, refused where it is none or too large, and removed', async () => {
    const page = await console.open('/branding')
    const input = page.locator('input[type=file]')
    const png = Buffer.from(logo.split(',')[1] ?? '', 'base64')
    const choose = (name: string, mimeType: string, buffer: Buffer) => input.setInputFiles({ name, mimeType, buffer })
    await choose('logo.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
    assert.match(await noteOf(page, 'Logo'), /must be a PNG, JPEG or WebP/)
    await choose('large.png', 'image/png', Buffer.concat([png, Buffer.alloc(64 * 1024)]))
    assert.match(await noteOf(page, 'Logo'), /65 KiB. The maximum is 64/)
    await choose('logo.png', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
    await save(page)
    await page.getByRole('alert').getByText('invalid_branding').waitFor()
    assert.match(await noteOf(page, 'Logo'), /data: URI|may be damaged/)
    page.faults.length = 0 // the browser notes the 400
    await choose('logo.png', 'image/png', png)
    await page.getByRole('figure').getByRole('img').waitFor()
    await save(page)
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByText('Branding saved.').first().waitFor()
    assert.equal((await read('/v0/branding')).logo, logo)
    await page.getByRole('button', { name: 'Remove logo' }).click()
    assert.equal(await page.getByRole('figure').getByRole('img').count(), 0)
    page.assertClean()
  })

  test('the link opens the page of the end-user, in its language and its branding', {
    skip: lacking('onboarding'),
  }, async () => {
    const page = await console.open(`/end-users/${who.fresh}`)
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('dialog').getByLabel('Language').selectOption('Deutsch')
    await makeLink(page)
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('dialog').getByRole('link', { name: 'Open' }).click(),
    ])
    await opened.getByRole('heading', { level: 1, name: 'Bestätigen Sie Ihr Unternehmen' }).waitFor()
    await opened.getByText('muss Globex Payments Ihr Unternehmen').waitFor()
    await opened.getByRole('img', { name: 'Globex Payments' }).waitFor()
    // On a desk the questions have the chosen ground, and the page around them a tint of it.
    const ground = await opened.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")
    assert.equal(ground, 'rgb(255, 247, 237)')
    await opened.close()
    await done(page)
    await page.reload()
    await links(page)
      .getByRole('row')
      .filter({ hasText: 'Open' })
      .getByText(/now|ago/)
      .first()
      .waitFor()
    page.assertClean()
  })

  test('who may only read sees the branding, and can change nothing of it', async () => {
    const { url } = (await console.world.business.call('POST', '/v0/console-links', { scopes: ['end_users:read'] }))
      .body.data
    const page: ConsolePage = await console.open(new URL(url).pathname.replace('/console', '') + new URL(url).hash, {
      as: null,
    })
    await page.getByRole('link', { name: 'Branding' }).click()
    await field(page, 'Name').waitFor()
    assert.equal(await field(page, 'Name').inputValue(), 'Globex Payments')
    for (const control of await page.getByRole('form').locator('input, textarea, button').all())
      assert.ok(await control.isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
    page.assertClean()
    await page.context().close()
  })
})
