// POST /v0/sandbox/terms-acceptances

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, checkedCalls } from '../api-contract.ts'
import { emulatorProcess, kycBody, newUser, testWorld, until } from '../test-world.ts'
import { keyHeld } from './account-stories.ts'

const emulator = await emulatorProcess()
const world = await testWorld({ emulator, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const call = checkedCalls(world)
const accept = (externalUserId: unknown, options = {}) =>
  call('POST', '/v0/sandbox/terms-acceptances', { externalUserId }, options)

test('200 the agreement is one that a submission is taken with, and a repeat under the same key has the same answer', async () => {
  const user = await newUser(world)
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
  const { apiKey: key } = await world.otherBusiness()
  assertError(await accept(await newUser(world, key)), 404, 'holder_not_found')
})

test('409 two at once: the second is told to wait for the link of the first', async () => {
  const user = await newUser(world)
  process.kill(emulator.pid, 'SIGSTOP')
  const first = accept(user, { headers: { 'idempotency-key': 'first-of-two' } })
  try {
    await keyHeld(world, 'first-of-two')
    await until('the link under way', async () => {
      const running = await world.server.deps.db.read(
        (query) => query`select 1 from operations where kind = 'tos_link.create' and state = 'running'`,
      )
      return running.length > 0
    })
    assertError(await accept(user), 409, 'tos_link_in_progress')
  } finally {
    process.kill(emulator.pid, 'SIGCONT')
    await first
  }
})

test('422 an emulator that was reset by itself is out of step', async () => {
  const user = await newUser(world)
  await accept(user)
  await world.control('POST', '/reset')
  assertError(await accept(user), 422, 'sandbox_out_of_step')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  const user = await newUser(world)
  process.kill(emulator.pid, 'SIGSTOP')
  try {
    assertError(await accept(user), 504, 'provider_timeout')
  } finally {
    process.kill(emulator.pid, 'SIGCONT')
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  const user = await newUser(world)
  await world.sandbox.stop()
  assertError(await accept(user), 503, 'provider_unavailable')
})
