// Staff, and the settings of their sign-in, for the pages that show them.

import { deploymentChain } from '../../server/src/audit/audit.rules.ts'
import { saveIssuer } from '../../server/src/sign-in/store.ts'
import { staffOf } from '../../server/test/staff.ts'
import type { ConsoleWorld, PagePath } from './console-world.ts'

/** Settings of an issuer that nobody asks. */
export async function withSignIn({ world }: ConsoleWorld): Promise<void> {
  const values = { 'payments-admins': 'admin', 'payments-support': 'support', accounting: 'finance' } as const
  const client = { issuer: 'https://login.example.com/realms/payments', clientId: 'causeway', clientSecretSealed: null }
  const settings = { ...client, roles: { claim: 'groups', values }, scope: 'openid profile email' }
  await world.inside.db.transaction((tx) => saveIssuer(tx, { businessId: world.business.id, ...settings }))
}

/** One of them has no open session. */
export async function withStaff({ world }: ConsoleWorld, businessId: string): Promise<void> {
  await staffOf(world, { businessId, roles: ['admin'] })
  const { ask } = await staffOf(world, { businessId, roles: ['support'] })
  await ask('DELETE', '/console/session')
}

export const staffPaths: readonly PagePath[] = [
  {
    name: 'developers-staff',
    as: 'business',
    prepare: async (console) => {
      await withSignIn(console)
      await withStaff(console, console.world.business.id)
      return '/developers/staff'
    },
  },
  {
    name: 'operator-staff',
    as: 'operator',
    prepare: (console) => withStaff(console, deploymentChain).then(() => '/operator/staff'),
  },
  {
    name: 'operator-business-sign-in',
    as: 'operator',
    prepare: (console) => withSignIn(console).then(() => `/operator/businesses/${console.world.business.id}/sign-in`),
  },
]
