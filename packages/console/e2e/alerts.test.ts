// Alerts in a real browser: channels with their test, the alerts with what they are about, the log of messages; for a business and
// for the operator.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { minutePasses, retryNow, watchNow } from '../../server/test/alerts.ts'
import { dataOf, until } from '../../server/test/caller.ts'
import { openReceiver, type Receiver } from '../../server/test/receiver.ts'
import { staffOf } from '../../server/test/staff.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone, settled } from './console-world.ts'

describe('alerts', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let receiver: Receiver
  let page: ConsolePage
  before(async () => {
    receiver = await openReceiver()
    console = await consoleWorld()
    page = await console.open('/alerts')
    page.setDefaultTimeout(10_000)
  })
  after(async () => {
    await console.stop()
    await receiver[Symbol.asyncDispose]()
  })

  const call = async (method: string, path: string, body?: unknown) =>
    dataOf(await console.world.business.call(method, path, body))
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  const menuOf = async (name: string, item: string) => {
    await page.getByRole('button', { name: `More about the channel ${name}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  test('before the first channel, the pages say how alerts begin', async () => {
    await page.getByText('No alert channels yet').waitFor()
    assert.equal(await page.getByText('No open alerts').count(), 0)
    await page.goto('/console/alerts/channels')
    await page.getByText('No channels yet').waitFor()
    await page.goto('/console/alerts/messages')
    await page.getByText('No messages yet').waitFor()
    page.assertClean()
  })

  test('a webhook channel is created, its secret is shown once, and a test shows its outcome', async () => {
    await page.goto('/console/alerts')
    await page.getByRole('link', { name: 'Create channel' }).click()
    await page.waitForURL('**/alerts/channels#create')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('this deployment has no mail server').waitFor()
    assert.deepEqual(await dialog.getByLabel('Type').locator('option').allInnerTexts(), ['Slack', 'Webhook'])
    await dialog.getByLabel('Type').selectOption('Webhook')
    await dialog.getByLabel('Name').fill('Incident tool')
    await dialog.getByLabel('URL').fill(`${receiver.url}/secret-path`)
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    assert.match(await dialog.locator('[data-secret]').innerText(), /^whsec_/)
    await page.keyboard.press('Escape')
    await dialog.getByLabel('I have stored the signing secret').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.waitForURL('**/alerts/channels')
    await row('Incident tool').getByText(new URL(receiver.url).origin).waitFor()
    assert.equal(await page.getByText('secret-path').count(), 0)
    await row('Incident tool').getByRole('button', { name: 'Send test' }).click()
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByText('Sent', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click()
    assert.equal(receiver.seen.length, 1)
    page.assertClean()
  })

  test('a test that fails shows why, and another within a minute is refused', async () => {
    receiver.reply = () => 503
    const { id } = await call('POST', '/v0/alert-channels', {
      type: 'slack',
      name: 'On call',
      url: `${receiver.url}/slack`,
    })
    await page.goto('/console/alerts/channels')
    await row('On call').getByRole('button', { name: 'Send test' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByText(/The last attempt failed: .*503.* Causeway retries for 24 hours\./).waitFor()
    await page.keyboard.press('Escape')
    page.assertClean()
    await row('On call').getByRole('button', { name: 'Send test' }).click()
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByRole('alert').getByText('alert_test_limited').waitFor()
    page.faults.length = 0 // the browser notes the 429
    await page.goto('/console/alerts/channels')
    await row('On call').getByRole('link', { name: 'View messages of On call' }).click()
    await page.waitForURL(`**/alerts/messages?channelId=${id}`)
    await row('Test message').getByText('Pending', { exact: true }).waitFor()
    await row('Test message').getByText('503').waitFor()
    receiver.reply = () => 200
  })

  test('a channel is edited, paused, enabled and deleted', async () => {
    await page.goto('/console/alerts/channels')
    await menuOf('Incident tool', 'Edit…')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Incidents')
    await dialog.getByLabel('Selected kinds only').check()
    await dialog.getByLabel('Deposit in review').uncheck()
    await dialog.getByLabel('Minutes until').fill('45')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row('Incidents').getByText('9 kinds').waitFor()
    const [channel] = (await call('GET', '/v0/alert-channels')).filter(
      ({ name }: { name: string }) => name === 'Incidents',
    )
    assert.equal(channel.endpointFailingMinutes, 45)
    assert.ok(!channel.kinds.includes('deposit.in_review'))
    await menuOf('Incidents', 'Pause')
    await row('Incidents').getByText('Paused', { exact: true }).waitFor()
    await menuOf('Incidents', 'Enable')
    await row('Incidents').getByText('Enabled', { exact: true }).waitFor()
    await menuOf('Incidents', 'Delete…')
    await dialog.getByRole('button', { name: 'Delete channel' }).click()
    await row('Incidents').waitFor({ state: 'detached' })
    page.assertClean()
  })

  test('open alerts come first, lead to what they are about, and recover', async () => {
    const { rows } = console.world
    const endpoint = await call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://hooks.example.com/in' })
    await rows`update webhook_endpoints set status = 'disabled' where id = ${endpoint.id} returning 1`
    await call('POST', '/v0/api-keys', { name: 'Reports', scopes: ['events:read'] })
    await watchNow(console.world)
    await until('both alerts', async () => (await call('GET', '/v0/alerts')).length >= 2)
    await page.goto('/console/alerts')
    const open = page.getByRole('table', { name: 'Open alerts, newest first' })
    const all = page.getByRole('table', { name: 'Alerts, newest first', exact: true })
    await open.getByRole('row').filter({ hasText: 'Endpoint disabled' }).waitFor()
    await all.getByRole('row').filter({ hasText: 'Endpoint disabled' }).getByText('Open', { exact: true }).waitFor()
    assert.equal(await open.getByText('API key created').count(), 0)
    await all.getByRole('row').filter({ hasText: 'Reports' }).getByText('Occurred').waitFor()
    await page.getByLabel('Kind').selectOption('API key created')
    await page.waitForURL('**/alerts?kind=api_key.created')
    await open.waitFor({ state: 'detached' })
    await all.getByText('Endpoint disabled').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await open.getByRole('link', { name: 'hooks.example.com' }).click()
    await page.waitForURL(`**/webhooks/${endpoint.id}`)
    await rows`update webhook_endpoints set status = 'enabled' where id = ${endpoint.id} returning 1`
    await watchNow(console.world)
    await until('the recovery', async () => (await call('GET', '/v0/alerts?state=recovered')).length > 0)
    await page.goto('/console/alerts')
    await page.getByText('No open alerts.').waitFor()
    await all.getByText('Recovered', { exact: true }).filter({ visible: true }).last().waitFor()
    page.assertClean()
  })

  test('the log of messages filters by channel and state', async () => {
    const [{ id }] = await call('GET', '/v0/alert-channels')
    await minutePasses(console.world, id)
    await retryNow(console.world)
    await until('a sent message', async () => (await call('GET', '/v0/alert-messages?state=sent')).length > 0)
    await page.goto('/console/alerts/messages')
    await page.getByLabel('State').selectOption('Sent')
    await page.waitForURL('**/messages?state=sent')
    await settled(page)
    await page.getByRole('table').getByText('Pending', { exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('Channel').selectOption('On call')
    await page.waitForURL(`**/messages?*channelId=${id}*`)
    await page.getByRole('table').getByText('Sent', { exact: true }).first().waitFor()
    page.assertClean()
  })

  test('who may only read sees no actions', async () => {
    const { key } = await call('POST', '/v0/api-keys', { name: 'Reader', scopes: ['webhooks:read'] })
    const reader = await console.open('/alerts/channels', { key })
    await reader.getByRole('row').filter({ hasText: 'On call' }).waitFor()
    const changes = /^(Create|Send|More)/
    assert.equal(await reader.getByRole('main').getByRole('button', { name: changes }).count(), 0)
    reader.assertClean()
    await reader.context().close()
  })

  test('the operator has other channels, without the minutes of an endpoint', async () => {
    const operator = await console.open('/operator/alerts', { as: 'operator' })
    await operator.getByText('No alert channels yet').waitFor()
    await operator.getByRole('link', { name: 'Create channel' }).click()
    const dialog = operator.getByRole('dialog')
    await dialog.getByLabel('Type').selectOption('Slack')
    await dialog.getByLabel('Name').fill('Platform')
    await dialog.getByLabel('URL').fill(`${receiver.url}/platform`)
    assert.equal(await dialog.getByLabel('Minutes until').count(), 0)
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    await operator.waitForURL('**/operator/alerts/channels')
    const platform = operator.getByRole('row').filter({ hasText: 'Platform' })
    await platform.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByText('Sent', { exact: true }).waitFor()
    operator.assertClean()
    const { cookie } = await staffOf(console.world, { businessId: console.world.business.id, roles: ['developer'] })
    const developer = await console.open('/alerts/channels', { cookie, as: null })
    await developer.getByRole('row').filter({ hasText: 'On call' }).waitFor()
    assert.equal(await developer.getByText('Platform').count(), 0)
    await developer.context().close()
  })

  test('a phone scrolls down and never sideways, also in the form', async () => {
    const small = await console.open('/alerts/channels#create', phone)
    await small.getByRole('dialog').getByLabel('Selected kinds only').check()
    const [inner, outer] = await small.evaluate<[number, number]>(
      `[document.querySelector('[role=dialog]').scrollWidth, document.querySelector('[role=dialog]').clientWidth]`,
    )
    assert.ok(inner <= outer, `${inner} > ${outer}`)
    small.assertClean()
  })
})

test('where the deployment has a mail server, a channel sends to email addresses', {
  skip: lacking('browser') || lacking('console'),
}, async () => {
  const console = await consoleWorld({ SMTP_URL: 'smtp://127.0.0.1:9', ALERT_EMAIL_FROM: 'causeway@example.com' })
  try {
    const page = await console.open('/alerts/channels#create')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email addresses').fill('ops@example.com\nfinance@example.com')
    await dialog.getByLabel('Name').fill('By email')
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    await page
      .getByRole('row')
      .filter({ hasText: 'By email' })
      .getByText('ops@example.com, finance@example.com')
      .waitFor()
    page.assertClean()
  } finally {
    await console.stop()
  }
})
