// The command menu and the list of keys, by the keyboard alone.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { flushRequests } from '../../server/src/businesses/requests/service.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone } from './console-world.ts'
import { type MoneyWorld, moneyWorld } from './money-world.ts'

describe('the command menu', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let page: ConsolePage
  let money: MoneyWorld
  before(async () => {
    console = await consoleWorld()
    money = await moneyWorld(console)
    page = await console.open('/')
    page.setDefaultTimeout(15_000)
  })
  after(() => console.stop())

  const menu = () => page.getByRole('dialog', { name: 'Search and commands' })
  const choose = async (text: string, option: string | RegExp) => {
    await page.keyboard.press('Control+k')
    await menu().waitFor()
    await page.keyboard.type(text)
    await menu().getByRole('option', { name: option }).first().waitFor()
    assert.equal(await menu().getByRole('option', { name: option }).first().getAttribute('aria-selected'), 'true')
    await page.keyboard.press('Enter')
    await menu().waitFor({ state: 'detached' })
  }
  const read = async (path: string) => (await console.world.business.call('GET', path)).body.data

  test('finds an object by what somebody has at hand, and leads to it', async () => {
    const deposit = await read(`/v0/deposits/${money.completed}`)
    const user = await read(`/v0/end-users/${money.user}`)
    const [event] = await read('/v0/events?limit=1')
    for (const [text, path] of [
      [money.user, `/end-users/${money.user}`],
      [user.id, `/end-users/${money.user}`],
      [money.dollars, `/accounts/${money.dollars}`],
      [money.completed, `/deposits/${money.completed}`],
      [deposit.destinationTxHash, `/deposits/${money.completed}`],
      [deposit.references.traceNumber, `/deposits/${money.completed}`],
      [event.id, `/events/${event.id}`],
    ]) {
      await choose(text, /^(End-user|Account|Deposit|Event) /)
      await page.waitForURL(`**/console${path}`)
    }
    const { headers } = await console.world.business.call('GET', '/v0/whoami')
    await flushRequests(console.world.inside)
    await choose(headers.get('x-request-id') ?? '', 'Request GET /v0/whoami')
    await page.waitForURL('**/developers/requests/req_*')
    page.assertClean()
  })

  test('leads to pages, and opens what creates something; Escape closes it, also behind a reload', async () => {
    await choose('audit', 'Audit log')
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    for (const [text, dialog] of [
      ['create end', 'Create end-user'],
      ['open acc', 'Open account'],
      ['create endpoint', 'Create endpoint'],
      ['api key', 'Create API key'],
      ['console link', 'Create console link'],
    ] as const) {
      await choose(text, dialog)
      await page.getByRole('dialog', { name: dialog }).waitFor()
      assert.equal(await page.getByRole('dialog').count(), 1)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      assert.equal(new URL(page.url()).hash, '')
    }
    page.assertClean()
  })

  test('what is not there is said, and a refusal is shown', async () => {
    await page.keyboard.press('Control+k')
    await menu().waitFor()
    await page.keyboard.type('va_00000000000000000000000000')
    await menu().getByText('No matching objects').waitFor()
    await page.keyboard.press('Escape')
    await menu().waitFor({ state: 'detached' })
    page.faults.length = 0 // the browser notes the 404
  })

  test('the search button opens it too; ? shows the keys', async () => {
    await page
      .getByRole('button', { name: /^Search/ })
      .filter({ visible: true })
      .click()
    await menu().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.getByText('Go to Deposits').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.getByRole('heading', { level: 1, name: 'Deposits' }).waitFor()
    const small = await console.open('/', phone)
    await small.getByRole('button', { name: 'Search', exact: true }).click()
    await small.getByRole('dialog', { name: 'Search and commands' }).waitFor()
    small.assertClean()
    page.assertClean()
  })

  test('the operator finds a business by its name and its ID', async () => {
    const operator = await console.open('/operator', { as: 'operator' })
    for (const text of ['My business', console.world.business.id]) {
      await operator.keyboard.press('Control+k')
      await operator.getByRole('dialog').waitFor()
      await operator.keyboard.type(text)
      await operator.getByRole('option', { name: 'Business My business' }).click()
      await operator.getByRole('heading', { level: 1, name: /My business/ }).waitFor()
    }
    operator.assertClean()
  })
})
