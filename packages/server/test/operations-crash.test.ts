// A server that dies between the call and its settling: the next start completes what it began, and the provider has one
// object, not two.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { request, until } from './caller.ts'
import { solanaWallet } from './people.ts'
import { accountPath } from './provider.ts'
import { startServe } from './serve-process.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

let externalUserId = ''
before(async () => {
  externalUserId = await world.business.user('approved')
})

test('kill -9 after the provider’s work and before ours: the next start completes the account, under the same key', async () => {
  const before = await world.provider.accountIds()
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const operation = async () =>
    (
      await world.rows<{ id: string; state: string; attempts: number; subjectId: string }>`
        select id, state, attempts, subject_id from operations where kind = 'virtual_account.create'`
    )[0]
  await using dying = await startServe(world)
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'delay', delay_ms: 600 })
  const body = { externalUserId, source: { currency: 'usd' }, destination: solanaWallet }
  const lost = request('POST', `${dying.url}/v0/virtual-accounts`, body, { headers }).catch(() => 'cut')
  await until(
    'the fault to be hit',
    async () => (await world.provider.control('GET', '/faults')).body.data[0].hits === 1,
  )
  // Frozen first, so that the provider does its work and responds, but the response is never read.
  dying.freeze()
  await until('the provider’s work', async () => (await world.provider.accountIds()).length === before.length + 1)
  await dying.kill()
  assert.equal(await lost, 'cut')
  assert.equal((await operation())?.state, 'running')
  // As if the lease had run out: the dead server cannot come back to it.
  await world.rows`update operations set lease_until = now() where state = 'running'`
  await using _next = await startServe(world)
  const settled = await until('the settling', async () => {
    const row = await operation()
    return row?.state === 'done' && row
  })
  assert.equal(settled.attempts, 2)
  const account = await world.business.call('GET', `/v0/virtual-accounts/${settled.subjectId}`)
  assert.equal(account.body.data.status, 'active')
  assert.equal((await world.provider.accountIds()).length, before.length + 1)
  const events = await world.business.call('GET', '/v0/events?eventType=virtual_account.created')
  assert.equal(events.body.data.length, 1)
})
