// The tasks of who looks after end-users: find one, see what comes next, create, give links, change, delete.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { type ConsoleWorld, consoleWorld, phone } from './console-world.ts'
import { type People, people } from './people.ts'

describe('end-users', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let who: People
  before(async () => {
    console = await consoleWorld()
    who = await people(console)
  })
  after(() => console.stop())

  test('the list is searched and filtered, the address keeps it, and a row leads to its page', async () => {
    const page = await console.open('/end-users')
    const rows = page.getByRole('table', { name: 'End-users' }).locator('tbody').getByRole('link')
    await rows.getByText(who.approved).waitFor()
    assert.equal(await rows.count(), 4)
    await page.keyboard.press('/')
    await page.keyboard.type('user-')
    await rows.getByText(who.approved).waitFor({ state: 'detached' })
    await page.getByLabel('KYC status').selectOption('Rejected')
    await rows.getByText(who.asked).waitFor({ state: 'detached' })
    await rows.getByText(who.rejected).waitFor()
    assert.deepEqual(await rows.allTextContents(), [who.rejected])
    await page.reload()
    await rows.getByText(who.rejected).waitFor()
    assert.deepEqual(await rows.allTextContents(), [who.rejected])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Metadata, as key=value').fill('plan=gold')
    await page.keyboard.press('Enter')
    await rows.getByText(who.rejected).waitFor({ state: 'detached' })
    await rows.getByText(who.approved).waitFor()
    assert.deepEqual(await rows.allTextContents(), [who.approved])
    await rows.first().click()
    await page.getByRole('heading', { level: 1, name: who.approved }).waitFor()
    page.assertClean()
  })

  test('who is created meanwhile does not move the list, and is shown when asked for', async () => {
    const page = await console.open('/end-users')
    const rows = page.getByRole('table', { name: 'End-users' }).locator('tbody').getByRole('link')
    await page.getByRole('button', { name: 'Live: pause updates' }).first().waitFor()
    await rows.getByText(who.approved).waitFor()
    await console.world.business.call('POST', '/v0/end-users', { externalUserId: 'came-meanwhile' })
    const news = page.getByRole('button', { name: 'Show 1 new end-user' })
    await news.waitFor()
    assert.equal(await rows.first().textContent(), who.approved)
    await news.click()
    await rows.getByText('came-meanwhile').waitFor()
    await console.world.business.call('DELETE', '/v0/end-users/came-meanwhile')
    page.assertClean()
  })

  test('the page of an end-user tells the story in plain words', async () => {
    const page = await console.open(`/end-users/${who.approved}`)
    await page.getByText('KYC: approved').waitFor()
    await page.getByText('Deposit of 9,900.00 usd: in review').waitFor()
    await page.getByText('1,243.75 usdc paid out to the wallet').waitFor()
    await page.getByRole('table', { name: 'Accounts of the end-user' }).getByText('USDC on Solana').first().waitFor()
    await page.getByLabel('Events to show').selectOption('Including provider events')
    await page.getByText('The provider reported').first().waitFor()
    assert.match(page.url(), /events=all/)
    await page.getByRole('button', { name: 'View requirements for GBP' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Open' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: '480.50 eur', exact: true }).click()
    await page.waitForURL(/\/deposits\/dep_/)
    page.assertClean()
  })

  test('who was rejected is told why, and gets the provider’s page', async () => {
    const page = await console.open(`/end-users/${who.rejected}`, phone)
    await page.getByText('Rejection reasons').waitFor()
    await page.getByRole('button', { name: 'KYC page' }).click()
    const link = await page.getByRole('dialog').getByRole('link', { name: 'Open' }).getAttribute('href')
    assert.ok(link?.startsWith(new URL(console.world.facts.providerUrl).origin))
    page.assertClean()
  })

  test('an end-user is created, gets a Terms link, is changed and deleted', async () => {
    const page = await console.open('/end-users')
    await page.getByRole('button', { name: 'Create end-user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('End-user ID').fill(who.approved)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText('end_user_already_exists').waitFor()
    page.faults.length = 0 // the browser notes the 409
    await dialog.getByLabel('End-user ID').fill('grace/1')
    await dialog.getByLabel('Metadata').fill(`plan=gold\nnote=${'v'.repeat(300)}`)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'grace/1' }).waitFor()
    await page.getByText('plan=gold').waitFor()
    assert.equal(await page.evaluate('document.scrollingElement.scrollWidth'), 1280)
    await page.getByRole('button', { name: 'Terms link' }).click()
    const terms = await dialog.getByRole('link', { name: 'Open' }).getAttribute('href')
    assert.match(terms ?? '', /terms/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Email').fill('grace@example.net')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('definition').getByText('grace@example.net').waitFor()
    // The response comes late: until then the live updates do not read what no longer exists.
    await page.route('**/v0/end-users/grace*', async (route) => {
      if (route.request().method() !== 'DELETE') return await route.fallback()
      const response = await route.fetch()
      await page.waitForTimeout(1_500)
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete end-user' }).click()
    await page.getByRole('heading', { level: 1, name: 'End-users' }).waitFor()
    const gone = await console.world.business.call('GET', '/v0/end-users/grace%2F1')
    assert.equal(gone.status, 404)
    page.assertClean()
    await page.unroute('**/v0/end-users/grace*')
    await page.goto('/console/end-users/grace%2F1')
    await page.getByText('End-user not found').waitFor()
    page.faults.length = 0 // the browser notes the 404
    page.assertClean()
  })

  test('who may only read sees no control that writes', async () => {
    const { url } = (await console.world.business.call('POST', '/v0/console-links', { scopes: ['end_users:read'] }))
      .body.data
    const { pathname, hash } = new URL(url)
    const page = await console.open(pathname.replace('/console', '') + hash, { as: null })
    await page.getByRole('link', { name: 'End-users' }).click()
    await page.getByRole('link', { name: who.rejected }).click()
    await page.getByRole('heading', { level: 1, name: who.rejected }).waitFor()
    await page
      .getByRole('table', { name: /^Onboarding links/ })
      .getByText('Open', { exact: true })
      .waitFor()
    const writer = await console.open(`/end-users/${who.rejected}`)
    await writer.getByRole('button', { name: 'Revoke' }).first().waitFor()
    for (const name of ['Edit', 'Delete', 'Create link', 'Revoke']) {
      assert.ok((await writer.getByRole('button', { name }).count()) > 0, `${name}, for who may write`)
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    }
    await writer.context().close()
    await page.context().close()
  })
})
