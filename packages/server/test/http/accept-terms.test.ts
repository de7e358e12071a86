// POST /v0/sandbox/terms-acceptances

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { kycBody } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const accept = (externalUserId: unknown, options = {}) =>
  call('POST', '/v0/sandbox/terms-acceptances', { externalUserId }, options)

test('200 the agreement is one that a submission is taken with, and a repeat under the same key has the same answer', async () => {
  const user = await world.business.user()
  const options = { headers: { 'idempotency-key': 'accepted-once' } }
  const answer = await accept(user, options)
  assert.equal(answer.body.data.externalUserId, user)
  assert.deepEqual((await accept(user, options)).body, answer.body)
  const body = kycBody(answer.body.data.signedAgreementId, user)
  assert.equal((await call('POST', `/v0/end-users/${user}/submit-kyc`, body)).status, 200)
  assert.equal((await call('GET', `/v0/end-users/${user}`)).body.data.tosStatus, 'approved')
})

test('404 nobody of this name, or of another business', async () => {
  assertError(await accept('nobody-here'), 404, 'holder_not_found')
  const { user: newUser } = await world.otherBusiness()
  assertError(await accept(await newUser()), 404, 'holder_not_found')
})

test('409 two at once: the second is told to wait for the link of the first', async () => {
  const user = await world.business.user()
  world.provider.freeze()
  const first = accept(user, { headers: { 'idempotency-key': 'first-of-two' } })
  try {
    await world.keyHeld('first-of-two')
    await until('the link under way', async () => {
      const running = await world.rows`select 1 from operations where kind = 'tos_link.create' and state = 'running'`
      return running.length > 0
    })
    assertError(await accept(user), 409, 'tos_link_in_progress')
  } finally {
    world.provider.thaw()
    await first
  }
})

test('422 an emulator that was reset by itself is out of step', async () => {
  const user = await world.business.user()
  await accept(user)
  await world.provider.control('POST', '/reset')
  assertError(await accept(user), 422, 'sandbox_out_of_step')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  const user = await world.business.user()
  world.provider.freeze()
  try {
    assertError(await accept(user), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  const user = await world.business.user()
  await world.provider.stop()
  assertError(await accept(user), 503, 'provider_unavailable')
})
