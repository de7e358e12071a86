// A page acts on what it shows: two tabs with two businesses, dialogs with a running request, filters changed at once, money of
// another day, and a lost connection.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { lacking } from '../../../scripts/test-needs.ts'
import { until } from '../../server/test/caller.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, openNavigation } from './console-world.ts'

describe('what is shown is what is acted on', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  before(async () => {
    console = await consoleWorld()
  })
  after(() => console.stop())

  const call = async (method: string, path: string, body?: unknown) =>
    (await console.world.business.call(method, path, body)).body.data

  const comes = async (locator: Locator, timeout = 10_000) =>
    assert.ok(
      await locator.waitFor({ timeout }).then(
        () => true,
        () => false,
      ),
      `${locator} is not shown`,
    )

  /** Holds back each write of the page until it is let go. */
  const holdWrites = async (page: Page) => {
    let go = Promise.withResolvers<void>()
    const hold = async (route: Route) => {
      if (route.request().method() !== 'GET') await go.promise
      await route.continue()
    }
    await page.route('**/v0/**', hold)
    return {
      release: () => {
        go.resolve()
        go = Promise.withResolvers<void>()
      },
      end: () => page.unroute('**/v0/**', hold),
    }
  }

  describe('two tabs', () => {
    const signInBeside = async (page: ConsolePage, apiKey: string) => {
      const headers = { 'x-causeway-console': 'signed-out' }
      const answer = await page.context().request.post('/console/session', { headers, data: { apiKey } })
      assert.equal(answer.status(), 200)
    }
    const changed = (page: Page) => page.getByRole('dialog', { name: /^You are signed in as .* now$/ })

    test('a write of a tab that shows another business is refused, and the tab says who is signed in now', async () => {
      const other = await console.world.otherBusiness()
      const page = await console.open('/end-users', { as: null, key: console.world.business.apiKey })
      await page.getByRole('button', { name: 'Live: pause updates' }).first().click() // no read notices it first
      await signInBeside(page, other.apiKey)
      await page.getByRole('button', { name: 'Create end-user' }).first().click()
      await page.getByLabel('End-user ID').fill('made-in-tab-one')
      await page.getByRole('button', { name: 'Create end-user' }).click()
      await comes(changed(page))
      await page.keyboard.press('Escape')
      await changed(page)
        .getByRole('button', { name: /^Continue as / })
        .waitFor()
      const made = await console.world.business.call('GET', '/v0/end-users/made-in-tab-one', undefined, {
        key: other.apiKey,
      })
      assert.equal(made.status, 404)
      await page.context().close()
    })

    test('a tab that follows events shows who is signed in now without a reload', async () => {
      const other = await console.world.otherBusiness()
      const page = await console.open('/events', { as: null, key: console.world.business.apiKey })
      await page.getByRole('button', { name: 'Live: pause updates' }).first().waitFor()
      await signInBeside(page, other.apiKey)
      await comes(changed(page))
      await page.context().close()
    })

    test('a sign-in in one tab is shown by the other at once', async () => {
      const other = await console.world.otherBusiness()
      const page = await console.open('/branding', { as: null, key: console.world.business.apiKey })
      await page.getByRole('button', { name: 'Live: pause updates' }).first().click()
      const second = await page.context().newPage()
      await second.goto('/console/')
      await openNavigation(second)
      await second.getByRole('button', { name: 'Sign out' }).click()
      await second.getByLabel('API key').fill(other.apiKey)
      await second.getByRole('button', { name: 'Sign in', exact: true }).click()
      await openNavigation(second)
      // It looks between the sign-out and the sign-in, or after both.
      await comes(page.getByRole('heading', { name: 'Sign in to Causeway' }).or(changed(page)))
      await page.context().close()
    })
  })

  describe('dialogs', () => {
    type Stage = {
      userId: string
      newUserId: string
      askedId: string
      endpointId: string
      accountId: string
      customerId: string
    }
    let stage: Stage
    before(async () => {
      const { world } = console
      const userId = await world.business.user('approved')
      const { id: accountId } = await world.business.account(userId)
      const { id: endpointId } = await call('POST', '/v0/webhook-endpoints', {
        webhookUrl: 'https://hooks.example.com/',
      })
      await call('POST', '/v0/console-links', { scopes: ['events:read'] })
      const [newUserId, askedId] = [await world.business.user(), await world.business.user()]
      await world.business.submit(askedId, { mail: '+document' })
      await world.business.reached(askedId, 'action_required')
      stage = { userId, newUserId, askedId, endpointId, accountId, customerId: world.business.id }
    })

    type Dialog = {
      name: string
      path: (stage: Stage) => string
      as?: 'operator'
      /** Opens the dialog, and fills in what it needs. */
      open: (page: Page) => Promise<void>
      action: string
      /** The member of the response that the dialog shows once. */
      secret?: 'key' | 'url' | 'signingSecret'
    }
    const press = (name: string | RegExp) => (page: Page) =>
      page
        .getByRole('main')
        .getByRole('button', { name, exact: typeof name === 'string' })
        .first()
        .click()
    const choose = (name: string) => async (page: Page) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    const developers = '/developers/keys'
    const dialogs: readonly Dialog[] = [
      {
        name: 'create a key',
        path: () => developers,
        open: press('Create API key'),
        action: 'Create key',
        secret: 'key',
      },
      { name: 'roll a key', path: () => developers, open: press('Roll'), action: 'Roll key', secret: 'key' },
      {
        name: 'make a console link',
        path: () => '/developers/links',
        open: press('Create console link'),
        action: 'Create link',
        secret: 'url',
      },
      {
        name: 'revoke a console link',
        path: () => '/developers/links',
        open: press('Revoke'),
        action: 'Revoke link',
      },
      {
        name: 'make an onboarding link',
        path: ({ newUserId }) => `/end-users/${newUserId}`,
        open: press('Create onboarding link'),
        action: 'Create link',
        secret: 'url',
      },
      {
        name: 'rotate a signing secret',
        path: ({ endpointId }) => `/webhooks/${endpointId}`,
        open: choose('Rotate secret…'),
        action: 'Rotate secret',
        secret: 'signingSecret',
      },
      {
        name: 'make an endpoint',
        path: () => '/webhooks',
        open: async (page) => {
          await press('Create endpoint')(page)
          await page.getByLabel('URL').fill('https://hooks.example.com/second')
        },
        action: 'Create endpoint',
        secret: 'signingSecret',
      },
      {
        name: 'issue a key as the operator',
        path: ({ customerId }) => `/operator/businesses/${customerId}`,
        as: 'operator',
        open: async (page) => {
          await press('Issue key')(page)
          await page.getByLabel('Name').fill('Nightly')
        },
        action: 'Issue key',
        secret: 'key',
      },
      {
        name: 'create an end-user',
        path: () => '/end-users',
        open: async (page) => {
          await press('Create end-user')(page)
          await page.getByLabel('End-user ID').fill('slow-line')
        },
        action: 'Create end-user',
      },
      { name: 'edit an end-user', path: ({ userId }) => `/end-users/${userId}`, open: press('Edit'), action: 'Save' },
      {
        name: 'edit labels',
        path: ({ accountId }) => `/accounts/${accountId}`,
        open: press('Edit'),
        action: 'Save',
      },
      {
        name: 'send a test',
        path: ({ endpointId }) => `/webhooks/${endpointId}`,
        open: press('Send test'),
        action: 'Send test',
      },
      {
        name: 'replay a time range',
        path: ({ endpointId }) => `/webhooks/${endpointId}`,
        open: choose('Replay a time range…'),
        action: 'Start replay',
      },
      {
        name: 'rename a business',
        path: ({ customerId }) => `/operator/businesses/${customerId}`,
        as: 'operator',
        open: press('Rename'),
        action: 'Rename',
      },
      {
        name: 'send a test deposit',
        path: ({ accountId }) => `/accounts/${accountId}`,
        open: press('Simulate deposit'),
        action: 'Send deposit',
      },
      {
        name: 'deactivate an account',
        path: ({ accountId }) => `/accounts/${accountId}`,
        open: press('Deactivate'),
        action: 'Deactivate account',
      },
      {
        name: 'delete an endpoint',
        path: ({ endpointId }) => `/webhooks/${endpointId}`,
        open: choose('Delete…'),
        action: 'Delete endpoint',
      },
    ]

    /** They read a link, and write nothing: Escape closes them. */
    const readers: readonly Pick<Dialog, 'name' | 'path' | 'open'>[] = [
      { name: 'the Terms link', path: ({ newUserId }) => `/end-users/${newUserId}`, open: press('Terms link') },
      { name: 'the KYC page', path: ({ askedId }) => `/end-users/${askedId}`, open: press('KYC page') },
      {
        name: 'the requirements of a currency',
        path: ({ userId }) => `/end-users/${userId}`,
        open: press('View requirements for GBP'),
      },
    ]
    for (const { name, path, open } of readers)
      test(`${name}: Escape closes it while its request runs, and opened again it shows the answer`, async () => {
        const page = await console.open(path(stage))
        let release = (): void => {}
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        await page.route(/\/(tos-link|kyc-links)/, async (route) => {
          await held
          await route.continue().catch(() => {}) // the page gave it up
        })
        await open(page)
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('status', { name: 'Loading' }).waitFor()
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        release()
        await open(page)
        await dialog.getByRole('link', { name: 'Open' }).waitFor()
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        await page.unroute(/\/(tos-link|kyc-links)/)
        page.assertClean()
      })

    for (const { name, path, as, open, action, secret } of dialogs)
      test(`${name}: while its request runs, Escape, Cancel and Back leave the dialog, and its own answer is shown`, async () => {
        const page = await console.open(path(stage), as ? { as } : {})
        page.removeAllListeners('dialog').on('dialog', (question) => question.dismiss()) // “Leave the page?”: no
        const writes = await holdWrites(page)
        await open(page)
        const dialog = page.getByRole('dialog')
        const sent = page.waitForRequest((request) => request.method() !== 'GET')
        await dialog.getByRole('button', { name: action, exact: true }).click()
        const request = await sent
        await page.keyboard.press('Escape')
        assert.equal(await dialog.isVisible(), true)
        const before = page.url()
        await page.evaluate('history.back()')
        assert.equal(await dialog.getByRole('button', { name: 'Close', exact: true }).isDisabled(), true)
        assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), true)
        await until('Back to be undone', async () => page.url() === before)
        assert.equal(await dialog.isVisible(), true)
        const answered = request.response()
        writes.release()
        const answer = await (await answered)?.json()
        if (secret) {
          assert.equal(await page.locator('[data-secret]').textContent(), answer.data[secret])
          await page.evaluate('history.back()')
          await page.getByLabel(/^I have stored the /).check()
          await page.getByRole('button', { name: 'Done' }).click()
        }
        await dialog.waitFor({ state: 'detached' })
        await writes.end()
        page.assertClean()
      })

    test('a key that replaces the one of the session at once stays until it is stored, and then the session has ended', async () => {
      const { key } = await call('POST', '/v0/api-keys', { name: 'Of this session' })
      const page = await console.open(developers, { as: null, key })
      await page.getByRole('row').filter({ hasText: 'This session' }).getByRole('button', { name: 'Roll' }).click()
      await page.getByLabel('Old key').selectOption({ label: 'Expires now' })
      // The poll for events is refused before the page has the new key. The page then asks twice whether the session has ended.
      const ended = Promise.withResolvers<void>()
      await page.route('**/roll', async (route) => {
        const response = await route.fetch()
        let asked = 0
        page.on('response', (one) => {
          if (one.url().endsWith('/console/config') && ++asked === 2) ended.resolve()
        })
        await ended.promise
        await route.fulfill({ response })
      })
      await page.getByRole('button', { name: 'Roll key' }).click()
      await comes(page.locator('[data-secret]'))
      await page.getByLabel('I have stored the key').check()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
      await page.context().close()
    })

    test('the refusal of a question is gone when it is asked again', async () => {
      const { id } = await call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://hooks.example.com/third' })
      const page = await console.open(`/webhooks/${id}`)
      await page.route('**/v0/webhook-endpoints/**', (route) =>
        route.request().method() === 'DELETE' ? route.abort() : route.continue(),
      )
      await choose('Delete…')(page)
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Delete endpoint' }).click()
      await dialog.getByRole('alert').waitFor()
      await page.keyboard.press('Escape')
      await choose('Delete…')(page)
      await dialog.waitFor()
      assert.equal(await dialog.getByRole('alert').count(), 0)
      await page.context().close()
    })
  })

  describe('lists and money', () => {
    before(async () => {
      const { business } = console.world
      const { id } = await business.account(await business.user('approved'))
      await business.deposit(id, { amount: '250.00' }, 'completed')
    })

    test('filters that are changed at once are all kept, and Clear clears what is being typed as well', async () => {
      const page = await console.open('/events')
      await page.getByLabel('End-user', { exact: true }).fill('ada')
      await page.getByLabel('Event type').selectOption('end_user.created')
      await page.getByLabel('Source').selectOption('causeway')
      await until('all three in the address', async () => {
        const { searchParams } = new URL(page.url())
        return ['eventType', 'externalUserId', 'source'].every((name) => searchParams.has(name))
      })
      await page.getByLabel('Account').fill('va_1')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.waitForURL((url) => url.search === '')
      await new Promise((resolve) => setTimeout(resolve, 600)) // longer than typing is waited for
      assert.equal(new URL(page.url()).search, '')
      assert.equal(await page.getByLabel('Account').inputValue(), '')
    })

    test('while the report of another day is read, no sum of the day before is shown', async () => {
      const page = await console.open('/deposits/report')
      await page.getByText('250.00').first().waitFor()
      const held = Promise.withResolvers<void>()
      await page.route('**/v0/reports/**', (route) => held.promise.then(() => route.continue()))
      await page.getByRole('button', { name: 'Previous day' }).click()
      await comes(page.getByRole('status', { name: 'Loading' }).first())
      assert.equal(await page.getByText('250.00').count(), 0)
      held.resolve()
      await page.getByText('No deposits completed on this day').waitFor()
      await page.unroute('**/v0/reports/**')
    })

    test('while the figures of another time are read, Home shows no sum of the time before', async () => {
      const page = await console.open('/?range=week')
      const volume = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Volume by currency' }) })
      const sum = volume.getByText(/\d+\.00/).first()
      await sum.waitFor()
      const held = Promise.withResolvers<void>()
      await page.route('**/v0/stats?**', (route) => held.promise.then(() => route.continue()))
      await page.getByLabel('Time range').selectOption('Last 24 hours')
      await until('no sum to be shown', async () => !(await sum.isVisible()))
      held.resolve()
      await sum.waitFor()
      await page.unroute('**/v0/stats?**')
    })

    test('a list that was paused by hand stays paused after a look at another tab', async () => {
      const page = await console.open('/events')
      const hide = (isHidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
          document.dispatchEvent(new Event('visibilitychange'))`,
        )
      await page.getByRole('button', { name: 'Live: pause updates' }).first().click()
      const polled = page.waitForRequest(/\/v0\/events\?/, { timeout: 1_000 })
      await hide(true)
      await hide(false)
      assert.equal(
        await polled.then(
          () => true,
          () => false,
        ),
        false,
      )
      const badge = page.getByRole('button', { name: 'Paused: resume updates' }).first()
      await comes(badge)
      await badge.click()
      await hide(true)
      await hide(false)
      await page.getByRole('button', { name: 'Live: pause updates' }).first().waitFor()
    })
  })

  test('without a connection every page says so within two seconds, and keeps what was typed', async () => {
    const page = await console.open('/end-users')
    await page.getByRole('button', { name: 'Create end-user' }).first().click()
    await page.getByLabel('End-user ID').fill('typed-offline')
    await page.context().setOffline(true)
    await comes(page.getByRole('alert').getByText('You are offline.'), 2_000)
    await page.getByRole('button', { name: 'Create end-user' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('End-user ID').inputValue(), 'typed-offline')
    await page.keyboard.press('Escape')
    await (await openNavigation(page)).getByRole('link', { name: 'Branding' }).click() // its code was never loaded
    await comes(page.getByRole('heading', { name: 'This page could not be loaded' }))
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).last().click()
    await page.getByRole('heading', { name: 'Branding' }).waitFor()
    assert.equal(await page.getByText('You are offline.').count(), 0)
    await page.context().close()
  })
})
