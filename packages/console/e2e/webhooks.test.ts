// Webhooks in a real browser: endpoints from their first day to their last, deliveries, replays.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { type ConsoleWorld, consoleWorld, phone } from './console-world.ts'
import { type WebhookStory, webhookStory } from './webhook-story.ts'

describe('webhooks', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let story: WebhookStory
  before(async () => {
    console = await consoleWorld()
    story = await webhookStory(console)
  })
  after(() => console.stop())
  const read = async (path: string) => (await console.world.business.call('GET', path)).body.data

  test('an endpoint is made, its secret is shown once, it is tested, changed, rotated, paused and deleted', async () => {
    const page = await console.open('/webhooks')
    await page.getByRole('link', { name: /no-such-receiver/ }).waitFor()
    await page.getByRole('button', { name: 'Create endpoint' }).click()
    await page.getByLabel('URL').fill(`${console.world.provider.origin}/inbox/of-the-browser`)
    await page.getByLabel('Selected types only').check()
    await page.getByLabel('Add an event type').fill('end_user.*')
    await page.getByLabel('Add an event type').press('Enter')
    await page.getByRole('button', { name: 'Remove virtual_account.*' }).click()
    await page.getByRole('button', { name: 'Create endpoint' }).click()
    const first = await page.locator('[data-secret]').innerText()
    assert.match(first, /^whsec_/)
    await page.keyboard.press('Escape')
    await page.getByLabel('I have stored the signing secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: /of-the-browser/ }).waitFor()
    const id = page.url().split('/').at(-1)?.split('?')[0] ?? ''
    assert.deepEqual((await read(`/v0/webhook-endpoints/${id}`)).eventTypes, ['end_user.*'])

    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByRole('dialog').getByLabel('Event type').selectOption('virtual_account.deposit.updated')
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByRole('heading', { name: 'Delivery of virtual_account.deposit.updated' }).waitFor()
    await page.getByText('Delivered', { exact: true }).first().waitFor()
    await page.getByText('webhook-signature').first().waitFor()
    await page.goBack()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await page.getByLabel('Description').fill('Of the browser')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Of the browser').waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret…' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    assert.notEqual(await page.locator('[data-secret]').innerText(), first)
    await page.getByLabel('I have stored the signing secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('valid until').waitFor()

    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Paused: events are queued').waitFor()
    await page.getByRole('button', { name: 'Enable', exact: true }).click()
    await page.getByText('Enabled', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete endpoint' }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    assert.equal((await console.world.business.call('GET', `/v0/webhook-endpoints/${id}`)).status, 404)
    assert.ok(!JSON.stringify(await page.context().storageState()).includes('whsec_'))
    page.assertClean()
  })

  test('an endpoint is named by its description, and a state has one color on every page', async () => {
    const page = await console.open('/webhooks')
    const row = page.getByRole('row').filter({ hasText: 'Staging, where nobody has deployed yet' })
    await row.getByText(/^0 of \d+$/).waitFor()
    const toneOf = async () => {
      await page.getByText('Failing', { exact: true }).first().waitFor()
      return await page.evaluate<string>(
        "getComputedStyle([...document.querySelectorAll('main span')].findLast((one) => one.textContent === 'Failing')).color",
      )
    }
    const inList = await toneOf()
    await row.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Staging, where nobody has deployed yet' }).waitFor()
    await page.getByText(/^0 of \d+ attempts$/).waitFor()
    const onPage = await toneOf()
    await page.goto('/console/')
    assert.deepEqual([onPage, await toneOf()], [inList, inList])
    page.assertClean()
  })

  test('a long URL breaks at its separators, not within words', async () => {
    const { call } = console.world.business
    const webhookUrl = 'https://hooks.example.com/services/payments/deposits/production/eu-central-1/causeway-events'
    const { id } = (await call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
    await call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
    const page = await console.open(`/webhooks/${id}`, phone)
    const heading = page.getByRole('heading', { level: 1 })
    await heading.getByText('services').waitFor()
    // One box a part: a part that is broken has two.
    const boxes = await page.evaluate<number[]>(
      "[...document.querySelectorAll('h1 > span > span')].map((part) => part.getClientRects().length)",
    )
    assert.deepEqual(new Set(boxes), new Set([1]))
    await call('DELETE', `/v0/webhook-endpoints/${id}`)
    page.assertClean()
  })

  test('a delivery shows why it waits, what was sent and what came back, and is sent again', async () => {
    const page = await console.open(`/webhooks/deliveries/${story.failedDeliveryId}`)
    await page.getByText('webhook-signature').first().waitFor()
    await page.getByText('Page not found.').first().waitFor()
    await page.getByText('Next attempt', { exact: true }).waitFor()
    await page.getByText('Attempt 1', { exact: true }).waitFor()
    const { nextAttemptAt } = await read(`/v0/deliveries/${story.failedDeliveryId}`)
    await page.getByRole('button', { name: 'Resend', exact: true }).click()
    await page.getByText('Delivery queued for resending.').waitFor()
    assert.notEqual((await read(`/v0/deliveries/${story.failedDeliveryId}`)).nextAttemptAt, nextAttemptAt)
    page.assertClean()
  })

  test('the states of the rows that are shown follow, and no row moves them', async () => {
    const { call } = console.world.business
    const receiver = `${console.world.provider.origin}/inbox/later`
    const { id } = (await call('POST', '/v0/webhook-endpoints', { webhookUrl: receiver })).body.data
    await call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
    await call('POST', '/v0/end-users', { externalUserId: 'first-in-the-list' })
    const page = await console.open(`/webhooks/${id}`)
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr')
    await rows.first().getByText('Pending').waitFor()
    await call('POST', '/v0/end-users', { externalUserId: 'second-in-the-list' })
    await page.getByRole('button', { name: 'Show 1 new event' }).waitFor()
    await page.getByRole('button', { name: 'Enable', exact: true }).click()
    await rows.first().getByText('Delivered').waitFor()
    await rows.first().getByText('first-in-the-list').waitFor()
    assert.equal(await rows.count(), 1)
    page.assertClean()
  })

  test('deliveries are filtered, and a selection of them is sent again', async () => {
    const page = await console.open('/webhooks/deliveries?status=retrying')
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr')
    const failed = rows.filter({ hasText: '404' }) // rows without text are shown while the list loads
    await failed.nth(6).waitFor()
    assert.equal(await failed.count(), await rows.count())
    await rows.nth(0).getByRole('checkbox').check()
    await rows.nth(1).getByRole('checkbox').check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Resend', exact: true }).click()
    await page.getByText('2 deliveries queued for resending.').waitFor()
    await page.getByLabel('Status').selectOption('cancelled')
    await page.waitForURL(/status=cancelled/)
    await page.getByText('No matching deliveries').waitFor()
    page.assertClean()
  })

  test('everything not delivered is resent with one button, which says how much it is, and leads to a replay', async () => {
    const { call } = console.world.business
    const made = await call('POST', '/v0/webhook-endpoints', { webhookUrl: `${console.world.provider.origin}/nowhere` })
    const { id } = made.body.data
    await call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
    for (const name of ['a', 'b', 'c', 'd']) await call('POST', '/v0/end-users', { externalUserId: `resent-${name}` })
    await until('what waits', async () => (await read(`/v0/deliveries?webhookEndpointId=${id}`)).length === 4)
    await console.world.rows`
        update deliveries set attempts = 1, next_attempt_at = now() + interval '1 day', last_outcome = 'http_404'
        where (endpoint_id, sequence) in (select endpoint_id, max(sequence) from deliveries where endpoint_id = ${id} group by 1)
        returning 1`
    await console.world.rows`
        with gone as (delete from deliveries where endpoint_id = ${id} and attempts = 0 returning *)
        insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts, created_at)
        select id, endpoint_id, sequence, business_id, event_id, end_user_id, 'exhausted', 0, created_at from gone`
    const page = await console.open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'Resend all undelivered' }).click()
    await page.getByText('4 deliveries.').waitFor()
    await page.getByRole('button', { name: 'Resend 4 deliveries' }).click()
    await page.getByRole('heading', { name: 'Replay', exact: true }).waitFor()
    await page.getByText('100% scanned').waitFor()
    await page.getByText('Done', { exact: true }).waitFor()
    const due = await read(`/v0/deliveries?webhookEndpointId=${id}`)
    assert.ok(
      due.every(
        ({ nextAttemptAt }: { nextAttemptAt: string }) => nextAttemptAt < new Date(Date.now() + 60_000).toISOString(),
      ),
    )
    page.assertClean()
  })

  test('a time range is replayed from the endpoint, with its progress', async () => {
    const page = await console.open(`/webhooks/${story.failingId}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Replay a time range…' }).click()
    await page.getByLabel('Events to replay').selectOption('all')
    await page.getByRole('button', { name: 'Start replay' }).click()
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('link', { name: 'Staging, where nobody has deployed yet' }).click()
    await page.getByRole('table', { name: 'Replays' }).waitFor()
    page.assertClean()
  })

  test('who may only read sees no control that writes', async () => {
    const { url } = (
      await console.world.business.call('POST', '/v0/console-links', { scopes: ['events:read', 'webhooks:read'] })
    ).body.data
    const page = await console.open(new URL(url).pathname.replace('/console', '') + new URL(url).hash, { as: null })
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('link', { name: /no-such-receiver/ }).click()
    await page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').nth(2).waitFor()
    for (const name of ['Send test', 'Pause', 'More actions', 'Resend'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    assert.equal(await page.getByRole('checkbox').count(), 0)
    page.assertClean()
    await page.context().close()
  })
})
