// Staff who sign in with a company account: what each role sees, the account menu, a sign-in that is too old, the list of staff. The
// protocol of the sign-in is tested by the server's own tests.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { lacking } from '../../../scripts/test-needs.ts'
import { deploymentChain } from '../../server/src/audit/audit.rules.ts'
import { flushRequests } from '../../server/src/businesses/requests/service.ts'
import { dataOf } from '../../server/test/caller.ts'
import { heldEvent } from '../../server/test/http/held-events.ts'
import { startTestIssuer } from '../../server/test/sign-in/test-issuer.ts'
import { staffOf } from '../../server/test/staff.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, openNavigation, phone, settled } from './console-world.ts'
import { people } from './people.ts'
import { withSignIn } from './staff-world.ts'

type Role = NonNullable<Parameters<typeof staffOf>[1]['roles']>[number]

/** The navigation of a business in sandbox mode, by role. */
const navOf: Readonly<Record<Role, readonly string[]>> = {
  admin: [
    ...['Home', 'End-users', 'Accounts', 'Deposits', 'Events', 'Webhooks', 'Alerts', 'Branding', 'Developers'],
    'Sandbox',
  ],
  developer: ['Home', 'Events', 'Webhooks', 'Alerts', 'Developers', 'Sandbox'],
  support: ['Home', 'End-users', 'Accounts', 'Deposits', 'Events', 'Branding', 'Sandbox'],
  finance: ['Home', 'Accounts', 'Deposits', 'Sandbox'],
}

