// Events in a real browser: the live list, its filters in the address, one event and where it went.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { freshUserId } from '../../server/test/people.ts'
import { type ConsoleWorld, consoleWorld } from './console-world.ts'
import { type WebhookStory, webhookStory } from './webhook-story.ts'

describe('events', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let story: WebhookStory
  before(async () => {
    console = await consoleWorld()
    story = await webhookStory(console)
  })
  after(() => console.stop())

  test('the list stays under its reader, says how much is new, and shows it when asked', async () => {
    const page = await console.open('/events')
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr')
    await rows.nth(6).waitFor()
    await page.getByRole('button', { name: 'Live: pause updates' }).first().waitFor()
    const count = await rows.count()
    const externalUserId = freshUserId()
    await console.world.business.call('POST', '/v0/end-users', { externalUserId })
    const bar = page.getByRole('button', { name: 'Show 1 new event' })
    await bar.waitFor()
    assert.equal(await rows.count(), count)
    await bar.click()
    await rows.first().getByText(externalUserId).waitFor()
    await until('the bar to go', async () => (await page.getByText(/^Show \d+ new/).count()) === 0)
    await page.getByRole('button', { name: 'Live: pause updates' }).click()
    await page.getByRole('button', { name: 'Paused: resume updates' }).waitFor()
    page.assertClean()
  })

  test('a connection that was lost and is back is told, though nothing happens', async () => {
    const page = await console.open('/events')
    const following = page.getByRole('button', { name: 'Live: pause updates' }).first()
    await following.waitFor()
    await page.context().setOffline(true)
    // It ends the request that is under way; the next one fails.
    await console.world.business.call('POST', '/v0/end-users', { externalUserId: freshUserId() })
    await page.getByRole('button', { name: 'Connection lost. Reconnecting…' }).first().waitFor()
    await page.context().setOffline(false)
    await following.waitFor({ timeout: 10_000 })
  })

  test('filters stand in the address, and survive a reload; nothing found says so', async () => {
    const page = await console.open('/events')
    await page.getByLabel('End-user', { exact: true }).fill(story.externalUserId)
    await page.waitForURL(/externalUserId=/)
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr')
    await page.reload()
    await rows.first().getByText(story.externalUserId).waitFor()
    assert.equal(await rows.count(), 1)
    await page.getByLabel('Source').selectOption('provider')
    await page.getByText('No matching events').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows.nth(2).waitFor()
    await page.goto('/console/events?source=nobody&from=never')
    await rows.nth(2).waitFor()
    page.assertClean()
  })

  test('an event shows its payload, where it went and why not, and is sent again to one endpoint', async () => {
    const page = await console.open(`/events/${story.eventId}`)
    await page.getByText('"event_type"').waitFor()
    const destinations = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Resend' }) })
    const refused = destinations.filter({ hasText: 'no-such-receiver' })
    await refused.getByText(/has failed since|ended with http_404/).waitFor()
    await destinations.filter({ hasText: 'hooks.example.com' }).getByText('Endpoint paused', { exact: true }).waitFor()
    const delivered = destinations.filter({ hasText: 'inbox/dev' })
    const { call } = console.world.business
    const attempts = async () => {
      const { endpoints } = (await call('GET', `/v0/events/${story.eventId}/explain`)).body.data
      return endpoints.find(({ webhookUrl }: { webhookUrl: string }) => webhookUrl.includes('inbox/dev')).attemptCount
    }
    const before = await attempts()
    await delivered.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('Event queued for resending.').waitFor()
    await delivered.getByRole('link', { name: `${before + 1} attempts` }).waitFor()
    assert.equal(await attempts(), before + 1)
    await delivered.getByRole('link', { name: `${before + 1} attempts` }).click()
    await page.getByRole('heading', { name: 'Delivery of end_user.created' }).waitFor()
    page.assertClean()
  })
})
