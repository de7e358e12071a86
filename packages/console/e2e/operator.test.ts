// The operator's pages in a real browser: businesses and their keys, the service, held events, storage.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { heldEvent, quarantine } from '../../server/test/http/held-events.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone } from './console-world.ts'

describe('the operator', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let page: ConsolePage
  before(async () => {
    console = await consoleWorld()
    page = await console.open('/operator', { as: 'operator' })
  })
  after(() => console.stop())

  test('a business is made, found, gets a key that is shown once, and the key ends', async () => {
    await page.getByRole('button', { name: 'Create business' }).click()
    await page.getByLabel('Name').fill('Northwind <b>Remittances</b>')
    await page.getByRole('button', { name: 'Create business' }).click()
    await page.getByRole('heading', { level: 1, name: 'Northwind <b>Remittances</b>' }).waitFor()
    await page.getByRole('button', { name: 'Issue key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Production')
    await page.getByRole('button', { name: 'Issue key' }).click()
    const key = await page.locator('[data-secret]').innerText()
    assert.equal((await console.world.business.call('GET', '/v0/whoami', undefined, { key })).status, 200)
    await page.getByLabel('I have stored the key').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke key Production' }).click()
    await page.getByRole('button', { name: 'Revoke key', exact: true }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    assert.equal((await console.world.business.call('GET', '/v0/whoami', undefined, { key })).status, 401)
    await page.getByRole('link', { name: 'Businesses' }).first().click()
    await page.getByLabel('Search businesses').fill('remitt')
    await page.waitForURL('**/operator?q=remitt')
    await page.getByRole('link', { name: 'Northwind' }).waitFor()
    await page.getByRole('link', { name: 'My business' }).waitFor({ state: 'detached' })
    page.assertClean()
  })

  test('a business is suspended and resumed, and its keys with it', async () => {
    const { id: customerId } = console.world.business
    await page.goto(`/console/operator/businesses/${customerId}`)
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Suspended').waitFor()
    assert.equal((await console.world.business.call('GET', '/v0/whoami')).status, 403)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Active').waitFor()
    assert.equal((await console.world.business.call('GET', '/v0/whoami')).status, 200)
    page.assertClean()
  })

  test('the service shows the provider, this replica, and what waits; storage shows its tables', async () => {
    const webhookUrl = 'https://hooks.example.com/secret-token'
    const { id } = (await console.world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
    await console.world.business.call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
    await console.world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
    await page.goto('/console/operator/service')
    await page.getByText('Reachable', { exact: true }).waitFor()
    await page.getByText('Serves this page').waitFor()
    await page.getByRole('row').filter({ hasText: 'hooks.example.com' }).getByText('Paused').waitFor()
    await page.goto('/console/operator/storage')
    await page.getByRole('cell', { name: 'Default partition' }).first().waitFor()
    assert.equal(await page.locator('[data-form=cards]').count(), 0)
    page.assertClean()
  })

  test('an event that was put aside is found, and tried again', async () => {
    const { world } = console
    const held = await heldEvent(world)
    await quarantine(world, held.id)
    await page.goto('/console/operator/events')
    await page.getByLabel('Status').selectOption('Quarantined')
    await page.waitForURL('**/operator/events?state=quarantined')
    await page.getByRole('link', { name: 'customer.updated' }).click()
    await page.getByText('it failed').waitFor()
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Pending', { exact: true }).waitFor()
    page.assertClean()
  })

  test('weeks that have not begun are no history', async () => {
    await page.goto('/console/operator/storage')
    const weeks = page.getByRole('table', { name: 'Weekly partitions' }).locator('tbody tr')
    await weeks.filter({ hasText: 'events' }).first().waitFor()
    for (const text of await weeks.allInnerTexts()) {
      const begins = Date.parse(`${text.split('\t')[0]} UTC`)
      assert.ok(Number.isNaN(begins) || begins <= Date.now(), text)
    }
  })

  test('a phone scrolls down and never sideways', async () => {
    const small = await console.open('/operator', { ...phone, as: 'operator' })
    const { id: customerId } = console.world.business
    for (const path of ['', `/businesses/${customerId}`, '/service', '/events', '/storage']) {
      await small.goto(`/console/operator${path}`)
      await small.getByRole('row').nth(1).waitFor()
      const [inner, outer] = await small.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, innerWidth]',
      )
      assert.ok(inner <= outer, `${path}: ${inner} > ${outer}`)
    }
  })
})
