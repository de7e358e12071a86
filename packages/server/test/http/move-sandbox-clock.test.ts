// POST /v0/sandbox/clock

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const hour = 3_600
const day = 24 * hour
const world = await openWorld({
  alone: true,
  provider: 'process',
  sandbox: { kycDecisionMs: hour * 1_000, depositStepMs: day * 1_000 },
  env: { PROVIDER_TIMEOUT_MS: '1500' },
})
after(() => world.stop())
const { call } = world.business
const move = (advanceSeconds: unknown) => call('POST', '/v0/sandbox/clock', { advanceSeconds })

test('200 what falls due meanwhile happens: a decision, a scheduled transfer', async () => {
  const user = await world.business.user('submitted')
  await world.business.reached(user, 'under_review')
  const moved = (await move(2 * hour)).body.data
  assert.equal(moved.offsetSeconds, 2 * hour)
  await world.business.reached(user, 'approved')
  const { id: account = '' } = await world.business.account(user)
  await world.business.deposit(account, { amount: '70.41' }, 'scheduled')
  await move(7 * day)
  const { data } = (await call('GET', '/v0/sandbox/clock')).body
  assert.equal(data.offsetSeconds, 2 * hour + 7 * day)
  await until('the transfer', async () => {
    const [deposit] = (await call('GET', `/v0/virtual-accounts/${account}/deposits`)).body.data
    return deposit.status === 'completed'
  })
})

test('400 back, nowhere, or by no number', async () => {
  for (const wrong of [0, -1, 1.5, 34_560_001]) assert.equal((await move(wrong)).status, 400, String(wrong))
  assertError(await move('1'), 400, 'invalid_type', { param: 'advanceSeconds' })
})

test('422 more than a century ahead', async () => {
  let answer = await move(34_560_000)
  for (let moves = 0; moves < 100 && answer.status === 200; moves++) answer = await move(34_560_000)
  assertError(answer, 422, 'provider_rejected')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await move(1), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await move(1), 503, 'provider_unavailable')
})
