// Virtual accounts at a provider that has no fees, changes no account, or takes no travel-rule data: refused before anything is sent.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Traits } from '../../src/provider/port.ts'
import { adapted } from '../adapted.ts'
import { accountRequest } from '../business.ts'
import { assertError, callerOf } from '../caller.ts'
import { solanaWallet } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const user = await world.business.user('approved')
const { id } = await world.business.account(user)
const evm = { payment_rail: 'base', currency: 'usdc', address: '0x52908400098527886E0F7030069857D2E4169EE7' }
const [path, own] = ['/v0/virtual-accounts', `/v0/virtual-accounts/${id}`]

/** Runs calls against a replica whose provider has other traits. Nothing may be sent about accounts. */
async function withTraits(traits: Partial<Traits>, run: (call: typeof world.business.call) => Promise<void>) {
  const adapt = adapted((made) => ({ traits: { ...made.traits, ...traits } }))
  await using replica = await world.replica({ adapt })
  await world.provider.fails({ path: '/virtual_accounts', mode: 'delay', delay_ms: 1, times: 1_000 })
  await run(callerOf(replica.url, world.business.apiKey).call)
  const [counted] = (await world.provider.control('GET', '/faults')).body.data
  assert.equal(counted.hits, 0, 'nothing was sent')
  await world.provider.recovers()
}

test('400 without fees at the provider, a fee other than 0 and a configuration of fees are refused, and the cap reads 0', async () => {
  await withTraits({ fee: null }, async (call) => {
    const byRail = { fee_config: { source: { fee_percent: '0.8' } } }
    for (const [fees, param] of [
      [{ developer_fee_percent: '0.5' }, 'developer_fee_percent'],
      [byRail, 'fee_config'],
    ] as const) {
      const code = 'invalid_developer_fee_percent'
      assertError(await call('POST', path, { ...accountRequest(user), ...fees }), 400, code, { param })
      assertError(await call('PATCH', own, fees), 400, code, { param })
    }
    const { limits } = (await call('GET', '/v0/capabilities')).body.data
    assert.equal(limits.developerFeePercentMax, '0')
  })
})

test('200 without fees at the provider, an account without a fee is opened', async () => {
  await using replica = await world.replica({ adapt: adapted((made) => ({ traits: { ...made.traits, fee: null } })) })
  const { call } = callerOf(replica.url, world.business.apiKey)
  for (const fees of [{}, { developer_fee_percent: '0.00' }])
    assert.equal((await call('POST', path, { ...accountRequest(user), ...fees })).status, 200)
})

test('422 a change of what the provider cannot change is refused, and the metadata can still be changed', async () => {
  await withTraits({ canChange: { destination: false, fee: false } }, async (call) => {
    assertError(await call('PATCH', own, { destination: evm }), 422, 'not_offered')
    assertError(await call('PATCH', own, { developer_fee_percent: '0.4' }), 422, 'not_offered')
    assert.equal((await call('PATCH', own, { metadata: { plan: 'gold' } })).status, 200)
  })
})

test('400 travel-rule data that the provider does not take is refused', async () => {
  await withTraits({ travelRule: false }, async (call) => {
    const destination = { ...solanaWallet, travel_rule_data: { beneficiary: { is_self: true } } }
    assertError(await call('POST', path, accountRequest(user, { destination })), 400, 'unknown_field', {
      param: 'destination.travel_rule_data',
    })
  })
})
