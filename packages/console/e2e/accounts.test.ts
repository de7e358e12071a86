// The pages of accounts in a real browser: find one, read how to pay in, change where it goes, stop it, open another.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { boxOf } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone } from './console-world.ts'
import { ethereumWallet, type MoneyWorld, moneyWorld } from './money-world.ts'

describe('accounts', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let money: MoneyWorld
  before(async () => {
    console = await consoleWorld({ DESTINATION_CHANGE_DELAY_MINUTES: '60' })
    money = await moneyWorld(console)
  })
  after(() => console.stop())

  const rowsOf = (page: ConsolePage) => page.locator('tbody tr')
  const shows = (page: ConsolePage, count: number) =>
    until(`${count} rows`, async () => (await rowsOf(page).count()) === count)
  const read = async (id: string) => (await console.world.business.call('GET', `/v0/virtual-accounts/${id}`)).body.data

  test('the list is filtered by state, currency, label and waiting change, which the address keeps', async () => {
    const page = await console.open('/accounts')
    await page.getByRole('cell', { name: 'Deactivated' }).waitFor()
    assert.equal(await rowsOf(page).count(), 4)
    await page.getByLabel('Destination change pending').check()
    await page.waitForURL('**/accounts?destinationChange=waiting')
    await shows(page, 1)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Currency').selectOption('usd')
    await shows(page, 2)
    await page.getByLabel('Status').selectOption('active')
    await shows(page, 1)
    await page.reload()
    await page.getByRole('link', { name: money.user }).click()
    await page.getByRole('heading', { name: `USD account of ${money.user}` }).waitFor()
    await page.goto('/console/accounts?status=lost&cursor=')
    await page.getByRole('searchbox').fill('plan=gold')
    await page.waitForURL((url) => url.search.includes('label=plan%3Dgold'))
    await shows(page, 1)
    page.assertClean()
  })

  test('the bank details of each rail are shown, each to copy, and on paper alone', async () => {
    const page = await console.open(`/accounts/${money.dollars}`)
    const account = await read(money.dollars)
    const details = page.getByRole('region', { name: 'ACH details' })
    await details.getByText(account.bankAccountNumber).waitFor()
    await page.getByText('Minimum deposit, including your fee').waitFor()
    assert.equal(await page.getByText('are not converted').count(), 0)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy account number' }).click()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), account.bankAccountNumber)
    await page.getByRole('button', { name: 'Wire', exact: true }).click()
    await page.getByRole('region', { name: 'Wire details' }).getByText(account.bankRoutingNumber).waitFor()
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByRole('navigation', { name: 'Main' }).isVisible(), false)
    assert.equal(await page.getByRole('heading', { name: 'Payout destination' }).isVisible(), false)
    const paper = await boxOf(page.getByRole('region', { name: 'Wire details' }))
    assert.ok(paper.width > 800, 'the details are as wide as the paper')
    await page.emulateMedia({ media: null })
    page.assertClean()
  })

  test('a new destination is compared before it is sent, waits for its time, and can be dropped', async () => {
    const page = await console.open(`/accounts/${money.dollars}`)
    await page.getByRole('button', { name: 'Change destination' }).click()
    await page.getByLabel('Blockchain').selectOption('ethereum')
    await page.getByLabel('Wallet address').fill('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Change destination' }).click()
    await page.getByText('EIP-55 checksum').first().waitFor()
    page.faults.length = 0 // the browser notes the refusal
    await page.getByLabel('Wallet address').fill(ethereumWallet.address)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Change destination' }).click()
    const waiting = page.getByRole('region', { name: 'Pending destination change' })
    await waiting.locator(`[data-address="${ethereumWallet.address}"]`).waitFor()
    assert.equal((await read(money.dollars)).pendingDestination.address, ethereumWallet.address)
    await page.getByRole('button', { name: 'Cancel change' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel change' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await waiting.waitFor({ state: 'detached' })
    assert.equal((await read(money.dollars)).pendingDestination, undefined)
    await page.getByText('Destination change canceled', { exact: true }).waitFor()
    page.assertClean()
  })

  test('labels are edited; an account is stopped and taken up again', async () => {
    const page = await console.open(`/accounts/${money.closed}`, phone)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Key 1').fill('plan')
    await page.getByLabel('Value 1').fill('silver')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'plan=silver' }).waitFor()
    await page.getByText('Metadata changed').waitFor()
    await page.getByRole('button', { name: 'Reactivate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reactivate' }).click()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    assert.equal((await read(money.closed)).status, 'active')
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('button', { name: 'Reactivate' }).waitFor()
    assert.deepEqual((await read(money.closed)).metadata, { plan: 'silver' })
    page.assertClean()
  })

  test('a suspended account shows why, and the former bank details; its destination cannot be changed', async () => {
    const person = await console.world.business.user('approved')
    const { id = '' } = await console.world.business.account(person)
    const former = (await read(id)).bankAccountNumber
    const [upstream] = await console.world.provider.accountsOf(person)
    await console.world.provider.control('POST', `/virtual_accounts/${upstream?.id}/move`)
    await until('the new details', async () => (await read(id)).bankAccountNumber !== former)
    const page = await console.open(`/accounts/${id}`)
    await page.getByRole('button', { name: 'Change destination' }).waitFor()
    await page.getByText('The provider changed the bank details').waitFor()
    const decision = { externalUserId: person, decision: 'pause' }
    await console.world.business.call('POST', '/v0/sandbox/kyc-decisions', decision)
    const notice = page.getByRole('region', { name: 'Suspension' })
    await notice.getByText('The provider has paused the end-user.').waitFor()
    await notice.getByText('Ask payers to wait').waitFor()
    const next = await notice.getByRole('link', { name: 'View the end-user’s next action' }).getAttribute('href')
    assert.match(next ?? '', new RegExp(`/end-users/${person}$`))
    await page.getByText('No bank details').waitFor()
    for (const words of ['The provider has paused the end-user.', 'cannot receive deposits'])
      assert.equal(await page.getByText(words).count(), 1, `“${words}” is said once`)
    const topOf = async (name: string) => (await boxOf(page.getByRole('heading', { name, exact: true }))).y
    assert.ok((await topOf('Deposits')) < (await topOf('Metadata')), 'no hole below the deposit instructions')
    assert.equal(await page.getByRole('button', { name: 'Change destination' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Deactivate' }).count(), 1)
    await page.locator('summary').click()
    await page.getByText(former).first().waitFor()
    await page.goto('/console/accounts?status=suspended')
    await shows(page, 1)
    page.assertClean()
  })

  test('an account is opened for an end-user, and what the server refuses stands at its field', async () => {
    const page = await console.open('/accounts')
    await page.getByRole('button', { name: 'Open account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('End-user', { exact: true }).fill(money.user)
    await dialog.getByLabel('Deposit currency').selectOption('eur')
    await dialog.getByLabel('Blockchain').selectOption('stellar')
    await dialog.getByLabel('Memo (optional)').waitFor()
    await dialog.getByLabel('Blockchain').selectOption('base')
    await dialog.getByLabel('Wallet address').fill('0x5aAe')
    await dialog.getByRole('button', { name: 'Open account' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.equal(await dialog.getByLabel('Wallet address').getAttribute('aria-invalid'), 'true')
    page.faults.length = 0
    await dialog.getByLabel('Wallet address').fill(ethereumWallet.address)
    await dialog.getByRole('button', { name: 'Open account' }).click()
    await page.getByRole('heading', { name: `EUR account of ${money.user}` }).waitFor()
    page.assertClean()
  })

  test('who may only read sees no control that writes', async () => {
    const { url } = (
      await console.world.business.call('POST', '/v0/console-links', { scopes: ['virtual_accounts:read'] })
    ).body.data
    const page = await console.open(`/link${new URL(url).hash}`, { as: null })
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto(`/console/accounts/${money.dollars}`)
    await page.getByRole('heading', { name: 'Deposit instructions' }).waitFor()
    for (const name of ['Change destination', 'Deactivate', 'Edit'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    await page.goto('/console/accounts')
    await rowsOf(page).first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Open account' }).count(), 0)
    await page.context().close()
  })

  test('in the sandbox an account is paid into from its page', async () => {
    const page = await console.open(`/accounts/${money.dollars}`)
    await page.getByRole('button', { name: 'Simulate deposit' }).click()
    await page.getByLabel('Amount, USD').fill('321.00')
    await page.getByLabel('Outcome').selectOption('In review')
    await page.getByRole('button', { name: 'Send deposit' }).click()
    await page.getByText('Test deposit sent.').waitFor()
    await page.getByRole('row').filter({ hasText: '321.00' }).getByText('In review').waitFor()
    page.assertClean()
  })
})
