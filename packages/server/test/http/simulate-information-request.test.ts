// POST /v0/sandbox/information-requests

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const path = '/v0/sandbox/information-requests'
const user = await world.business.user('approved')
const { id: account = '' } = await world.business.account(user)
const deposit = await world.business.deposit(account, { amount: '25.00' }, 'completed')

test('200 the request is found under the id of the answer, about the end-user or about a deposit', async () => {
  for (const order of [{}, { depositId: deposit.id, deadlineInHours: 1, actionTaken: 'customer_paused' }]) {
    const answer = await call('POST', path, { externalUserId: user, ...order })
    assert.equal(answer.status, 200, answer.text)
    const shown = await world.business.informationRequestReached(answer.body.data.id, 'action_required')
    assert.equal(shown.depositId, order.depositId ?? null)
  }
})

test('400 an action that the provider does not take, a deadline that is none, an unknown field', async () => {
  for (const [change, code, param] of [
    [{ actionTaken: 'frozen' }, 'invalid_value', 'actionTaken'],
    [{ deadlineInHours: 0 }, 'invalid_value', 'deadlineInHours'],
    [{ questions: ['why'] }, 'unknown_field', 'questions'],
  ] as const) {
    assertError(await call('POST', path, { externalUserId: user, ...change }), 400, code, { param })
  }
})

test('404 an end-user who is not there, and a deposit of another end-user', async () => {
  assertError(await call('POST', path, { externalUserId: 'nobody' }), 404, 'holder_not_found')
  const other = await world.business.user('approved')
  const answer = await call('POST', path, { externalUserId: other, depositId: deposit.id })
  assertError(answer, 404, 'deposit_not_found')
})

test('409 a repeat whose Idempotency-Key is still running is told to wait, and then gets the one answer', async () => {
  const order = () => call('POST', path, { externalUserId: user }, { headers: { 'idempotency-key': 'one-request' } })
  const before = (await world.provider.control('GET', '/state')).body.rfis.count
  world.provider.freeze()
  const first = order()
  try {
    await world.keyHeld('one-request')
    assertError(await order(), 409, 'idempotency_in_progress')
  } finally {
    world.provider.thaw()
  }
  const answered = await first
  assert.equal(answered.status, 200)
  assert.equal((await order()).text, answered.text)
  assert.equal((await world.provider.control('GET', '/state')).body.rfis.count, before + 1)
})

test('422 an end-user of whom the provider knows nothing yet', async () => {
  assertError(await call('POST', path, { externalUserId: await world.business.user() }), 422, 'kyc_not_resubmittable')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await call('POST', path, { externalUserId: user }), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await call('POST', path, { externalUserId: user }), 503, 'provider_unavailable')
})
