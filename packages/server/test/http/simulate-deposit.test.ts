// POST /v0/sandbox/deposits

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const path = '/v0/sandbox/deposits'
const user = await world.business.user('approved')
const { id = '' } = await world.business.account(user)

test("200 the deposit arrives at the account under the id of the answer, which has the provider's beside it", async () => {
  const answer = await call('POST', path, {
    virtualAccountId: id,
    amount: '25.00',
    senderName: 'Ada',
    paymentRail: 'wire',
  })
  const { id: depositId, providerDepositId } = answer.body.data
  const { deposits } = (await world.provider.control('GET', '/state')).body
  assert.ok(deposits.ids.includes(providerDepositId))
  const deposit = await until('the deposit', async () => {
    const { status, body } = await call('GET', `/v0/deposits/${depositId}`)
    return status === 200 && body.data
  })
  const { senderName, paymentRail } = deposit
  assert.deepEqual([deposit.providerDepositId, senderName, paymentRail], [providerDepositId, 'Ada', 'wire'])
})

test('400 an amount that is no decimal string, an unknown outcome, an unknown field', async () => {
  for (const [change, code, param] of [
    [{ amount: 25 }, 'invalid_type', 'amount'],
    [{ amount: '1e3' }, 'invalid_format', 'amount'],
    [{ amount: '1,5' }, 'invalid_format', 'amount'],
    [{ amount: '0' }, 'invalid_format', 'amount'],
    [{ amount: '0.00' }, 'invalid_format', 'amount'],
    [{ amount: '-5.00' }, 'invalid_format', 'amount'],
    [{ amount: '1.005' }, 'invalid_format', 'amount'],
    [{ outcome: 'lost' }, 'invalid_value', 'outcome'],
    [{ virtualAccountID: id }, 'unknown_field', 'virtualAccountID'],
    [{ senderName: '' }, 'invalid_length', 'senderName'],
  ] as const) {
    assertError(await call('POST', path, { virtualAccountId: id, amount: '1.00', ...change }), 400, code, { param })
  }
})

test('409 a repeat whose Idempotency-Key is still running is told to wait, and then gets the one answer', async () => {
  const deposit = () =>
    call('POST', path, { virtualAccountId: id, amount: '2.00' }, { headers: { 'idempotency-key': 'one-deposit' } })
  const before = (await world.provider.control('GET', '/state')).body.deposits.count
  world.provider.freeze()
  const first = deposit()
  try {
    await world.keyHeld('one-deposit')
    assertError(await deposit(), 409, 'idempotency_in_progress')
  } finally {
    world.provider.thaw()
  }
  const answered = await first
  assert.equal(answered.status, 200)
  assert.equal((await deposit()).text, answered.text)
  assert.equal((await world.provider.control('GET', '/state')).body.deposits.count, before + 1)
})

test('422 an account that takes no deposits, and what the bank refuses', async () => {
  const waiting = accountRequest(await world.business.user(), { onPendingKyc: 'wait' })
  const pending = (await call('POST', '/v0/virtual-accounts', waiting)).body.data.id
  assertError(await call('POST', path, { virtualAccountId: pending, amount: '1.00' }), 422, 'account_state_conflict')
  for (const paymentRail of ['sepa', 'carrier_pigeon']) {
    const answer = await call('POST', path, { virtualAccountId: id, amount: '1.00', paymentRail })
    assertError(answer, 422, 'provider_rejected')
  }
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await call('POST', path, { virtualAccountId: id, amount: '1.00' }), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  const answer = await call('POST', path, { virtualAccountId: id, amount: '1.00' })
  assertError(answer, 503, 'provider_unavailable')
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
})

test('422 an emulator that was reset by itself: what happened and what to do, and a reset here puts both in step', async () => {
  const apart = await openWorld({ alone: true })
  try {
    const account = await apart.business.account(await apart.business.user('approved'))
    await apart.provider.control('POST', '/reset')
    const answer = await apart.business.call('POST', path, { virtualAccountId: account['id'], amount: '1.00' })
    assertError(answer, 422, 'sandbox_out_of_step')
    assert.match(answer.body.error.resolution, /POST \/v0\/sandbox\/reset/)
    assert.equal((await apart.business.call('POST', '/v0/sandbox/reset')).status, 200)
    await apart.business.account(await apart.business.user('approved'))
  } finally {
    await apart.stop()
  }
})