describe('staff', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  before(async () => {
    console = await consoleWorld({ OIDC_FRESH_SIGN_IN_MINUTES: '5' })
    await people(console)
    await withSignIn(console)
  })
  after(() => console.stop())

  const signedIn = async (path: string, given: Partial<Parameters<typeof staffOf>[1]> = {}, options = {}) => {
    const staff = await staffOf(console.world, { businessId: console.world.business.id, ...given })
    const page = await console.open(path, { cookie: staff.cookie, as: null, ...options })
    return { staff, page, [Symbol.asyncDispose]: () => page.context().close() }
  }

  for (const role of ['admin', 'developer', 'support', 'finance'] as const)
    test(`${role}: the navigation has what the role may read, and no page asks for more`, async () => {
      await using opened = await signedIn('/', { roles: [role] })
      const { page } = opened
      const refused: string[] = []
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`)
      })
      const navigation = await openNavigation(page)
      assert.deepEqual(await navigation.getByRole('link').allInnerTexts(), navOf[role])
      const seen = new Set<string>()
      const visit = async (hrefs: readonly string[]) => {
        for (const href of hrefs) {
          if (seen.has(href)) continue
          seen.add(href)
          await page.goto(href)
          await page.getByRole('heading', { level: 1 }).waitFor()
          await settled(page)
          await visit([...(await hrefsIn(navigation.getByRole('link'))), ...(await hrefsIn(firstRow(page)))])
        }
      }
      await visit(['/console/'])
      assert.ok(seen.size > navOf[role].length, [...seen].join(' '))
      assert.deepEqual(refused, [])
      page.assertClean()
    })

  test('the account menu names the person and the roles; a sign-out ends this session only', async () => {
    await using opened = await signedIn('/', { roles: ['support', 'finance'] })
    const { staff, page } = opened
    const other = await staffOf(console.world, { businessId: console.world.business.id, subject: staff.subject })
    await openNavigation(page)
    await page.getByRole('button', { name: 'Account of Ada Lovelace' }).click()
    const menu = page.getByRole('menu')
    await menu.getByText(staff.email).waitFor()
    await menu.getByText('Roles: support, finance').waitFor()
    await menu.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
    assert.equal(await page.getByLabel('Business ID').inputValue(), console.world.business.id)
    assert.equal((await staff.ask('GET', '/v0/end-users')).status, 401)
    assert.equal((await other.ask('GET', '/v0/end-users')).status, 200)
  })

  test('on a phone, the account menu is in the navigation', async () => {
    await using opened = await signedIn('/', {}, phone)
    const { page } = opened
    await openNavigation(page)
    await page.getByRole('button', { name: 'Account of Ada Lovelace' }).tap()
    await page.getByRole('menuitem', { name: 'Sign out everywhere…' }).tap()
    await page.getByRole('dialog', { name: 'Sign out everywhere?' }).waitFor()
    page.assertClean()
  })

  test('an action that needs a recent sign-in asks for it, and sends nothing afterwards', async () => {
    const old = new Date(Date.now() - 3_600_000)
    await using opened = await signedIn('/developers/keys', { authTime: old })
    const { page } = opened
    const row = page.getByRole('row').filter({ hasText: 'First key' })
    await row.getByRole('button', { name: 'Roll' }).click()
    await page.getByRole('button', { name: 'Roll key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again to continue' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText('sign_in_too_old').waitFor() // the form is still open, with what was chosen
    page.faults.length = 0 // the browser notes the 403
    await page.getByRole('button', { name: 'Roll key' }).click()
    const left = page.waitForRequest((request) => request.isNavigationRequest())
    await dialog.getByRole('button', { name: 'Sign in again' }).click()
    const url = new URL((await left).url())
    assert.equal(url.pathname, `/console/sign-in/${console.world.business.id}`)
    assert.equal(url.searchParams.get('fresh'), '1')
    assert.equal(url.searchParams.get('next'), '/console/developers/keys')
    const keys = (await console.world.business.call('GET', '/v0/api-keys')).body.data
    assert.equal(keys.filter(({ name }: { name: string }) => name === 'First key').length, 1)
  })

  test('staff cannot create console links, and are not offered to', async () => {
    await using opened = await signedIn('/developers/links')
    const { page } = opened
    await settled(page)
    assert.equal(await page.getByRole('button', { name: 'Create console link' }).count(), 0)
  })

  test('an administrator signs a member of staff out everywhere', async () => {
    const { business } = console.world
    const target = await staffOf(console.world, { businessId: business.id, roles: ['support'] })
    await staffOf(console.world, { businessId: business.id, subject: target.subject })
    await using opened = await signedIn('/developers/staff')
    const { page } = opened
    const row = page.getByRole('row').filter({ hasText: target.email })
    await row.getByRole('cell', { name: '2', exact: true }).waitFor()
    await page.getByRole('row').filter({ hasText: opened.staff.email }).getByText('You', { exact: true }).waitFor()
    await row.getByRole('button', { name: /^Sign out/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await row.getByRole('cell', { name: '0', exact: true }).waitFor()
    assert.equal((await target.ask('GET', '/v0/end-users')).status, 401)
    page.assertClean()
  })

  test('the audit log and the request log name staff, and filter by them', async () => {
    await using opened = await signedIn('/')
    const { staff, page } = opened
    await staff.ask('POST', '/v0/end-users', { externalUserId: 'of-staff' })
    await staff.ask('POST', '/v0/api-keys', { name: 'Of staff', scopes: ['events:read'] })
    await flushRequests(console.world.inside)
    await page.goto(`/console/developers/audit?actor=${staff.id}`)
    await page.getByRole('row').filter({ hasText: staff.email }).getByText('created an API key').waitFor()
    assert.equal(await page.getByLabel('Actor').locator('option:checked').innerText(), staff.email)
    await page.goto(`/console/developers/requests?by=${staff.id}&console=shown`)
    const table = page.getByRole('table', { name: 'Requests, newest first' })
    await table.getByText(staff.email).first().waitFor()
    assert.equal(await table.getByText(/^staff_/).count(), 0)
    page.assertClean()
  })

  test('the operator’s support reads every page and changes nothing', async () => {
    const held = await heldEvent(console.world)
    await using opened = await signedIn('/operator', { businessId: deploymentChain, roles: ['support'] })
    const { page } = opened
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    const business = `/businesses/${console.world.business.id}`
    const paths = [
      '',
      '/businesses',
      business,
      `${business}/requests`,
      `${business}/audit`,
      `${business}/sign-in`,
      '/events',
      '/storage',
    ]
    const changes =
      /^(Create|Rename|Suspend|Resume|Issue|Revoke|Retry|Sign out everywhere|Edit|Delete|Remove|Set up|Send)/
    for (const path of [...paths, `/events/${held.id}`, '/staff', '/alerts', '/alerts/channels', '/alerts/messages']) {
      await page.goto(`/console/operator${path}`)
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      await settled(page)
      assert.equal(await page.getByRole('main').getByRole('button', { name: changes }).count(), 0, path)
    }
    assert.deepEqual(refused, [])
    page.assertClean()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    assert.equal(await page.getByRole('option', { name: 'Create business' }).count(), 0)
  })

  test('an administrator of the operator signs staff out', async () => {
    const target = await staffOf(console.world, { businessId: deploymentChain, roles: ['support'] })
    await using opened = await signedIn('/operator/staff', { businessId: deploymentChain })
    const { page } = opened
    const row = page.getByRole('row').filter({ hasText: target.email })
    await row.getByRole('button', { name: /^Sign out/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await row.getByRole('cell', { name: '0', exact: true }).waitFor()
    page.assertClean()
  })
})

describe('signing in with a company account', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  before(async () => {
    console = await consoleWorld()
  })
  after(() => console.stop())

  test('a shared link has the business, and the way back is kept', async () => {
    const page = await console.open('/sign-in?business=biz_of_a_link&next=%2Fconsole%2Fdeposits', { as: null })
    assert.equal(await page.getByLabel('Business ID').inputValue(), 'biz_of_a_link')
    const left = page.waitForRequest((request) => request.isNavigationRequest())
    await page.getByLabel('Business ID').press('Enter')
    const url = new URL((await left).url())
    assert.equal(url.pathname, '/console/sign-in/biz_of_a_link')
    assert.equal(url.searchParams.get('next'), '/console/deposits')
    await page.context().close()
  })

  /** Signs in at an issuer that knows one person. */
  const atIssuer = async (person: Record<string, unknown> = {}) => {
    const issuer = await startTestIssuer({
      sub: 'ada',
      name: 'Ada',
      email: 'ada@acme.example',
      groups: ['ops'],
      ...person,
    })
    const roles = { claim: 'groups', values: { ops: 'admin' } }
    dataOf(await console.world.business.call('PUT', '/v0/sign-in', { issuer: issuer.url, clientId: 'causeway', roles }))
    const page = await console.open(`/sign-in?owner=${console.world.business.id}&next=%2Fdevelopers%2Fkeys`, {
      as: null,
    })
    return {
      issuer,
      page,
      async [Symbol.asyncDispose]() {
        await page.context().close()
        await issuer[Symbol.asyncDispose]()
      },
    }
  }
  const signIn = (page: ConsolePage) => page.getByRole('button', { name: 'Sign in with your company account' }).click()

  test('at the issuer and back to the page that was asked for; then the business is remembered', async () => {
    await using opened = await atIssuer()
    const { page } = opened
    await signIn(page)
    await page.waitForURL('**/console/developers/keys')
    await page.getByRole('button', { name: 'Account of Ada' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in to Causeway' }).waitFor()
    await page.goto('/console/sign-in')
    assert.equal(await page.getByLabel('Business ID').inputValue(), console.world.business.id)
  })

  test('a sign-out everywhere also leads to the sign-out of the issuer', async () => {
    await using opened = await atIssuer()
    const { issuer, page } = opened
    await signIn(page)
    await page.getByRole('button', { name: 'Account of Ada' }).click()
    await page.getByRole('menuitem', { name: 'Sign out everywhere…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL(`${issuer.url}/logout**`)
  })

  test('a person without a role reads why, and the way back is kept', async () => {
    await using opened = await atIssuer({ groups: ['visitors'] })
    const { page } = opened
    await signIn(page)
    await page.getByRole('alert').getByText('Your account has no role').waitFor()
    await page.getByLabel('API key').fill(console.world.business.apiKey)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/console/developers/keys')
  })

  test('an error of the sign-in says what to do; unknown codes too', async () => {
    const page = await console.open('/sign-in?error=of_a_later_version', { as: null })
    await page.getByRole('alert').getByText('You could not be signed in').waitFor()
    await page.getByRole('alert').getByText('of_a_later_version').waitFor()
    page.assertClean()
    await page.context().close()
  })
})

/** The page of the first row of a list. */
const firstRow = (page: ConsolePage) => page.getByRole('main').locator('tbody tr:first-child td:first-child a')

const hrefsIn = (links: Locator): Promise<string[]> =>
  links.evaluateAll((all: { getAttribute(name: string): string | null }[]) =>
    all.map((link) => link.getAttribute('href') ?? ''),
  )
