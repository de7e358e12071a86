// The settings of staff sign-in, by the business and by the operator, with an issuer that responds.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { startTestIssuer, type TestIssuer } from '../../server/test/sign-in/test-issuer.ts'
import { staffOf } from '../../server/test/staff.ts'
import { type ConsoleWorld, consoleWorld, phone, settled } from './console-world.ts'

describe('settings of staff sign-in', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let issuer: TestIssuer
  before(async () => {
    issuer = await startTestIssuer()
    console = await consoleWorld()
  })
  after(async () => {
    await console.stop()
    await issuer[Symbol.asyncDispose]()
  })

  const own = async () => (await console.world.business.call('GET', '/v0/sign-in')).body.data

  test('an administrator sets it up, changes it, and removes it', async () => {
    const page = await console.open('/developers/staff')
    await page.getByRole('button', { name: 'Set up staff sign-in' }).click()
    const dialog = page.getByRole('dialog')
    const uri = `/console/sign-in/callback/${console.world.business.id}`
    await dialog.getByText(uri).waitFor()
    await dialog.getByLabel('Issuer').fill('http://127.0.0.1:1')
    await dialog.getByLabel('Client ID').fill('causeway')
    await dialog.getByLabel('Client secret').fill('the secret')
    await dialog.getByLabel('Value 1 of the claim').fill('ops')
    await dialog.getByRole('button', { name: 'Add value' }).click()
    await dialog.getByLabel('Value 2 of the claim').fill('ops')
    await dialog.getByText('The value ops is in two rows.').waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled())
    await dialog.getByLabel('Value 2 of the claim').fill('help')
    await dialog.getByLabel('Role of value 2').selectOption('finance')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('sign_in_issuer_unreachable').waitFor() // what was typed is kept
    page.faults.length = 0 // the browser notes the status
    await dialog.getByLabel('Issuer').fill(issuer.url)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Staff sign-in' }) })
    await card.getByText(uri).waitFor()
    await card.getByText('Stored', { exact: true }).waitFor()
    assert.deepEqual((await own()).roles, { claim: 'groups', values: { ops: 'admin', help: 'finance' } })
    await card.getByRole('button', { name: 'Edit' }).click()
    assert.equal(await dialog.getByLabel('Client secret').inputValue(), '')
    await dialog.getByRole('button', { name: 'Remove value 2' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await own()).hasClientSecret, true, 'an empty field keeps the secret')
    assert.deepEqual((await own()).roles.values, { ops: 'admin' })
    await card.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Delete the stored secret (public client)').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await card.getByText('None (public client)').waitFor()
    await card.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove staff sign-in' }).click()
    await card.getByText('Staff sign-in is not set up').waitFor()
    page.assertClean()
  })

  test('another issuer or client warns that staff are signed out', async () => {
    const roles = { claim: 'groups', values: { ops: 'admin' } }
    await console.world.business.call('PUT', '/v0/sign-in', { issuer: issuer.url, clientId: 'causeway', roles })
    const page = await console.open('/developers/staff')
    await page.getByRole('button', { name: 'Edit' }).click()
    const warning = page.getByRole('dialog').getByText('signs out all staff')
    assert.equal(await warning.count(), 0)
    await page.getByLabel('Client ID').fill('another')
    await warning.waitFor()
    page.assertClean()
  })

  test('a developer reads the settings, and cannot change them', async () => {
    const { cookie } = await staffOf(console.world, { businessId: console.world.business.id, roles: ['developer'] })
    const page = await console.open('/developers/staff', { cookie, as: null })
    await page.getByText('Redirect URI', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Edit|Remove|Set up)/ }).count(), 0)
    page.assertClean()
    await page.context().close()
  })

  test('the operator sets it up for a business', async () => {
    const { id } = await console.world.otherBusiness('Contoso')
    const page = await console.open(`/operator/businesses/${id}`, { as: 'operator' })
    await page.getByRole('link', { name: 'Staff sign-in' }).click()
    await page.getByRole('button', { name: 'Set up staff sign-in' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Issuer').fill(issuer.url)
    await dialog.getByLabel('Client ID').fill('causeway')
    await dialog.getByLabel('Value 1 of the claim').fill('ops')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(`/console/sign-in/${id}`).first().waitFor()
    page.faults.length = 0 // the browser notes the 404 of settings that were not set
  })

  test('a phone shows the form and its rows', async () => {
    const page = await console.open('/developers/staff', phone)
    await settled(page)
    await page.getByRole('button', { name: /^(Edit|Set up staff sign-in)$/ }).tap()
    await page.getByRole('dialog').getByRole('button', { name: 'Add value' }).tap()
    const [inner, outer] = await page.evaluate<[number, number]>(
      `[document.querySelector('[role=dialog]').scrollWidth, document.querySelector('[role=dialog]').clientWidth]`,
    )
    assert.ok(inner <= outer, `${inner} > ${outer}`)
    page.assertClean()
  })
})
