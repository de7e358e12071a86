// Signing in and out of the console in a real browser.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { type ConsoleWorld, consoleWorld, openNavigation } from './console-world.ts'

describe('signing in', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  before(async () => {
    console = await consoleWorld()
  })
  after(() => console.stop())

  test('in a local environment the sign-in names the command for a link, and the link of the operator opens its pages', async () => {
    const page = await console.open('/', { as: null })
    await page.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
    await page.getByText('npx causeway open', { exact: true }).waitFor()
    const code = console.world.server.console.host?.links.create('operator')
    await page.goto(`/console/link#${code}`)
    await (await openNavigation(page)).getByRole('link', { name: 'Businesses' }).waitFor()
    assert.ok(!page.url().includes('#'))
    await page.context().close()
  })

  test('elsewhere a key opens the page that was asked for; a wrong one is told why', async () => {
    const { host } = console.world.server.console
    console.world.server.console.host = null
    try {
      const page = await console.open('/end-users', { as: null })
      await page.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
      page.faults.length = 0 // the browser notes the 401 of the first look
      await page.getByLabel('API key').fill('svc_test_wrong')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('alert').getByText('api_key').first().waitFor()
      await page.getByLabel('API key').fill(console.world.business.apiKey)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL('**/console/end-users')
      await page.context().close()
    } finally {
      console.world.server.console.host = host
    }
  })

  test('the operator signs in from the pages of a business, whose session continues until then; a sign-out is kept', async () => {
    const page = await console.open('/', { key: console.world.business.apiKey })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('operator')
    await page.keyboard.press('Enter')
    await page.getByLabel('Operator secret').waitFor()
    await page.goBack()
    await (await openNavigation(page)).getByRole('link', { name: 'End-users' }).waitFor()
    await page.goForward()
    await page.getByLabel('Operator secret').fill(console.world.operator.secret)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
    await page.goto('/console/deposits')
    await page.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
    await page.context().close()
  })

  test('an address that leads nowhere is said among the pages', async () => {
    const page = await console.open('/nothing/is/here')
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await (await openNavigation(page)).getByRole('link', { name: 'Deposits' }).click()
    await page.getByRole('heading', { level: 1, name: 'Deposits' }).waitFor()
    page.assertClean()
  })

  test('a one-time link opens once, and its code leaves the address at once', async () => {
    const { url } = (await console.world.business.call('POST', '/v0/console-links', { scopes: ['events:read'] })).body
      .data
    const path = new URL(url).pathname.replace('/console', '') + new URL(url).hash
    const page = await console.open(path, { as: null })
    await (await openNavigation(page)).getByRole('link', { name: 'Events' }).waitFor()
    assert.ok(!page.url().includes('#'))
    assert.equal(await page.getByRole('link', { name: 'End-users' }).count(), 0)
    await page.context().close()
    const again = await console.open(path, { as: null })
    await again.getByRole('heading', { name: 'This link cannot be opened' }).waitFor()
    await again.context().close()
  })
})
