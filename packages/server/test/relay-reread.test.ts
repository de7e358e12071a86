// Changes at the provider whose events were lost for good: a full reconciliation run finds them. A response that is
// older than a change by Causeway never reverts the account.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Accounts } from '../src/provider/port.ts'
import { refreshAccount } from '../src/virtual-accounts/refresh.ts'
import { until } from './caller.ts'
import { walkEnded, walkNow } from './provider-record.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '300', PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())

let person = ''
let id = ''
let ids = { customer: '', account: '' }
before(async () => {
  person = await world.business.user('approved')
  id = (await world.business.account(person))['id'] ?? ''
  ids = await world.providerIdsOf(id)
  await world.provider.fallSilent()
  await walkEnded(world) // the one of every first start: a test that asks for one must not be given its rest
})

const ours = () => ({ businessId: world.business.id, id })
const upstreamPath = () => `/customers/${ids.customer}/virtual_accounts/${ids.account}`
const account = async () => (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body.data
const eventsOf = async (type: string) =>
  (await world.business.call('GET', `/v0/events?eventType=${type}&limit=100`)).body.data

/** As if the provider's events so far had come and gone. */
async function loseEvents(): Promise<void> {
  const last = (await world.provider.eventIds()).at(-1) ?? null
  await world.rows`update event_pull set cursor_event_id = ${last} returning provider`
}

test('verdict, account and deposits read as the provider has them after a walk, and each change is told once', async () => {
  await world.provider.deposits(ids.account, 3)
  await world.provider.ask('PUT', upstreamPath(), { developer_fee_percent: '1.25' })
  await world.provider.ask('POST', `${upstreamPath()}/deactivate`)
  await world.provider.control('POST', `/customers/${ids.customer}/kyc`, { decision: 'pause' })
  await loseEvents()
  for (const round of [1, 2]) {
    const began = new Date()
    await walkNow(world)
    await walkEnded(world, began)
    const { status, developerFeePercent } = await account()
    assert.deepEqual([status, developerFeePercent], ['deactivated', '1.25'], `round ${round}`)
    assert.equal((await world.business.call('GET', `/v0/end-users/${person}`)).body.data.kycStatus, 'paused')
    const deposits = (await world.business.call('GET', `/v0/virtual-accounts/${id}/deposits`)).body.data
    assert.deepEqual(
      deposits.map((deposit: { status: string }) => deposit.status),
      ['completed', 'completed', 'completed'],
    )
    assert.equal((await eventsOf('virtual_account.payment.received')).length, 3)
    assert.equal((await eventsOf('virtual_account.updated')).length, 1)
    const [told, ...more] = await eventsOf('virtual_account.deactivated')
    assert.deepEqual(told.payload.data, await account())
    assert.equal(more.length, 0)
  }
  await world.provider.control('POST', `/customers/${ids.customer}/kyc`, { decision: 'approve' })
  await loseEvents()
  const began = new Date()
  await walkNow(world)
  await walkEnded(world, began)
  assert.equal((await account()).status, 'deactivated')
})

test('a walk whose server stops is gone on with where it was left', async () => {
  await world.rows`update reread_walk set stage = 'virtual_accounts', after_business_id = '', after_id = '' returning provider`
  await world.provider.fails({ path: '^/v0/customers/[^/]+$', mode: 'delay', delay_ms: 0, times: 100 })
  await world.server.stop()
  await world.provider.ask('POST', `${upstreamPath()}/reactivate`)
  await loseEvents()
  const began = new Date()
  await world.rows`update reread_walk set due_at = now() returning provider`
  const port = Number(new URL(world.url).port)
  await using _ = await world.replica({ config: { port } })
  await walkEnded(world, began)
  assert.equal((await account()).status, 'active')
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  assert.equal(hits, 0, 'no end-user was read twice')
})

test('an answer that was given before a change of ours does not undo it', async () => {
  const port = Number(new URL(world.url).port)
  await using server = await world.replica({ config: { port } })
  const { inside: deps } = server
  const reading = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  const { accounts, traits } = deps.provider
  const read: Accounts['read'] = async (...args) => {
    const answer = await accounts.read(...args)
    reading.resolve()
    await changed.promise
    return answer
  }
  const late = refreshAccount({ ...deps, provider: { accounts: { ...accounts, read }, traits } }, ours())
  await reading.promise
  assert.equal((await world.business.call('POST', `/v0/virtual-accounts/${id}/deactivate`)).status, 200)
  changed.resolve()
  assert.equal(await late, 'busy')
  assert.equal((await account()).status, 'deactivated')
  assert.equal(await refreshAccount(deps, ours()), 'read')
  assert.equal((await account()).status, 'deactivated')
})

test('an account whose change is under way is left alone', async () => {
  const port = Number(new URL(world.url).port)
  await using server = await world.replica({ config: { port } })
  await world.provider.fails({ path: 'reactivate$', mode: 'cut_after' })
  await world.provider.fails({ path: 'reactivate$', mode: 'status', status: 503, times: 1_000 })
  const answer = await world.business.call('POST', `/v0/virtual-accounts/${id}/reactivate`)
  assert.equal(answer.status, 504)
  assert.equal(await refreshAccount(server.inside, ours()), 'busy')
  await world.provider.recovers()
  await until('the change', async () => (await account()).status === 'active')
  assert.equal(await refreshAccount(server.inside, ours()), 'read')
})
