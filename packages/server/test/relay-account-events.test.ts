// Accounts changed at the provider: its event makes Causeway read the account, and the business gets one event.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from './caller.ts'
import { solanaWallet } from './people.ts'
import { activityEvent } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

let id = ''
let ids = { customer: '', account: '' }
before(async () => {
  id = (await world.business.account(await world.business.user('approved')))['id'] ?? ''
  ids = await world.providerIdsOf(id)
})

const upstreamPath = () => `/customers/${ids.customer}/virtual_accounts/${ids.account}`
const account = async () => (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body.data
const told = async (type: string) =>
  (await world.business.call('GET', `/v0/events?eventType=virtual_account.${type}`)).body.data
const worked = (limitMs?: number) =>
  until(
    'all events to be dealt with',
    async () => {
      const [held] = await world.rows<{ count: number }>`select count(*)::int from event_work`
      return held?.count === 0
    },
    limitMs,
  )

test('a fee and a destination that were changed at the provider are ours, and `updated` tells of each once', async () => {
  await world.provider.ask('PUT', upstreamPath(), { developer_fee_percent: '1.5' })
  await until('the fee', async () => (await account()).developerFeePercent === '1.5')
  const destination = { ...solanaWallet, address: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' }
  await world.provider.ask('PUT', upstreamPath(), { destination })
  await until('the destination', async () => (await account()).destinationAddress === destination.address)
  await worked()
  const [latest, ...earlier] = await told('updated')
  assert.deepEqual(latest.payload.data, { ...(await account()), changed: ['destination'] })
  assert.deepEqual([earlier.length, earlier[0].payload.data.changed], [1, ['developerFeePercent']])
})

test('an account that is stopped and taken up again at the provider is so with us, and each is told once', async () => {
  for (const [action, status, type] of [
    ['deactivate', 'deactivated', 'deactivated'],
    ['reactivate', 'active', 'reactivated'],
  ] as const) {
    await world.provider.ask('POST', `${upstreamPath()}/${action}`)
    await until(status, async () => (await account()).status === status)
    await worked()
    assert.equal((await told(type)).length, 1)
  }
})

test('a change of ours is told once, although the provider tells of it as well', async () => {
  const before = await Promise.all(
    ['updated', 'deactivated', 'reactivated'].map(async (type) => (await told(type)).length),
  )
  const own = `/v0/virtual-accounts/${id}`
  await world.business.call('PATCH', own, { developer_fee_percent: '2.25' })
  await world.business.call('POST', `${own}/deactivate`)
  await world.business.call('POST', `${own}/reactivate`)
  await until(
    'the provider’s own events',
    async () =>
      (
        await world.rows`
    select 1 from events
    where case when type like 'virtual_account%' then convert_from(body, 'UTF8')::jsonb #>> '{event_object,type}' end = 'activation'`
      ).length === 2,
  )
  await worked()
  const after = await Promise.all(
    ['updated', 'deactivated', 'reactivated'].map(async (type) => (await told(type)).length),
  )
  assert.deepEqual(
    after,
    before.map((count) => count + 1),
  )
  assert.equal((await account()).status, 'active')
})

test('an event that only says so, signed or not, changes nothing: the provider’s answer counts', async () => {
  const before = await account()
  for (const signed of [true, false]) {
    const event = activityEvent(ids, { deposit: 'none', type: 'deactivation' })
    assert.equal((await world.post(event, { signed })).status, 200)
    await worked()
    assert.deepEqual(await account(), before)
  }
})

test('an event that is put off after its read is looked at again when it is due, though nothing else happens', async () => {
  await world.provider.fails({ method: 'GET', path: '/virtual_accounts/[^/]+$', mode: 'delay', delay_ms: 500 })
  await world.post(activityEvent(ids, { deposit: 'none', type: 'account_update' }))
  await until('the read', async () => (await world.provider.control('GET', '/faults')).body.data.at(-1).hits === 1)
  await world.rows`update virtual_accounts set updated_at = now() where id = ${id}`
  await worked(5_000)
})

test('an old event that meets a change of ours is looked at again within seconds, not after as long as it is old', async () => {
  await world.provider.fails({ method: 'PUT', path: '/virtual_accounts/[^/]+$', mode: 'delay', delay_ms: 3_000 })
  const change = world.business.call('PATCH', `/v0/virtual-accounts/${id}`, { developer_fee_percent: '2.5' })
  await until(
    'the change to be under way',
    async () => (await world.provider.control('GET', '/faults')).body.data[0].hits === 1,
  )
  const event = activityEvent(ids, { deposit: 'none', type: 'account_update' })
  assert.equal((await world.post(event)).status, 200)
  await world.rows`
      update events set created_at = now() - interval '1 hour' where provider_event_id = ${String(event.event_id)} returning id`
  // Its first look came before it was old: the next one is a second later. Each look leases the event for 40 s.
  const isLeased = (seconds: number) => seconds > 30 && seconds <= 40
  const dueInSeconds = await until('the wait of an old event', async () => {
    const [row] = await world.rows<{ seconds: number }>`
        select extract(epoch from due_at - now())::float8 as seconds from event_work where error = 'account is changed by us'`
    return row !== undefined && row.seconds > 1.5 && !isLeased(row.seconds) && row.seconds
  })
  assert.ok(dueInSeconds <= 10, `it is looked at again in ${dueInSeconds} s`)
  assert.equal((await change).status, 200)
  await worked(60_000)
})
