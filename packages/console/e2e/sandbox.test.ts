// The sandbox page in a real browser: a person and a deposit are made, the clock moves, the provider breaks, an inbox fails.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone, settled } from './console-world.ts'

describe('the sandbox', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let page: ConsolePage
  before(async () => {
    console = await consoleWorld()
    page = await console.open('/sandbox')
  })
  after(() => console.stop())

  test('one click makes an approved person with an account, and a deposit into it is held and paid out', async () => {
    const person = page.getByRole('form', { name: 'Create test end-user' })
    await person.getByLabel('End-user ID', { exact: true }).fill('grace')
    await person.getByRole('button', { name: 'Create test end-user' }).click()
    await person.getByText('Approved', { exact: true }).last().waitFor()
    await person.getByRole('link', { name: 'Simulate a deposit to the new account' }).click()
    const deposit = page.getByRole('form', { name: 'Simulate deposit' })
    await deposit.getByLabel('Outcome').selectOption('Determined by the cents of the amount')
    await deposit.getByLabel('Amount, USD').fill('12.42')
    await deposit.getByLabel('Reference').fill('rent')
    await deposit.getByRole('button', { name: 'Simulate deposit' }).click()
    await deposit.getByRole('link', { name: 'the deposit' }).waitFor()
    const waiting = page.getByRole('region', { name: 'Deposits in progress' })
    await waiting.getByRole('button', { name: 'Pay out' }).click()
    await waiting.waitFor({ state: 'detached' })
    const { data } = (await console.world.business.call('GET', '/v0/deposits')).body
    assert.deepEqual(
      data.map(({ externalUserId, grossAmount }: Record<string, unknown>) => [externalUserId, grossAmount]),
      [['grace', { value: '12.42', currency: 'usd' }]],
    )
  })

  test('the levers are in groups, those that are needed most first', async () => {
    const groups = await page.locator('main h2').allInnerTexts()
    assert.deepEqual(
      groups.filter((name) => !name.startsWith('Webhook inbox')),
      ['People', 'Deposits', 'Clock and provider errors', 'Reset'],
    )
    const closed = page.locator('main details:not([open]) summary')
    assert.deepEqual(await closed.allInnerTexts(), [
      'Change KYC status',
      'Information requests',
      'Simulated provider errors',
    ])
  })

  test('a company is approved, and one is asked for its owners', async () => {
    const person = page.getByRole('form', { name: 'Create test end-user' })
    for (const [outcome, name, verdict] of [
      ['Company: approved', 'engines', 'Approved'],
      ['Company: owners are required', 'looms', 'Action required'],
    ] as const) {
      await person.getByLabel('Outcome').selectOption(outcome)
      await person.getByLabel('End-user ID', { exact: true }).fill(name)
      await person.getByRole('button', { name: 'Create test end-user' }).click()
      await person.getByRole('link', { name }).waitFor()
      await person.getByText(verdict, { exact: true }).last().waitFor()
    }
    page.assertClean()
  })

  test('a person who is rejected, and a verdict by hand', async () => {
    const person = page.getByRole('form', { name: 'Create test end-user' })
    await person.getByLabel('Outcome').selectOption('Rejected')
    await person.getByLabel('End-user ID', { exact: true }).fill('charles')
    await person.getByRole('button', { name: 'Create test end-user' }).click()
    await person.getByText('Rejected', { exact: true }).last().waitFor()
    const ruling = page.getByRole('form', { name: 'Change KYC status' })
    assert.equal(await ruling.isVisible(), false, 'what is needed seldom is closed')
    await page.getByRole('heading', { name: 'Change KYC status' }).click()
    await ruling.getByLabel('End-user to change').fill('nobody')
    await ruling.getByRole('button', { name: 'Apply decision' }).click()
    await ruling.getByRole('alert').getByText('holder_not_found').waitFor()
    await ruling.getByLabel('End-user to change').fill('charles')
    await ruling.getByRole('button', { name: 'Apply decision' }).click()
    await ruling.getByRole('link', { name: 'charles' }).waitFor()
    page.faults.length = 0 // the browser notes the 404
  })

  test('the accounts to simulate a deposit to are found by their end-user', async () => {
    const user = page.getByLabel('Filter accounts by end-user')
    await user.fill('charles')
    await page.getByText('No active account of this end-user').waitFor()
    await user.fill('grace')
    const choices = page.getByRole('form', { name: 'Simulate deposit' }).getByLabel('Account', { exact: true })
    assert.match(await choices.innerText(), /^grace · USD · …\w{6}$/)
    await user.fill('')
  })

  test('the clock moves, faults are ordered and ended, and the inbox answers as it is told', async () => {
    await page.getByRole('button', { name: '1 day' }).click()
    await page.getByText('1 day ahead of real time').waitFor()
    await page.getByRole('heading', { name: 'Simulated provider errors' }).click()
    const faults = page.getByRole('form', { name: 'Add error' })
    await faults.getByLabel('Requests', { exact: true }).selectOption('Terms links')
    await faults.getByRole('button', { name: 'Add error' }).click()
    await page.getByText('1 left').waitFor()
    await page.getByText('Simulated provider errors are active.').waitFor()
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByText('No simulated errors.').waitFor()
    await page.getByRole('button', { name: 'Fail the next 3' }).click()
    await page.getByText('The next 3 deliveries get status 500.').waitFor()
    await page.getByLabel(/Response of the inbox/).selectOption('Returns 410: Causeway disables the endpoint')
    await page.getByText('The next 3 deliveries').waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'virtual_account.created' }).first().waitFor()
    page.assertClean()
  })

  test('an information request is opened about an end-user, responded to and closed', async () => {
    await page.getByRole('heading', { name: 'Information requests' }).click()
    const form = page.getByRole('form', { name: 'Open information request' })
    await form.getByLabel('About the end-user').fill('charles')
    await form.getByRole('button', { name: 'Open request' }).click()
    const request = page.getByRole('listitem').filter({ hasText: 'ireq_' })
    await request.getByRole('button', { name: 'Respond' }).click()
    await request.getByText('In review').waitFor()
    await request.getByRole('button', { name: 'Close' }).click()
    await request.waitFor({ state: 'detached' })
    page.assertClean()
  })

  test('a phone scrolls down and never sideways, and a reset asks first', async () => {
    const small = await console.open('/sandbox', phone)
    await small.getByRole('row').first().waitFor()
    await settled(small)
    const [inner, outer] = await small.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]')
    assert.ok(inner <= outer, `${inner} > ${outer}`)
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('button', { name: 'Delete all end-users' }).click()
    await page.getByText('No active account yet').waitFor()
    assert.deepEqual((await console.world.business.call('GET', '/v0/end-users')).body.data, [])
    page.assertClean()
  })
})
