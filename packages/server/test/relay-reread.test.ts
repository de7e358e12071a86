// What moved at the provider while its events were lost for good: the walk that reads everything again finds it, and an
// account that is read again is never set back by an answer that is older than a change of ours.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Provider } from '../src/provider/client.ts'
import type { ProviderVirtualAccount } from '../src/provider/port.ts'
import { refreshAccount } from '../src/virtual-accounts/refresh.ts'
import { makeDeposits, reconcileWorld, recordedIds } from './reconcile-world.ts'
import { fault, provider, providerIdsOf, silenceProvider } from './relay-provider.ts'
import { startReplica } from './relay-world.ts'
import { walkEnded } from './reread-walk.ts'
import { approvedUser, openAccount, until } from './test-world.ts'

const world = await reconcileWorld({ PROVIDER_TIMEOUT_MS: '1500' })
after(() => world.stop())

let person = ''
let id = ''
let ids = { customer: '', account: '' }
before(async () => {
  person = await approvedUser(world)
  id = (await openAccount(world, person))['id'] ?? ''
  ids = await providerIdsOf(world, id)
  await silenceProvider(world)
  await walkEnded(world.rows) // the one of every first start: a test that asks for one must not be given its rest
})

const ours = () => ({ businessId: world.facts.customerId, id })
const upstreamPath = () => `/customers/${ids.customer}/virtual_accounts/${ids.account}`
const account = async () => (await world.call('GET', `/v0/virtual-accounts/${id}`)).body.data
const eventsOf = async (type: string) => (await world.call('GET', `/v0/events?eventType=${type}&limit=100`)).body.data

/** As if the provider's events so far had come and gone. */
async function loseEvents(): Promise<void> {
  const last = (await recordedIds(world)).at(-1) ?? null
  await world.rows((query) => query`update event_pull set cursor_event_id = ${last} returning id`)
}

async function walkNow(): Promise<void> {
  await world.rows((query) => query`update reread_walk set due_at = now() returning id`)
  world.server.deps.wake('reconcile')
}

test('verdict, account and deposits read as the provider has them after a walk, and each change is told once', async () => {
  await makeDeposits(world, ids.account, 3)
  await provider(world, 'PUT', upstreamPath(), { developer_fee_percent: '1.25' })
  await provider(world, 'POST', `${upstreamPath()}/deactivate`)
  await world.control('POST', `/customers/${ids.customer}/kyc`, { decision: 'pause' })
  await loseEvents()
  for (const round of [1, 2]) {
    const began = new Date()
    await walkNow()
    await walkEnded(world.rows, began)
    const { status, developerFeePercent } = await account()
    assert.deepEqual([status, developerFeePercent], ['deactivated', '1.25'], `round ${round}`)
    assert.equal((await world.call('GET', `/v0/end-users/${person}`)).body.data.kycStatus, 'paused')
    const deposits = (await world.call('GET', `/v0/virtual-accounts/${id}/deposits`)).body.data
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
  await world.control('POST', `/customers/${ids.customer}/kyc`, { decision: 'approve' })
  await loseEvents()
  const began = new Date()
  await walkNow()
  await walkEnded(world.rows, began)
  assert.equal((await account()).status, 'deactivated')
})

test('a walk whose server stops is gone on with where it was left', async () => {
  await world.rows(
    (query) =>
      query`update reread_walk set stage = 'virtual_accounts', after_business_id = '', after_id = '' returning id`,
  )
  await fault(world, { path: '^/v0/customers/[^/]+$', mode: 'delay', delay_ms: 0, times: 100 })
  await world.server.stop()
  await provider(world, 'POST', `${upstreamPath()}/reactivate`)
  await loseEvents()
  const began = new Date()
  await world.rows((query) => query`update reread_walk set due_at = now() returning id`)
  const port = Number(new URL(world.facts.baseUrl).port)
  await using _ = await startReplica(world, { port })
  await walkEnded(world.rows, began)
  assert.equal((await account()).status, 'active')
  const [{ hits }] = (await world.control('GET', '/faults')).body.data
  assert.equal(hits, 0, 'no end-user was read twice')
})

test('an answer that was given before a change of ours does not undo it', async () => {
  const port = Number(new URL(world.facts.baseUrl).port)
  await using server = await startReplica(world, { port })
  const { deps } = server
  const reading = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  const getVirtualAccount: Provider['getVirtualAccount'] = async (...args): Promise<ProviderVirtualAccount> => {
    const answer = await deps.provider.getVirtualAccount(...args)
    reading.resolve()
    await changed.promise
    return answer
  }
  const late = refreshAccount({ ...deps, provider: { ...deps.provider, getVirtualAccount } }, ours())
  await reading.promise
  assert.equal((await world.call('POST', `/v0/virtual-accounts/${id}/deactivate`)).status, 200)
  changed.resolve()
  assert.equal(await late, 'busy')
  assert.equal((await account()).status, 'deactivated')
  assert.equal(await refreshAccount(deps, ours()), 'read')
  assert.equal((await account()).status, 'deactivated')
})

test('an account whose change is under way is left alone', async () => {
  const port = Number(new URL(world.facts.baseUrl).port)
  await using server = await startReplica(world, { port })
  await fault(world, { path: 'reactivate$', mode: 'cut_after' })
  await fault(world, { path: 'reactivate$', mode: 'status', status: 503, times: 1_000 })
  const answer = await world.call('POST', `/v0/virtual-accounts/${id}/reactivate`)
  assert.equal(answer.status, 504)
  assert.equal(await refreshAccount(server.deps, ours()), 'busy')
  await world.control('DELETE', '/faults')
  await until('the change', async () => (await account()).status === 'active')
  assert.equal(await refreshAccount(server.deps, ours()), 'read')
})
