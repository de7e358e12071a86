// One way through the whole console, as somebody goes it on the first day: from the first sign-in to a business that is suspended.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { flushRequests } from '../../server/src/businesses/requests/service.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, openNavigation } from './console-world.ts'

const wallet = '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE'

describe('the first day', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let page: ConsolePage
  let support: ConsolePage
  before(async () => {
    console = await consoleWorld()
    page = await console.open('/', { key: console.world.business.apiKey })
    page.setDefaultTimeout(15_000)
  })
  after(() => console.stop())

  const go = async (name: string) => await (await openNavigation(page)).getByRole('link', { name }).click()
  const makePerson = async (outcome: string) => {
    await go('Sandbox')
    const person = page.getByRole('form', { name: 'Create test end-user' })
    await person.getByLabel('Outcome').selectOption(outcome)
    await person.getByLabel('End-user ID', { exact: true }).fill('ada')
    if (outcome === 'Approved') await person.getByLabel('Open account in').selectOption('No account')
    await person.getByRole('button', { name: 'Create test end-user' }).click()
    await person.getByRole('status').getByText(outcome, { exact: true }).waitFor()
  }

  test('sign in, invent an end-user, see KYC fail and be corrected', async () => {
    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    await makePerson('Rejected')
    support = await console.open('/end-users/ada')
    await support.getByText('Rejection reasons').waitFor()
    await makePerson('Approved')
    // The other page updates automatically.
    await support.getByText('KYC: approved').waitFor()
    await support.getByText('No action needed').waitFor()
    support.assertClean()
  })

  test('open an account, pay in, follow the deposit', async () => {
    page.faults.length = 0 // the browser notes the 409 of the end-user that was there
    await go('Accounts')
    await page.getByRole('button', { name: 'Open account' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('End-user', { exact: true }).fill('ada')
    await dialog.getByLabel('Deposit currency').selectOption('usd')
    await dialog.getByLabel('Blockchain').selectOption('solana')
    await dialog.getByLabel('Wallet address').fill(wallet)
    await dialog.getByRole('button', { name: 'Open account' }).click()
    await page.getByRole('heading', { name: 'USD account of ada' }).waitFor()
    await go('Sandbox')
    await page.getByLabel(/Response of the inbox/).selectOption('Returns 500: Causeway retries')
    const deposit = page.getByRole('form', { name: 'Simulate deposit' })
    await deposit.getByLabel('Amount, USD').fill('250.00')
    await deposit.getByRole('button', { name: 'Simulate deposit' }).click()
    await deposit.getByRole('link', { name: 'the deposit' }).click()
    await page.getByRole('heading', { name: /250\.00 USD/ }).waitFor()
    await page.getByText('Completed', { exact: true }).first().waitFor()
  })

  test('see the webhook fail, read why, send it again, replay the day, rotate the secret', async () => {
    await go('Webhooks')
    await page.getByRole('link', { name: /inbox/ }).first().click()
    await page.getByLabel('Status').selectOption({ label: 'Retrying' })
    await page.getByRole('table', { name: 'Deliveries' }).locator('tbody a').first().click()
    await page.getByText('Attempt 1', { exact: true }).waitFor()
    await page.getByText('http_500').or(page.getByText('500')).first().waitFor()
    const delivery = page.url()
    await go('Sandbox')
    const saved = page.waitForResponse(
      (response) => response.request().method() !== 'GET' && response.url().includes('/v0/sandbox/'),
    )
    await page.getByLabel(/Response of the inbox/).selectOption({ index: 0 })
    await saved
    await page.goto(delivery)
    await page.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('Delivered', { exact: true }).first().waitFor()
    await go('Webhooks')
    await page.getByRole('link', { name: /inbox/ }).first().click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Replay a time range…' }).click()
    await page.getByLabel('Events to replay').selectOption('all')
    await page.getByRole('button', { name: 'Start replay' }).click()
    await page.getByText('100% scanned').waitFor()
    await go('Webhooks')
    await page.getByRole('link', { name: /inbox/ }).first().click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret…' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByLabel('I have stored the signing secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('valid until').waitFor()
  })

  test('roll the key, and find an own request by its id', async () => {
    const refused = await console.world.business.call('GET', '/v0/end-users/nobody')
    await flushRequests(console.world.inside) // the page reads once, and the log is up to a second behind
    await go('Developers')
    await page.getByRole('row').filter({ hasText: 'First key' }).getByRole('button', { name: 'Roll' }).click()
    await page.getByRole('button', { name: 'Roll key' }).click()
    const key = (await page.locator('[data-secret]').textContent()) ?? ''
    assert.equal((await console.world.business.call('GET', '/v0/whoami', undefined, { key })).status, 200)
    await page.getByLabel('I have stored the key').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await go('Requests')
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Request ID').fill(refused.headers.get('x-request-id') ?? '')
    await page.getByText('holder_not_found').waitFor()
    page.assertClean()
  })

  test('as the operator, suspend the business: its pages end at the next request', async () => {
    const operator = await console.open('/operator/businesses', { as: 'operator' })
    await operator
      .getByRole('table', { name: /^Businesses/ })
      .getByRole('link')
      .first()
      .click()
    await operator.getByRole('button', { name: 'Suspend' }).click()
    await operator.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await operator.getByText('Suspended', { exact: true }).first().waitFor()
    operator.assertClean()
    await go('End-users')
    await page.getByRole('alert').getByText('business_suspended').waitFor()
  })
})
