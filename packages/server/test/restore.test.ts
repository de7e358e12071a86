// A restored backup: when it was taken, a write upstream had an unknown outcome, and the original has stayed in use
// since. Nothing is duplicated at the provider, and the provider's reports from the meantime are found again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openClient } from '../src/platform/postgres/client.ts'
import { request, until } from './caller.ts'
import { solanaWallet } from './people.ts'
import { accountPath } from './provider.ts'
import { openWorld } from './world.ts'

type Account = { id: string; status: string; providerVirtualAccountId: string | null }

test('a restored backup repeats what was under way under the same key, and reads again what it missed', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '300' } })
  stack.defer(() => world.stop())
  const externalUserId = await world.business.user('approved')
  const known = await world.business.account(externalUserId)
  const accountsBefore = (await world.provider.accountIds()).length

  // The provider does the work, its response is lost, and it is unavailable from then on: the outcome stays unknown.
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'cut_after' })
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'status', status: 503, times: 1_000 })
  const route = { source: { currency: 'eur' }, destination: solanaWallet, developer_fee_percent: '0.7' }
  assert.equal((await world.business.call('POST', '/v0/virtual-accounts', { externalUserId, ...route })).status, 504)
  await world.server.stop()

  const backup = `${world.database.database}_backup`
  const admin = await openClient(
    { ...world.database, database: 'postgres' },
    { applicationName: 'test', parameters: {} },
  )
  stack.defer(() => admin.close())
  await admin.query.unsafe(`create database ${backup} template ${world.database.database}`)
  stack.defer(async () => void (await admin.query.unsafe(`drop database if exists ${backup} with (force)`)))

  // The original stays in use: it settles the write, and a deposit arrives.
  await world.provider.recovers()
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const original = await world.replica()
  const accountOf = async (baseUrl: string): Promise<Account | undefined> => {
    const list = await request('GET', `${baseUrl}/v0/virtual-accounts?limit=10`, undefined, { headers })
    return list.body.data.find(({ id, status }: Account) => id !== known['id'] && status === 'active')
  }
  const settled = await until('the settling by the original', () => accountOf(original.url))
  const simulated = await request(
    'POST',
    `${original.url}/v0/sandbox/deposits`,
    { virtualAccountId: known['id'], amount: '25.00' },
    { headers },
  )
  assert.equal(simulated.status, 200, simulated.text)
  await original.stop()
  assert.equal((await world.provider.accountIds()).length, accountsBefore + 1)

  const restored = stack.use(await world.replica({ database: { ...world.database, database: backup } }))
  const again = await until('the settling by the restored one', () => accountOf(restored.url))
  assert.equal(again.id, settled.id)
  assert.equal((await world.provider.accountIds()).length, accountsBefore + 1, 'nothing was made twice')
  await until(
    'the deposit of the gap',
    async () => {
      const path = `/v0/virtual-accounts/${known['id']}/deposits`
      const deposits = await request('GET', `${restored.url}${path}`, undefined, { headers })
      return deposits.body.data.length === 1
    },
    60_000,
  )
})
