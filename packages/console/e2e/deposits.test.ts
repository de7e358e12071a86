// The pages of deposits in a real browser: find one, follow its amounts, take it away as CSV, close a day.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { day, differences, storeDay } from '../../server/test/completed-deposits.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone } from './console-world.ts'
import { type MoneyWorld, moneyWorld } from './money-world.ts'

describe('deposits', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let money: MoneyWorld
  before(async () => {
    console = await consoleWorld()
    money = await moneyWorld(console)
  })
  after(() => console.stop())

  const read = async (id: string) => (await console.world.business.call('GET', `/v0/deposits/${id}`)).body.data
  const shows = (page: ConsolePage, count: number) =>
    until(`${count} rows`, async () => (await page.locator('tbody tr').count()) === count)

  test('a deposit is found by state, currency, days and a whole reference, and the filters stay after a reload', async () => {
    const page = await console.open('/deposits')
    await shows(page, 3)
    await page.getByLabel('Status').selectOption('in_review')
    await shows(page, 1)
    await page.getByLabel('Currency').selectOption('usd')
    await page.getByText('No matching deposits').waitFor()
    await page.reload()
    await page.getByText('No matching deposits').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    const today = new Date().toISOString().slice(0, 10)
    await page.getByLabel('Days').selectOption('Today (UTC)')
    await page.waitForURL(`**/deposits?from=${today}`)
    await shows(page, 3)
    await page.getByLabel('Days').selectOption('From – to (UTC)')
    await page.getByLabel('To', { exact: true }).fill(today)
    await page.waitForURL(`**/deposits?from=${today}&to=${today}`)
    await shows(page, 3)
    await page.getByLabel('From').fill('2020-01-01')
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByText('No matching deposits').waitFor()
    await page.goto('/console/deposits?status=lost')
    await shows(page, 3)
    await page.getByRole('searchbox').fill((await read(money.completed)).providerDepositId)
    await shows(page, 1)
    await page.getByRole('link', { name: '1,000.00' }).click()
    await page.getByRole('heading', { name: '1,000.00 USD from Charles Babbage' }).waitFor()
    page.assertClean()
  })

  test('its amounts lead from what was paid in to what was sent on, each in its own currency', async () => {
    const page = await console.open(`/deposits/${money.completed}`)
    const { grossAmount, subtotalAmount, netAmount, destinationTxHash } = await read(money.completed)
    for (const [name, { currency, value }] of [
      ['Received', grossAmount],
      ['Converted', subtotalAmount],
      ['Paid out', netAmount],
    ] as const) {
      const row = page.getByRole('row', { name })
      const text = (await row.innerText()).replaceAll(',', '')
      assert.ok(text.includes(value) && text.toLowerCase().includes(currency), text)
    }
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the transaction hash' }).click()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), destinationTxHash)
    const steps = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Activity' }) })
    const texts = (await steps.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0] ?? '')
    for (const [at, step] of ['Payout confirmed', 'Payout submitted', 'Funds received'].entries())
      assert.match(texts[at] ?? '', at === 2 ? /^Funds received$/ : new RegExp(`^${step} ?after \\d+ m?s`))
    page.assertClean()
  })

  test('a deposit names its wallet, its sandbox transaction has no explorer, and each delivery names its endpoint', async () => {
    const page = await console.open(`/deposits/${money.completed}`)
    const { virtualAccountId, destinationTxHash } = await read(money.completed)
    const account = (await console.world.business.call('GET', `/v0/virtual-accounts/${virtualAccountId}`)).body.data
    await page.locator(`[data-address="${account.destinationAddress}"]`).waitFor()
    await page.getByText(destinationTxHash).waitFor()
    await page.getByText('Sandbox transaction: not on the blockchain.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'View in explorer' }).count(), 0)
    const events = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Events and deliveries' }) })
    await events.getByRole('link', { name: 'virtual_account.payment.received' }).waitFor()
    await events.getByRole('link', { name: 'virtual_account.activity.created' }).first().waitFor()
    const [endpoint] = (await console.world.business.call('GET', '/v0/webhook-endpoints')).body.data
    const name = `Delivered ${endpoint.description ?? new URL(endpoint.webhookUrl).host}`
    await events.getByRole('link', { name, exact: true }).first().click()
    await page.getByRole('heading', { name: /^Delivery of virtual_account/ }).waitFor()
    await page.getByText('Event received').waitFor()
    await page.getByText(/^Attempt 1: 200 in \d+ ms/).waitFor()
    await page.goto(`/console/deposits/${money.inReview}`)
    for (const name of ['Pay out', 'Refund', 'Refund, which then fails'])
      await page.getByRole('button', { name, exact: true }).waitFor()
    page.assertClean()
  })

  test('the details of every object are in one order: status, amounts, people, times, and IDs to copy', async () => {
    const { call } = console.world.business
    const [endpoint] = (await call('GET', '/v0/webhook-endpoints')).body.data
    const [delivery] = (await call('GET', '/v0/deliveries?limit=1')).body.data
    for (const [path, status, ...others] of [
      [`/deposits/${money.completed}`, 'Status', 'Received', 'End-user', 'Created', 'Deposit ID'],
      [`/accounts/${money.dollars}`, 'Status', 'Deposit currency', 'End-user', 'Created', 'Account ID'],
      [`/end-users/${money.user}`, 'KYC', 'Type', 'Email', 'Created', 'End-user ID'],
      [`/webhooks/${endpoint.id}`, 'Status', 'Events', 'Created', 'Endpoint ID'],
      [`/webhooks/deliveries/${delivery.id}`, 'Status', 'Sequence number', 'Event', 'Created', 'Delivery ID'],
    ] as const) {
      const page = await console.open(path)
      const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Details', exact: true }) })
      await card.getByText(status, { exact: true }).waitFor()
      const names = await card.locator('dt').allInnerTexts()
      assert.equal(names[0], status, path)
      assert.deepEqual(
        names.filter((name) => others.some((other) => other === name)),
        others,
        path,
      )
      const from = names.findIndex((name) => name.endsWith(' ID'))
      assert.equal(await card.getByRole('button', { name: /^Copy the / }).count(), names.length - from, path)
      page.assertClean()
    }
  })

  test('a deposit that was sent back says why, on a phone too', async () => {
    const page = await console.open(`/deposits/${money.refunded}`, phone)
    const refund = page.getByRole('region', { name: 'Refund' })
    await refund.getByText('Refund reason').waitFor()
    await refund.getByText('75.25').waitFor()
    const [inner, outer] = [await page.evaluate('document.documentElement.scrollWidth'), phone.viewport.width]
    assert.equal(inner, outer)
    page.assertClean()
  })

  test('the list as filtered, and the report of a day, are saved as CSV page after page', async () => {
    const page = await console.open('/deposits?status=completed')
    await shows(page, 1)
    const saved = async (): Promise<string> => {
      const coming = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export CSV' }).click()
      return await readFile(await (await coming).path(), 'utf8')
    }
    const file = await saved()
    assert.match(file, /^\uFEFFid,createdAt,/)
    // Excel would round a trace number; an amount stays a number.
    const { references, grossAmount } = await read(money.completed)
    assert.match(references.traceNumber, /^\d+$/)
    assert.ok(file.includes(`,"=""${references.traceNumber}""",`), file)
    assert.ok(file.includes(`,${grossAmount.value},`), file)
    assert.deepEqual([file.includes(money.completed), file.trimEnd().split('\r\n').length], [true, 2])
    await page.getByRole('link', { name: 'Reconciliation report' }).click()
    await page.getByText('Reconciled').first().waitFor()
    assert.match(await page.getByRole('region', { name: 'Amounts received' }).innerText(), /1,000\.00/)
    assert.match(await saved(), /,difference,differenceAmount\r\n/)
    await page.getByRole('button', { name: 'Previous day' }).click()
    await page.getByText('No deposits completed on this day').waitFor()
    page.assertClean()
  })

  test('what does not add up on a day is named, with what is left over', async () => {
    const ids = await storeDay(console.world, money.dollars)
    const page = await console.open(`/deposits/report?day=${day}`)
    const panel = page.getByRole('region', { name: 'Discrepancies' })
    await panel.getByRole('heading', { name: '3 deposits do not balance' }).waitFor()
    const lines = await panel.getByRole('listitem').allInnerTexts()
    for (const [at, { code, amount }] of differences.flatMap((one, nth) => (one ? [[nth, one] as const] : []))) {
      const line = lines.find((text) => text.includes(ids[at] ?? ''))
      assert.ok(line?.includes(amount.value) && /unknown|differs/i.test(line), `${code}: ${line}`)
    }
    assert.match(await page.getByRole('region', { name: 'Amounts received' }).innerText(), /MXN/i)
    await panel.getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Amounts' }).waitFor()
    page.assertClean()
  })

  test('a deposit that is not there is not found, with what to quote', async () => {
    const page = await console.open('/deposits/dep_none')
    await page.getByRole('alert').getByText('deposit_not_found').waitFor()
  })

  test('in the sandbox a deposit in review is paid out from its page', async () => {
    const { id } = await console.world.business.deposit(
      money.dollars,
      { amount: '12.00', outcome: 'in_review' },
      'in_review',
    )
    const page = await console.open(`/deposits/${id}`)
    await page.getByRole('button', { name: 'Pay out', exact: true }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Completed').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Pay out', exact: true }).count(), 0)
    page.assertClean()
  })
})
