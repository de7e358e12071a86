// The operator's pages in a real browser: the overview, businesses with their keys and logs, held events, storage.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { flushRequests } from '../../server/src/businesses/requests/service.ts'
import { heldEvent, quarantine } from '../../server/test/http/held-events.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone, settled } from './console-world.ts'

describe('the operator', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let page: ConsolePage
  before(async () => {
    console = await consoleWorld()
    page = await console.open('/operator/businesses', { as: 'operator' })
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
    await page.waitForURL('**/operator/businesses?q=remitt')
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

  test('the overview shows the provider, this replica, what waits and the businesses; storage shows its tables', async () => {
    const webhookUrl = 'https://hooks.example.com/secret-token'
    const { id } = (await console.world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
    await console.world.business.call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
    await console.world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
    await page.goto('/console/operator')
    await page.getByText('Nothing needs attention.').waitFor()
    await page.getByText('Reachable', { exact: true }).waitFor()
    await page.getByText('Serves this page').waitFor()
    await page.getByRole('row').filter({ hasText: 'hooks.example.com' }).getByText('Paused').waitFor()
    await page.getByRole('link', { name: 'View active businesses' }).click()
    await page.waitForURL('**/operator/businesses?status=active')
    await page.goto('/console/operator/storage')
    await page.getByRole('cell', { name: 'Default partition' }).first().waitFor()
    assert.equal(await page.locator('[data-form=cards]').count(), 0)
    page.assertClean()
  })

  test('an event that was put aside is on the overview, is found, and tried again', async () => {
    const { world } = console
    const held = await heldEvent(world)
    await quarantine(world, held.id)
    await page.goto('/console/operator')
    await page.getByRole('link', { name: '1 held event' }).click()
    await page.waitForURL('**/operator/events?state=quarantined')
    await page.getByRole('link', { name: 'customer.updated' }).click()
    await page.getByText('it failed').waitFor()
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Pending', { exact: true }).waitFor()
    page.assertClean()
  })

  test('the overview names an endpoint that fails, and leads to its business', async () => {
    const { world } = console
    const webhookUrl = 'https://failing.example.com/in'
    const { id } = (await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
    await world.business.call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
    await world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
    await world.rows`update webhook_endpoints set status = 'disabled' where id = ${id} returning 1`
    await page.goto('/console/operator')
    const attention = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Needs attention' }) })
    await attention.getByText('Disabled', { exact: true }).waitFor()
    await attention.getByRole('link', { name: 'failing.example.com' }).click()
    await page.getByRole('heading', { level: 1, name: /My business/ }).waitFor()
    page.assertClean()
  })

  test('the overview says what could not be read, and reads it again', async () => {
    await page.route('**/v0/operator/**', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/console/operator')
    await page.getByRole('alert').first().waitFor()
    await page.unroute('**/v0/operator/**')
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await page.getByText('Reachable', { exact: true }).waitFor()
    page.faults.length = 0
  })

  test('the requests of a business are listed, filtered and read, and nobody else’s', async () => {
    const { world } = console
    const other = await world.otherBusiness('Contoso')
    const { headers } = await world.business.call('GET', '/v0/end-users/nobody-here')
    await world.business.call('GET', '/v0/deposits', undefined, { key: other.apiKey })
    await flushRequests(world.inside)
    await page.goto(`/console/operator/businesses/${world.business.id}`)
    await page.getByRole('link', { name: 'Requests' }).click()
    const table = page.getByRole('table', { name: 'Requests, newest first' })
    await table
      .getByRole('link', { name: /nobody-here|end-users/ })
      .first()
      .waitFor()
    assert.equal(await table.getByText('/v0/deposits').count(), 0)
    await page.getByRole('button', { name: 'Errors' }).click()
    await page.waitForURL('**/requests?view=errors')
    await page.getByRole('button', { name: 'Show requests' }).first().waitFor()
    const requestId = headers.get('x-request-id') ?? ''
    await page.getByRole('button', { name: 'More filters', exact: true }).click()
    await page.getByLabel('Request ID').fill(requestId)
    await page.waitForURL(`**/requests?*id=${requestId}*`)
    await table.getByRole('link').first().click()
    await page.getByText('There is no end-user with this externalUserId.').waitFor()
    assert.equal(await page.getByText('Repeat the request').count(), 0)
    await page.getByRole('link', { name: 'First key' }).click()
    await page.waitForURL('**/requests?by=key_*')
    await page.goto(`/console/operator/businesses/${other.id}/requests/${requestId}`)
    await page.getByText('Request not found in the log').waitFor()
    page.assertClean()
  })

  test('the audit log of a business names its keys and leads to their requests', async () => {
    const { world } = console
    const { id: customerId, apiKey: key } = await world.otherBusiness('Fabrikam')
    await world.business.call('POST', '/v0/api-keys', { name: 'Reports', scopes: ['events:read'] }, { key })
    await flushRequests(world.inside)
    await page.goto(`/console/operator/businesses/${customerId}`)
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('row').filter({ hasText: 'First key created an API key' }).waitFor()
    await page.getByLabel('Actor').selectOption('Operator')
    await page.waitForURL('**/audit?actor=operator')
    await page.getByText('Operator created this business').waitFor()
    await page.getByText('First key created an API key').waitFor({ state: 'detached' })
    await page.getByLabel('Actor').selectOption({ index: 0 })
    await page.getByRole('link', { name: 'Reports' }).click()
    await page.waitForURL(`**/businesses/${customerId}/requests?by=key_*`)
    await page.getByText('No matching requests').waitFor()
    page.assertClean()
  })

  test('a business that does not exist', async () => {
    for (const path of ['', '/requests', '/audit']) {
      await page.goto(`/console/operator/businesses/biz_none${path}`)
      await page.getByRole('alert').getByText('customer_not_found').waitFor()
    }
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
    const business = `/businesses/${customerId}`
    const paths = ['', '/businesses', business, `${business}/requests`, `${business}/audit`, '/events', '/storage']
    for (const path of paths) {
      await small.goto(`/console/operator${path}`)
      await small.getByRole('row').nth(1).waitFor()
      await settled(small)
      const [inner, outer] = await small.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, innerWidth]',
      )
      assert.ok(inner <= outer, `${path}: ${inner} > ${outer}`)
    }
  })
})
