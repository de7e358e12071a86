// The pages of developers: keys, links into the console, the log of requests and the audit log, each as its tasks go.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { boxOf } from '../../../scripts/test-browser.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { flushRequests } from '../../server/src/businesses/requests/service.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, phone } from './console-world.ts'

describe('developers', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let page: ConsolePage
  before(async () => {
    console = await consoleWorld()
    page = await console.open('/developers')
  })
  after(() => console.stop())

  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  const whoami = (key: string) => console.world.business.call('GET', '/v0/whoami', undefined, { key })
  const secretShown = async () => (await page.locator('[data-secret]').textContent()) ?? ''
  const store = async (name: string) => {
    await page.getByLabel(`I have stored the ${name}`).check()
    await page.getByRole('button', { name: 'Done' }).click()
  }

  test('a key is made with chosen scopes, shown once, rolled and ended', async () => {
    await page.waitForURL('**/console/developers/keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByLabel('Name').fill('Nightly reports')
    await page.getByRole('button', { name: 'Read only' }).click()
    await page.getByLabel('API keys: read').uncheck()
    await page.getByLabel('Expiration').selectOption({ label: 'In 30 days' })
    await page.getByRole('button', { name: 'Create key' }).click()
    const first = await secretShown()
    const { scopes } = (await whoami(first)).body.data
    assert.deepEqual(scopes, ['end_users:read', 'virtual_accounts:read', 'webhooks:read', 'events:read'])
    await page.keyboard.press('Escape') // asks before the secret is lost
    await page.getByRole('button', { name: 'Close anyway' }).waitFor()
    await store('key')
    const made = row('Nightly reports')
    await made.getByText(/in 30d|in 1mo/).waitFor()
    assert.equal((await page.content()).includes(first), false)

    await made.getByRole('button', { name: 'Roll' }).click()
    await page.getByLabel('Old key').selectOption({ label: 'Expires now' })
    await page.getByRole('button', { name: 'Roll key' }).click()
    const second = await secretShown()
    assert.deepEqual([(await whoami(first)).status, (await whoami(second)).status], [401, 200])
    await store('key')
    await made.nth(1).waitFor() // until the list has the new key, it shows the old one as active

    await made.filter({ hasText: 'Active' }).getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
    await made.filter({ hasText: 'Revoked' }).nth(1).waitFor()
    assert.equal((await whoami(second)).status, 401)
    page.assertClean()
  })

  test('on a slow connection a dialog acts once, however often its button is pressed', async () => {
    await page.goto('/console/developers/keys')
    let heldBack = Promise.withResolvers<void>()
    const sent: string[] = []
    await page.route('**/v0/api-keys**', async (route) => {
      const method = route.request().method()
      if (method !== 'GET') {
        sent.push(method)
        await heldBack.promise
      }
      await route.continue()
    })
    const pressOften = async (method: string, name: string) => {
      const button = page.getByRole('dialog').getByRole('button', { name })
      const begun = page.waitForRequest((request) => request.method() === method)
      heldBack = Promise.withResolvers()
      await button.click()
      await begun
      for (let more = 0; more < 3; more++) await button.dispatchEvent('click')
      heldBack.resolve()
    }
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByLabel('Name').fill('Pressed often')
    await pressOften('POST', 'Create key')
    await store('key')
    await row('Pressed often').first().getByRole('button', { name: 'Revoke', exact: true }).click()
    await pressOften('DELETE', 'Revoke key')
    await row('Pressed often').filter({ hasText: 'Revoked' }).first().waitFor()
    await page.unroute('**/v0/api-keys**')
    assert.deepEqual(sent, ['POST', 'DELETE'])
    page.assertClean()
  })

  test('a link is made for a colleague, copied once, and revoked', async () => {
    await page.getByRole('link', { name: 'Console links' }).click()
    await page.getByText('No console links yet').waitFor()
    await page.getByRole('button', { name: 'Create console link' }).click()
    await page.getByRole('button', { name: 'None' }).click()
    assert.ok(await page.getByRole('button', { name: 'Create link' }).isDisabled())
    await page.getByLabel('End-users: read').check()
    await page.getByRole('button', { name: 'Create link' }).click()
    const url = await secretShown()
    assert.match(url, /\/console\/link#svc_link_/)
    await store('link')
    const made = row('End-users (read)')
    await made.getByText('Not opened yet').waitFor()
    await made.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke link' }).click()
    await made.getByText('Revoked', { exact: true }).waitFor()
    assert.equal(await made.getByText(/^in \d/).count(), 0, 'a revoked link has no time left')
    const colleague = await console.open(new URL(url).pathname.replace('/console', '') + new URL(url).hash, {
      as: null,
    })
    await colleague.getByRole('heading', { name: 'This link cannot be opened' }).waitFor()
    page.assertClean()
  })

  test('a refused request is found by filters, explained, and told as a command; the address keeps the filters', async () => {
    await console.world.business.call('GET', '/v0/end-users/nobody-here')
    await console.world.business.call('POST', '/v0/virtual-accounts', {}, { headers: { 'x-request-id': 'my-own-id' } })
    await flushRequests(console.world.inside)
    await page.getByRole('link', { name: 'Requests' }).click()
    assert.equal(await page.getByLabel('Status').isVisible(), false, 'what is needed seldom is behind a button')
    await page.getByRole('button', { name: 'More filters', exact: true }).click()
    await page.getByLabel('Status').selectOption({ label: 'Client errors (4xx)' })
    await page.getByLabel('Path').selectOption('/v0/end-users/:externalUserId')
    await page.waitForURL(/status=4xx.*path=|path=.*status=4xx/)
    await page.getByText('holder_not_found').waitFor()
    await page.getByText('missing_field').waitFor({ state: 'detached' }) // earlier rows stay until the response
    await page.reload()
    await page.getByRole('button', { name: 'More filters (2 active)' }).waitFor()
    await page
      .getByRole('link', { name: /\/v0\/end-users/ })
      .first()
      .click()
    await page.getByText('There is no end-user with this externalUserId.').waitFor()
    assert.match((await page.locator('pre').textContent()) ?? '', /^curl ".*\/v0\/end-users\/<externalUserId>"/)
    assert.equal(
      await page.getByRole('link', { name: 'View in docs' }).getAttribute('href'),
      '/docs/errors/holder_not_found',
    )
    await page.goBack()
    await page.getByText('holder_not_found').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Time', { exact: true }).selectOption('Last hour')
    await page.waitForURL(/from=/)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.keyboard.press('/') // opens the filters that have the search
    await page.locator('input[data-search]:focus').fill('my-own-id')
    await page.getByText('missing_field').waitFor()
    await page.goto('/console/developers/requests/no-such-request')
    await page.getByText('Request not found in the log').waitFor()
    await page.goto('/console/developers/requests?status=9xx&method=FETCH&from=never')
    await page.getByRole('heading', { name: 'Requests' }).waitFor() // bad values fall to the defaults
    await row('GET').first().waitFor()
    page.assertClean()
  })

  test('requests of the console are hidden, errors are grouped with what to do, and a write leads to its object and events', async () => {
    const { call } = console.world.business
    await call('GET', '/v0/end-users/nobody-either')
    await call('POST', '/v0/end-users', { externalUserId: 'seen-in-the-log' })
    await call('PATCH', '/v0/end-users/seen-in-the-log', { email: 'seen@example.com' })
    await flushRequests(console.world.inside)
    await page.goto('/console/developers/requests')
    await row('/v0/end-users/seen-in-the-log').first().waitFor()
    assert.equal(await page.getByText('in the console', { exact: true }).count(), 0)
    await page.getByRole('button', { name: 'More filters', exact: true }).click()
    await page.getByLabel('Console traffic').check()
    await page.getByText('in the console', { exact: true }).first().waitFor()
    await page.getByLabel('Console traffic').uncheck()
    await page.getByRole('button', { name: 'Errors', exact: true }).click()
    const group = page.getByRole('listitem').filter({ hasText: 'holder_not_found' })
    await group.getByText('Create the end-user first').waitFor()
    await group.getByRole('link', { name: 'View in docs' }).waitFor()
    await group.getByRole('button', { name: 'Show requests' }).click()
    await page.waitForURL(/error=holder_not_found/)
    await row('missing_field').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Writes', exact: true }).click()
    await row('GET').first().waitFor({ state: 'detached' })
    await row('/v0/end-users/seen-in-the-log').first().waitFor()
    await row('POST').filter({ hasText: '/v0/end-users' }).first().getByRole('link').click()
    await page.getByRole('link', { name: 'Events of this time' }).click()
    await page.getByRole('row').filter({ hasText: 'end_user.created' }).first().waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'seen-in-the-log' }).click()
    await page.getByRole('heading', { name: 'seen-in-the-log' }).waitFor()
    await page.goto('/console/developers')
    page.assertClean()
  })

  test('the filters of the requests are one row on a desk, and a request is two lines on a phone', async () => {
    await page.goto('/console/developers/requests')
    await row('GET').first().waitFor()
    assert.ok((await boxOf(page.locator('search'))).height < 65, 'one row of filters')
    const small = await console.open('/developers/requests', phone)
    const { height } = await boxOf(small.getByRole('row').filter({ hasText: 'GET' }))
    assert.ok(height > 20 && height < 80, `a request is ${height} px high`)
    small.assertClean()
  })

  test('the audit log reads as sentences, by who and by what', async () => {
    const signIn = { method: 'POST', headers: { 'x-causeway-console': '1', 'content-type': 'application/json' } }
    const body = JSON.stringify({ apiKey: console.world.business.apiKey })
    for (let times = 1; times <= 3; times++) await fetch(`${console.world.url}/console/session`, { ...signIn, body })
    await page.getByRole('link', { name: 'Audit log' }).click()
    await row('signed in to the console')
      .getByText(/and [23] more times just before/)
      .waitFor()
    await row('First key revoked an API key').first().waitFor()
    await page.getByLabel('Action').selectOption({ label: 'Rolled an API key' })
    await page.waitForURL(/action=api_key.rolled/)
    await row('First key rolled an API key in the console').getByText('The old key expired immediately').waitFor()
    await page.getByLabel('Actor').selectOption('operator')
    await page.getByText('No matching entries').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await row('Operator created this business').waitFor()
    page.assertClean()
  })

  test('who may not write keys sees no control for it', async () => {
    const { url } = (await console.world.business.call('POST', '/v0/console-links', { scopes: ['api_keys:read'] })).body
      .data
    const reader = await console.open(new URL(url).pathname.replace('/console', '') + new URL(url).hash, { as: null })
    await reader.getByRole('link', { name: 'Developers' }).click()
    await reader.getByText('Nightly reports').first().waitFor()
    for (const name of ['Create API key', 'Roll', 'Revoke'])
      assert.equal(await reader.getByRole('button', { name, exact: true }).count(), 0)
    await reader.getByRole('link', { name: 'Console links' }).click()
    await reader.getByText('Not opened yet').or(reader.getByText('Opened').first()).first().waitFor()
    for (const name of ['Create console link', 'Revoke'])
      assert.equal(await reader.getByRole('button', { name }).count(), 0)
    reader.assertClean()
    await reader.context().close()
  })

  test('ending the key of the own session says so, and leads to the sign-in', async () => {
    const key = (await console.world.business.call('POST', '/v0/api-keys', { name: 'Mine' })).body.data
    const own = await console.open('/developers/keys', { key: key.key })
    const mine = own.getByRole('row').filter({ hasText: 'This session' })
    await mine.getByRole('button', { name: 'Revoke', exact: true }).click()
    await own.getByText('You are signed in with this key').waitFor()
    await own.getByRole('button', { name: 'Revoke key and sign out' }).click()
    await own.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
  })
})
