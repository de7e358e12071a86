// fee_config: passed on to the provider at creation and at a change, and shown as the provider shows it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError } from '../caller.ts'
import { solanaWallet } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'
const user = await world.business.user('approved')
const short = { source: { fee_percent: '0.8', minimum_fee: '0.50', wire: { fee_amount: '7.00' } } }
const byRail = { source: { default: { fee_percent: '0.8', minimum_fee: '0.50' }, wire: { fee_amount: '7.00' } } }
const withFees = (fee_config: unknown) => ({ ...accountRequest(user), fee_config })

test('200 a configuration goes to the provider, and is shown as the provider writes it', async () => {
  const { data } = (await call('POST', path, withFees(short))).body
  assert.deepEqual([data.feeConfig, data.developerFeePercent, data.status], [byRail, '0', 'active'])
  assert.deepEqual((await call('GET', `${path}/${data.id}`)).body.data, data)
  const deposit = await world.business.deposit(data.id, { amount: '100.00', paymentRail: 'wire' }, 'completed')
  assert.deepEqual(deposit['developerFee'], { value: '7.00', currency: 'usd' })
})

test('200 an account without a configuration shows none', async () => {
  const { data } = (await call('POST', path, accountRequest(user))).body
  assert.ok(!('feeConfig' in data))
})

test('200 a change replaces the configuration and the percentage, and a percentage shows what the provider makes of it', async () => {
  const other = await world.business.user('approved')
  const { id } = (await call('POST', path, accountRequest(other, { developer_fee_percent: '0.5' }))).body.data
  const changed = (await call('PATCH', `${path}/${id}`, { fee_config: short })).body.data
  assert.deepEqual([changed.feeConfig, changed.developerFeePercent], [byRail, '0.0'])
  const [told] = await world.business.events('virtual_account.updated', id)
  assert.deepEqual(told.payload.data, { ...changed, changed: ['developerFeePercent', 'feeConfig'] })
  const back = (await call('PATCH', `${path}/${id}`, { developer_fee_percent: '1' })).body.data
  assert.deepEqual(['feeConfig' in back, back.developerFeePercent], [false, '1'])
  const [upstream] = await world.provider.accountsOf(other)
  assert.deepEqual([upstream?.developer_fee_percent, 'fee_config' in (upstream ?? {})], ['1', false])
})

test('200 the smallest deposit is unknown under a configuration that the provider does not show', async () => {
  const holder = await world.business.user('approved')
  const least = async (id: string) =>
    (await call('GET', `${path}/${id}/deposit-instructions`)).body.data.payerRules.minimumDeposit
  const { id } = (await call('POST', path, accountRequest(holder))).body.data
  assert.equal(await least(id), '1.00')
  const [theirs] = await world.provider.accountsOf(holder)
  const silent = { mode: 'status', status: 200, body: theirs }

  await world.provider.fails({ about: holder, ...silent, body: { ...theirs, id: `silent-${holder}` } })
  const created = (await call('POST', path, { ...withFees(short), externalUserId: holder })).body.data
  assert.deepEqual([created.status, 'feeConfig' in created, await least(created.id)], ['active', false, null])

  await world.provider.fails({ about: holder, ...silent, under: '/[^/]+' })
  const changed = await call('PATCH', `${path}/${id}`, { fee_config: short })
  assert.deepEqual([changed.status, 'feeConfig' in changed.body.data, await least(id)], [200, false, null])
  await call('PATCH', `${path}/${id}`, { developer_fee_percent: '1' })
  assert.equal(await least(id), '1.02')
})

test('200 a response that names no fee at all leaves the configuration as it was', async () => {
  const holder = await world.business.user('approved')
  const { id } = (await call('POST', path, { ...withFees(short), externalUserId: holder })).body.data
  const [theirs] = await world.provider.accountsOf(holder)
  const { fee_config: _, developer_fee_percent: __, ...body } = { fee_config: null, ...theirs }
  await world.provider.fails({ about: holder, mode: 'status', status: 200, body, under: '/[^/]+' })
  const { data } = (await call('PATCH', `${path}/${id}`, { destination: solanaWallet, metadata: { plan: 'plus' } }))
    .body
  assert.deepEqual([data.feeConfig, data.metadata], [byRail, { plan: 'plus' }])
  const [told] = await world.business.events('virtual_account.updated', id)
  assert.deepEqual(told.payload.data.changed, ['metadata'])
})

test('200 an account that waits for KYC is opened with its configuration', async () => {
  const wanting = await world.business.user('approved')
  const request = { ...withFees(short), externalUserId: wanting, onPendingKyc: 'wait' }
  const { data } = (await call('POST', path, request)).body
  assert.deepEqual(data.feeConfig, byRail)
})

test('200 a repeat whose first response was lost gets the same account, and other fees make another', async () => {
  const headers = { 'idempotency-key': 'fees-1' }
  const first = await call('POST', path, withFees(short), { headers })
  const again = await call('POST', path, withFees(short), { headers })
  assert.equal(again.body.data.id, first.body.data.id)
  const other = await call('POST', path, withFees({ source: { fee_percent: '0.9' } }))
  assert.notEqual(other.body.data.id, first.body.data.id)
})

test('400 both forms of a fee, a percentage out of range, too many bytes and too many levels are refused', async () => {
  const wrong: [body: object, code: Parameters<typeof assertError>[2], param: string][] = [
    [{ ...withFees(short), developer_fee_percent: '0.5' }, 'invalid_value', 'fee_config'],
    [withFees({ source: { fee_percent: '100' } }), 'invalid_developer_fee_percent', 'fee_config.source.fee_percent'],
    [
      withFees({ source: { wire: { fee_percent: 1 } } }),
      'invalid_developer_fee_percent',
      'fee_config.source.wire.fee_percent',
    ],
    [withFees({ source: { note: 'x'.repeat(4_096) } }), 'invalid_length', 'fee_config'],
    [withFees({ source: { wire: { a: { b: '1' } } } }), 'invalid_length', 'fee_config'],
    [withFees('0.5'), 'invalid_type', 'fee_config'],
  ]
  const { id } = (await call('POST', path, accountRequest(user))).body.data
  for (const [body, code, param] of wrong) {
    assertError(await call('POST', path, body), 400, code, { param })
    const { externalUserId: _, source: __, destination: ___, ...change } = body as Record<string, unknown>
    assertError(await call('PATCH', `${path}/${id}`, change), 400, code, { param })
  }
})

test('422 what the provider finds wrong in it is told', async () => {
  assertError(await call('POST', path, withFees({ source: { pigeon: { fee_amount: '1' } } })), 422, 'provider_rejected')
})

test('400 where the operator caps fees, a configuration cannot pass the cap, by percentage or by amount', async () => {
  const capped = await openWorld({ alone: true, env: { DEVELOPER_FEE_PERCENT_MAX: '2.5' } })
  try {
    const holder = await capped.business.user('approved')
    const ask = (source: object) =>
      capped.business.call('POST', path, {
        externalUserId: holder,
        source: { currency: 'usd' },
        destination: solanaWallet,
        fee_config: { source },
      })
    for (const source of [
      { fee_percent: '2.6' },
      { wire: { fee_percent: '3' } },
      { fee_amount: '1' },
      { wire: { minimum_fee: '1' } },
    ])
      assertError(await ask(source), 400, 'invalid_developer_fee_percent')
    assert.equal((await ask({ fee_percent: '2.5', maximum_fee: '10' })).status, 200)
  } finally {
    await capped.stop()
  }
})
