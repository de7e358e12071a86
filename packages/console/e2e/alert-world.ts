// Alert channels, alerts and messages, for the pages that show them.

import { watchNow } from '../../server/test/alerts.ts'
import { dataOf, until } from '../../server/test/caller.ts'
import type { ConsoleWorld, PagePath } from './console-world.ts'

type Owner = 'business' | 'operator'

const callOf =
  ({ world }: ConsoleWorld, owner: Owner) =>
  (method: string, path: string, body?: unknown) =>
    owner === 'business'
      ? world.business.call(method, `/v0${path}`, body)
      : world.business.call(method, `/v0/operator${path}`, body, { key: world.operator.secret })

const made = new WeakMap<ConsoleWorld, Set<Owner>>()

/** Two channels, of which one is paused, and the outcome of a test. */
async function withChannels(console: ConsoleWorld, owner: Owner): Promise<void> {
  const owners = made.get(console) ?? new Set()
  made.set(console, owners)
  if (owners.has(owner)) return
  owners.add(owner)
  const call = callOf(console, owner)
  const url = `${console.world.provider.origin}/inbox/alerts-${owner}`
  const on = dataOf(await call('POST', '/alert-channels', { type: 'slack', name: 'Payments on call', url }))
  const off = dataOf(await call('POST', '/alert-channels', { type: 'webhook', name: 'Incident tool', url }))
  await call('PATCH', `/alert-channels/${off.id}`, { status: 'paused' })
  await call('POST', `/alert-channels/${on.id}/test`, {})
  await until('the test', async () =>
    dataOf(await call('GET', '/alert-messages')).some(({ state }: { state: string }) => state === 'sent'),
  )
}

/** An endpoint that Causeway disabled, and a new key. */
async function withAlerts(console: ConsoleWorld): Promise<void> {
  await withChannels(console, 'business')
  const { world } = console
  const webhookUrl = 'https://hooks.example.com/in'
  const { id } = dataOf(await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl }))
  await world.rows`update webhook_endpoints set status = 'disabled', disabled_reason = 'every attempt failed for 5 days'
    where id = ${id} returning 1`
  await world.business.call('POST', '/v0/api-keys', { name: 'Reports', scopes: ['events:read'] })
  await watchNow(world)
  await until('both alerts', async () => dataOf(await world.business.call('GET', '/v0/alerts')).length >= 2)
}

const at = (name: string, as: Owner, path: string, prepare = withChannels): PagePath => ({
  name,
  as,
  prepare: (console) => prepare(console, as).then(() => path),
})

export const alertPaths: readonly PagePath[] = [
  { name: 'alerts-none', as: 'business', prepare: () => '/alerts' },
  at('alerts', 'business', '/alerts', withAlerts),
  at('alerts-channels', 'business', '/alerts/channels'),
  at('alerts-messages', 'business', '/alerts/messages'),
  at('operator-alerts', 'operator', '/operator/alerts'),
  at('operator-alerts-channels', 'operator', '/operator/alerts/channels'),
  at('operator-alerts-messages', 'operator', '/operator/alerts/messages'),
]
