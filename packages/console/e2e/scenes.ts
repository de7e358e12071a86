// Dialogs and menus after a click, and the pages for signed-out users: for the pictures only.

import { staffOf } from '../../server/test/staff.ts'
import { type ConsolePage, type ConsoleWorld, type OpenOptions, openNavigation } from './console-world.ts'
import { withSignIn, withStaff } from './staff-world.ts'

export type Scene = {
  name: string
  prepare: (world: ConsoleWorld) => Promise<{ path: string; options: OpenOptions }>
  /** Leads to what the picture shows. */
  act: (page: ConsolePage) => Promise<unknown>
}

const signedOut = (name: string, path: string): Scene => ({
  name,
  prepare: async () => ({ path, options: { as: null } }),
  act: async () => {},
})

const dialog = (name: string, path: string, act: Scene['act'], as: 'business' | 'operator' = 'business'): Scene => ({
  name,
  prepare: async (world) => {
    await withSignIn(world)
    await withStaff(world, world.world.business.id)
    return { path, options: { as } }
  },
  act: async (page) => {
    await act(page)
    await page.getByRole('dialog').waitFor()
  },
})

async function asStaff({ world }: ConsoleWorld) {
  const { cookie } = await staffOf(world, { businessId: world.business.id, authTime: new Date(0) })
  return { cookie, as: null }
}

export const scenes: readonly Scene[] = [
  signedOut('sign-in', '/sign-in'),
  signedOut('sign-in-shared', '/sign-in?owner=biz_0123456789abcdefghjkmnpqrs'),
  {
    ...signedOut('sign-in-error', '/sign-in?error=role_unknown&owner=biz_0123456789abcdefghjkmnpqrs'),
    act: (page) => page.getByRole('alert').waitFor(),
  },
  signedOut('sign-in-operator', '/sign-in?owner=operator'),
  {
    name: 'account-menu',
    prepare: async (world) => ({ path: '/', options: await asStaff(world) }),
    act: async (page) => {
      await openNavigation(page)
      await page.getByRole('button', { name: 'Account of Ada Lovelace' }).click()
      await page.getByRole('menu').waitFor()
    },
  },
  {
    name: 'sign-in-again',
    prepare: async (world) => ({ path: '/developers/keys', options: await asStaff(world) }),
    act: async (page) => {
      await page.getByRole('button', { name: 'Create API key' }).click()
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog', { name: 'Sign in again to continue' }).waitFor()
    },
  },
  dialog('staff-sign-out', '/developers/staff', (page) =>
    page
      .getByRole('button', { name: /^Sign out everywhere/ })
      .first()
      .click(),
  ),
  dialog('staff-sign-in-form', '/developers/staff', async (page) => {
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Issuer').waitFor()
  }),
  dialog('alert-channel-form', '/alerts/channels#create', (page) =>
    page.getByRole('dialog').getByLabel('Selected kinds only').check(),
  ),
  dialog(
    'alert-channel-webhook',
    '/operator/alerts/channels#create',
    (page) => page.getByRole('dialog').getByLabel('Type').selectOption('Webhook'),
    'operator',
  ),
]
