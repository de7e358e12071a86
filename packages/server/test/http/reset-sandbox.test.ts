// POST /v0/sandbox/reset

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, checkedCalls } from '../api-contract.ts'
import { approvedUser, emulatorProcess, newUser, openAccount, testWorld } from '../test-world.ts'
import { customerOf, depositReached } from './account-stories.ts'

const emulator = await emulatorProcess()
const world = await testWorld({ emulator, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const call = checkedCalls(world)
const reset = () => call('POST', '/v0/sandbox/reset')

test('200 nobody is left, here and at the emulator, and the same names and addresses can be used again', async () => {
  const user = await approvedUser(world)
  await newUser(world)
  const customer = await customerOf(world, user)
  const { id: account = '' } = await openAccount(world, user)
  await depositReached(world, account, { amount: '30.00', outcome: 'in_review' }, 'in_review')
  const { apiKey: key } = await world.otherBusiness()
  const others = await newUser(world, key)

  assert.deepEqual((await reset()).body, { data: { erasedEndUsers: 2 } })

  for (const path of ['/v0/end-users', '/v0/virtual-accounts', '/v0/deposits'])
    assert.deepEqual((await call('GET', path)).body, { data: [] }, path)
  const { customers } = (await world.control('GET', '/state')).body
  assert.ok(!customers.ids.includes(customer))
  assert.equal((await call('GET', `/v0/end-users/${others}`, undefined, { key })).status, 200)
  assert.deepEqual((await reset()).body, { data: { erasedEndUsers: 0 } })
  assert.equal((await call('GET', '/v0/whoami')).status, 200)
  const again = await call('POST', '/v0/end-users', { externalUserId: user, email: `${user}@example.com` })
  assert.equal(again.status, 200)
})

test('422 what the emulator will not delete stays, here as well', async () => {
  const user = await approvedUser(world)
  const customer = await customerOf(world, user)
  await world.control('POST', '/faults', {
    method: 'DELETE',
    path: `${customer}$`,
    mode: 'status',
    status: 400,
    body: { code: 'frozen', message: 'no' },
  })
  assertError(await reset(), 422, 'provider_rejected')
  assert.equal((await call('GET', `/v0/end-users/${user}`)).status, 200)
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  process.kill(emulator.pid, 'SIGSTOP')
  try {
    assertError(await reset(), 504, 'provider_timeout')
  } finally {
    process.kill(emulator.pid, 'SIGCONT')
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.sandbox.stop()
  assertError(await reset(), 503, 'provider_unavailable')
})
