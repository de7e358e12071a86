// The pages of the sandbox and of the operator, with what they show.

import { flushRequests } from '../../server/src/businesses/requests/service.ts'
import { heldEvent, quarantine } from '../../server/test/http/held-events.ts'
import type { ConsoleWorld, PagePath } from './console-world.ts'

async function withInbox({ world }: ConsoleWorld): Promise<string> {
  await world.business.account(await world.business.user('approved'))
  const webhookUrl = `${world.provider.origin}/inbox/orders`
  const { id } = (await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
  for (const _ of [1, 2, 3]) await world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  await world.business.call('POST', '/v0/sandbox/faults', { path: '^/v0/nothing$', mode: 'status', times: 2 })
  return '/sandbox'
}

/** Businesses, one of them suspended, and what waits for one of them. */
async function withBusinesses({ world }: ConsoleWorld): Promise<string> {
  const as = { key: world.operator.secret }
  for (const name of ['Northwind Remittances', 'Contoso Payroll', 'Fabrikam Treasury']) {
    const { id } = (await world.business.call('POST', '/v0/customers', { name }, as)).body.data
    await world.business.call('POST', `/v0/customers/${id}/api-keys`, { name: 'Production' }, as)
    if (name.startsWith('Contoso'))
      await world.business.call('PATCH', `/v0/customers/${id}`, { status: 'suspended' }, as)
  }
  return '/operator/businesses'
}

async function withHistory({ world }: ConsoleWorld): Promise<string> {
  await world.business.account(await world.business.user('approved'))
  return `/operator/businesses/${world.business.id}`
}

async function withLogs(console: ConsoleWorld): Promise<string> {
  const { world } = console
  await world.business.call('GET', '/v0/end-users/nobody-here')
  await world.business.call('POST', '/v0/virtual-accounts', {})
  await world.business.call('POST', '/v0/api-keys', { name: 'Reports', scopes: ['events:read'] })
  await flushRequests(world.inside)
  return withHistory(console)
}

async function withRequest({ world }: ConsoleWorld): Promise<string> {
  const { headers } = await world.business.call('GET', '/v0/end-users/nobody-here')
  await flushRequests(world.inside)
  return `/operator/businesses/${world.business.id}/requests/${headers.get('x-request-id')}`
}

/** A paused endpoint with a backlog, and an event put aside. */
async function withBacklog({ world }: ConsoleWorld): Promise<string> {
  await quarantine(world, (await heldEvent(world)).id)
  const webhookUrl = 'https://hooks.example.com/in'
  const { id } = (await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
  await world.business.call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
  for (const _ of [1, 2]) await world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  return '/operator'
}

async function withHeld(console: ConsoleWorld): Promise<string> {
  const { world } = console
  await heldEvent(world)
  await quarantine(world, (await heldEvent(world)).id)
  return '/operator/events'
}

const withOneHeld = async ({ world }: ConsoleWorld): Promise<string> =>
  `/operator/events/${(await heldEvent(world)).id}`

export const deploymentPaths: readonly PagePath[] = [
  { name: 'sandbox', as: 'business', prepare: withInbox },
  { name: 'operator-businesses', as: 'operator', prepare: withBusinesses },
  { name: 'operator-business', as: 'operator', prepare: withHistory },
  {
    name: 'operator-business-requests',
    as: 'operator',
    prepare: (console) => withLogs(console).then((path) => `${path}/requests?view=errors`),
  },
  { name: 'operator-business-request', as: 'operator', prepare: withRequest },
  {
    name: 'operator-business-audit',
    as: 'operator',
    prepare: (console) => withLogs(console).then((path) => `${path}/audit`),
  },
  { name: 'operator-overview', as: 'operator', prepare: withBacklog },
  { name: 'operator-events', as: 'operator', prepare: withHeld },
  { name: 'operator-event', as: 'operator', prepare: withOneHeld },
  { name: 'operator-storage', as: 'operator', prepare: () => '/operator/storage' },
]
