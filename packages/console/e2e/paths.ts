// The pages of the console, for the tests that look at each of them and for the pictures. `world` makes what a page shows.

import { flushRequests } from '../../server/src/businesses/requests/service.ts'
import { alertPaths } from './alert-world.ts'
import type { ConsoleWorld, PagePath } from './console-world.ts'
import { deploymentPaths } from './deployment.ts'
import { moneyPaths } from './money-world.ts'
import { peoplePaths } from './people.ts'
import { staffPaths } from './staff-world.ts'
import { webhookPaths } from './webhook-story.ts'

const at = (name: string, path: string, as: PagePath['as'] = 'business'): PagePath => ({
  name,
  as,
  prepare: () => path,
})

export const pagePaths: readonly PagePath[] = [
  at('home-new', '/'),
  ...peoplePaths,
  ...webhookPaths,
  ...moneyPaths,
  ...deploymentPaths,
  ...staffPaths,
  ...alertPaths,
  at('not-found', '/nothing/is/here'),
  at('not-found-operator', '/operator/nothing', 'operator'),
  at('branding', '/branding'),
  { name: 'branding-own', as: 'business', prepare: withBranding },
  { name: 'developers-keys', as: 'business', prepare: withKeys },
  { name: 'developers-links', as: 'business', prepare: withLinks },
  { name: 'developers-requests', as: 'business', prepare: withRequests },
  { name: 'developers-request', as: 'business', prepare: refusedRequest },
  {
    name: 'developers-audit',
    as: 'business',
    prepare: (console) => withKeys(console).then(() => '/developers/audit'),
  },
]

/** A ring and bars, on a clear ground. */
export const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAJAAAAAkAgMAAAAbc1tIAAAACVBMVEWdF037z+gAAADswJ8lAAAAA3RSTlP//wDXyg1BAAAAk0lEQVR42s2UsQ2AMAwEHwQNPUswBSNQ4H0ySkSFmBInoaBA9ktEiBRucorezvtxEAepbAQUABeKAFoP0oecp/Q2MZhsKGaorQBlSbYoFEm2KOwXNHhQR0CNLBkqyp6qNtfLmtszoVHEh0Rk/goK2pyk9n6kiZ2TP/Hb3713ge8nypmcx+utFLXBXBZQqULlk590J/ePbylpqNk4AAAAAElFTkSuQmCC'

async function withBranding({ world }: ConsoleWorld): Promise<string> {
  await world.business.call('PUT', '/v0/branding', {
    name: 'Globex Payments of the Seven Seas',
    logo,
    colors: { primary: '#9d174d', background: '#fff7ed', text: '#431407' },
    supportEmail: 'help@globex.example',
    privacyUrl: 'https://globex.example/privacy',
    embedOrigins: ['https://app.globex.example', 'https://pay.globex.example'],
  })
  return '/branding'
}

async function withKeys({ world }: ConsoleWorld): Promise<string> {
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const reports = { name: 'Reports', scopes: ['end_users:read', 'virtual_accounts:read'], expiresAt }
  const made = []
  for (const body of [reports, { name: 'Backend in Frankfurt' }, { name: 'Old backend' }])
    made.push((await world.business.call('POST', '/v0/api-keys', body)).body.data.id)
  await world.business.call('POST', `/v0/api-keys/${made[1]}/roll`, { expiresInHours: 24 })
  await world.business.call('DELETE', `/v0/api-keys/${made[2]}`)
  return '/developers/keys'
}

async function withLinks({ world }: ConsoleWorld): Promise<string> {
  for (const scopes of [['events:read'], ['end_users:read', 'end_users:write', 'virtual_accounts:read']])
    await world.business.call('POST', '/v0/console-links', { scopes })
  const { id } = (await world.business.call('POST', '/v0/console-links', { scopes: ['webhooks:read'] })).body.data
  await world.business.call('DELETE', `/v0/console-links/${id}`)
  return '/developers/links'
}

async function withRequests({ world }: ConsoleWorld): Promise<string> {
  await world.business.call('GET', '/v0/end-users/nobody-here')
  await world.business.call('POST', '/v0/virtual-accounts', {})
  await world.business.call('GET', '/v0/whoami')
  await flushRequests(world.inside)
  return '/developers/requests'
}

async function refusedRequest({ world }: ConsoleWorld): Promise<string> {
  const { headers } = await world.business.call('GET', '/v0/end-users/nobody-here')
  await flushRequests(world.inside)
  return `/developers/requests/${headers.get('x-request-id')}`
}
