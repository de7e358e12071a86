// The first page: what a new business does, what needs somebody, how the business does.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { boxOf } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { type ConsoleWorld, consoleWorld, phone } from './console-world.ts'
import { type People, people } from './people.ts'

describe('home', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let who: People
  before(async () => {
    console = await consoleWorld()
  })
  after(() => console.stop())

  test('a new business sees its first steps, ticked by facts, and each leads to where it is done', async () => {
    const page = await console.open('/')
    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Volume by currency' }).count(), 0)
    const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await step('Create an API key').getByLabel('Done').waitFor()
    await step('Create a webhook endpoint').getByLabel('Done').waitFor()
    await step('Create an end-user').getByLabel('To do').waitFor()
    for (const [name, path] of [
      ['Approve in the sandbox', /sandbox$/],
      ['Open account', /accounts$/],
      ['Simulate a deposit', /sandbox$/],
    ] as const)
      assert.match((await page.getByRole('link', { name }).getAttribute('href')) ?? '', path)
    await page.getByRole('link', { name: 'Create end-user' }).click()
    await page.getByText('No end-users yet').waitFor()
    page.assertClean()
  })

  test('who is rejected, asked or in review comes first, and each leads to its page', async () => {
    who = await people(console)
    const page = await console.open('/')
    const cases = page.getByRole('listitem').filter({ has: page.getByRole('link') })
    await cases.filter({ hasText: who.rejected }).getByText('Resubmit KYC').waitFor()
    await cases.filter({ hasText: who.asked }).getByText('Action required').waitFor()
    await cases.filter({ hasText: 'Deposit of 9,900.00' }).getByText('In review').waitFor()
    await page.getByRole('link', { name: who.rejected }).click()
    await page.getByRole('heading', { level: 1, name: who.rejected }).waitFor()
    page.assertClean()
  })

  test('an endpoint that fails is named', async () => {
    const endpoint = await console.world.business.call('POST', '/v0/webhook-endpoints', {
      webhookUrl: `${console.world.provider.url.replace('/v0', '')}/nowhere`,
      description: 'Billing',
    })
    const { id } = endpoint.body.data
    await console.world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
    await until('a failure', async () => {
      const { data } = (await console.world.business.call('GET', `/v0/webhook-endpoints/${id}`)).body
      return data.failingSince !== null
    })
    const page = await console.open('/', phone)
    const named = page.getByRole('listitem').filter({ hasText: 'Billing' })
    await named.getByText('Failing', { exact: true }).waitFor()
    assert.match((await named.getByRole('link').getAttribute('href')) ?? '', new RegExp(`/webhooks/${id}$`))
    await console.world.business.call('DELETE', `/v0/webhook-endpoints/${id}`)
  })

  test('the latest deposits and events are tables side by side on a desk, and follow what happens', async () => {
    const page = await console.open('/')
    const events = page.getByRole('table', { name: 'Latest events' })
    await page.getByRole('table', { name: 'Latest deposits' }).getByText('9,900.00').waitFor()
    await events.locator('tbody tr').nth(4).waitFor()
    await console.world.business.call('POST', '/v0/end-users', { externalUserId: 'seen-at-once' })
    await events.getByText('seen-at-once').waitFor()
    const deposits = page.getByRole('table', { name: 'Latest deposits' })
    const [left, right] = [await boxOf(deposits), await boxOf(events)]
    assert.equal(left.y, right.y, 'side by side')
    for (const table of [deposits, events])
      assert.ok((await boxOf(table.locator('tbody tr'))).height < 50, 'one line for each row')
    await page.getByRole('table', { name: 'Latest deposits' }).getByRole('link').first().click()
    await page.waitForURL(/deposits\/dep_/)
    page.assertClean()
  })

  test('a session that may see events alone is told nothing of what it may not see', async () => {
    const { url } = (await console.world.business.call('POST', '/v0/console-links', { scopes: ['events:read'] })).body
      .data
    const { pathname, hash } = new URL(url)
    const page = await console.open(pathname.replace('/console', '') + hash, { as: null })
    await page.getByRole('heading', { name: 'Volume by currency' }).waitFor()
    for (const name of ['Needs attention', 'KYC funnel'])
      assert.equal(await page.getByRole('heading', { name }).count(), 0, name)
    page.assertClean()
    await page.context().close()
  })

  test('volume stands in each currency of its own, as a chart and as a table, for the time in the address', async () => {
    const page = await console.open('/?range=week')
    await page.getByRole('img', { name: 'Volume in USD' }).waitFor()
    await page.getByText('11,150.00').first().waitFor()
    await page.getByText('480.50').first().waitFor()
    await page.getByRole('button', { name: 'View table' }).first().click()
    const table = page.getByRole('table', { name: 'Volume in USD' })
    assert.equal(await table.locator('tbody tr').count(), 7)
    await table.getByText('11,150.00').waitFor()
    await page.getByLabel('Time range').selectOption('Last 24 hours')
    await until('24 hours', async () => (await table.locator('tbody tr').count()) === 24)
    assert.match(page.url(), /range=day/)
    await page.getByRole('link', { name: 'Approved 1' }).click()
    await page.waitForURL(/end-users\?status=approved/)
    page.assertClean()
  })

  test('home and the operator show one volume, whatever states the deposits are in', async () => {
    const { business } = console.world
    const { id = '' } = await business.account(await business.user('approved'), { source: { currency: 'mxn' } })
    for (const [cents, outcome, status] of [
      ['01', 'completed', 'completed'],
      ['02', 'in_review', 'in_review'],
      ['03', 'scheduled', 'completed'],
      ['04', 'refunded', 'refunded'],
      ['05', 'refund_failed', 'failed'],
      ['06', 'microdeposit', 'microdeposit'],
    ] as const)
      await business.deposit(id, { amount: `1000.${cents}`, outcome }, status)
    const page = await console.open('/')
    await page.getByText('3,000.06').first().waitFor()
    const operator = await console.open(`/operator/businesses/${business.id}`, { as: 'operator' })
    await operator.getByText('3,000.06').waitFor()
    for (const each of [page, operator]) each.assertClean()
  })
})
