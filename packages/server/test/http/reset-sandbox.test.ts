// POST /v0/sandbox/reset

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, request } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const reset = () => call('POST', '/v0/sandbox/reset')

test('200 nobody is left, here and at the emulator, and the same names and addresses can be used again', async () => {
  const user = await world.business.user('approved')
  await world.business.user()
  const customer = await world.business.customerOf(user)
  const { id: account = '' } = await world.business.account(user)
  await world.business.deposit(account, { amount: '30.00', outcome: 'in_review' }, 'in_review')
  const { apiKey: key, user: newUser } = await world.otherBusiness()
  const others = await newUser()

  assert.deepEqual((await reset()).body, { data: { deletedEndUsers: 2 } })

  for (const path of ['/v0/end-users', '/v0/virtual-accounts', '/v0/deposits'])
    assert.deepEqual((await call('GET', path)).body, { data: [] }, path)
  const { customers } = (await world.provider.control('GET', '/state')).body
  assert.ok(!customers.ids.includes(customer))
  assert.equal((await call('GET', `/v0/end-users/${others}`, undefined, { key })).status, 200)
  assert.deepEqual((await reset()).body, { data: { deletedEndUsers: 0 } })
  assert.equal((await call('GET', '/v0/whoami')).status, 200)
  const again = await call('POST', '/v0/end-users', { externalUserId: user, email: `${user}@example.com` })
  assert.equal(again.status, 200)
})

test('422 what the emulator will not delete stays, here as well', async () => {
  const user = await world.business.user('approved')
  const customer = await world.business.customerOf(user)
  await world.provider.fails({
    method: 'DELETE',
    path: `${customer}$`,
    mode: 'status',
    status: 400,
    body: { code: 'frozen', message: 'no' },
  })
  assertError(await reset(), 422, 'provider_rejected')
  assert.equal((await call('GET', `/v0/end-users/${user}`)).status, 200)
})

test('422 a provider that deletes no customers is not reset: nothing is forgotten', async () => {
  await using business = await world.subscriber()
  const person = await business.user('submitted')
  const lacking = { testing: null }
  await using replica = await world.replica({
    adapt: (made) => ({ ...made, ...lacking, during: (turn) => ({ ...made.during(turn), ...lacking }) }),
  })
  const headers = { authorization: `Bearer ${business.apiKey}` }
  assertError(await request('POST', `${replica.url}/v0/sandbox/reset`, {}, { headers }), 422, 'not_offered')
  assert.equal((await business.call('GET', `/v0/end-users/${person}`)).status, 200)
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await reset(), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await reset(), 503, 'provider_unavailable')
})
