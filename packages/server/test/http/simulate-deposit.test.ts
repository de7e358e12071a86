// POST /v0/sandbox/deposits

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, checkedCalls } from '../api-contract.ts'
import { approvedUser, emulatorProcess, newUser, openAccount, testWorld, until } from '../test-world.ts'
import { accountRequest, keyHeld } from './account-stories.ts'

const emulator = await emulatorProcess()
const world = await testWorld({ emulator, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const call = checkedCalls(world)
const path = '/v0/sandbox/deposits'
const user = await approvedUser(world)
const { id = '' } = await openAccount(world, user)

test("200 the deposit arrives at the account under the id of the answer, which has the provider's beside it", async () => {
  const answer = await call('POST', path, {
    virtualAccountId: id,
    amount: '25.00',
    senderName: 'Ada',
    paymentRail: 'wire',
  })
  const { id: depositId, providerDepositId } = answer.body.data
  const { deposits } = (await world.control('GET', '/state')).body
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
  const before = (await world.control('GET', '/state')).body.deposits.count
  process.kill(emulator.pid, 'SIGSTOP')
  const first = deposit()
  try {
    await keyHeld(world, 'one-deposit')
    assertError(await deposit(), 409, 'idempotency_in_progress')
  } finally {
    process.kill(emulator.pid, 'SIGCONT')
  }
  const answered = await first
  assert.equal(answered.status, 200)
  assert.equal((await deposit()).text, answered.text)
  assert.equal((await world.control('GET', '/state')).body.deposits.count, before + 1)
})

test('422 an account that takes no deposits, and what the bank refuses', async () => {
  const waiting = accountRequest(await newUser(world), { onPendingKyc: 'wait' })
  const pending = (await call('POST', '/v0/virtual-accounts', waiting)).body.data.id
  assertError(await call('POST', path, { virtualAccountId: pending, amount: '1.00' }), 422, 'account_state_conflict')
  for (const paymentRail of ['sepa', 'carrier_pigeon']) {
    const answer = await call('POST', path, { virtualAccountId: id, amount: '1.00', paymentRail })
    assertError(answer, 422, 'provider_rejected')
  }
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  process.kill(emulator.pid, 'SIGSTOP')
  try {
    assertError(await call('POST', path, { virtualAccountId: id, amount: '1.00' }), 504, 'provider_timeout')
  } finally {
    process.kill(emulator.pid, 'SIGCONT')
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.sandbox.stop()
  const answer = await call('POST', path, { virtualAccountId: id, amount: '1.00' })
  assertError(answer, 503, 'provider_unavailable')
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
})

test('422 an emulator that was reset by itself: what happened and what to do, and a reset here puts both in step', async () => {
  const apart = await testWorld()
  try {
    const account = await openAccount(apart, await approvedUser(apart))
    await apart.control('POST', '/reset')
    const answer = await apart.call('POST', path, { virtualAccountId: account['id'], amount: '1.00' })
    assertError(answer, 422, 'sandbox_out_of_step')
    assert.match(answer.body.error.resolution, /POST \/v0\/sandbox\/reset/)
    assert.equal((await apart.call('POST', '/v0/sandbox/reset')).status, 200)
    await openAccount(apart, await approvedUser(apart))
  } finally {
    await apart.stop()
  }
})
