// GET /v0/sandbox/clock

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, checkedCalls } from '../api-contract.ts'
import { emulatorProcess, testWorld } from '../test-world.ts'

const emulator = await emulatorProcess()
const world = await testWorld({ emulator, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const call = checkedCalls(world)
const read = () => call('GET', '/v0/sandbox/clock')

test('200 it goes with the real time until it is moved', async () => {
  const { data } = (await read()).body
  assert.equal(data.offsetSeconds, 0)
  assert.ok(Math.abs(Date.parse(data.now) - Date.now()) < 10_000)
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  process.kill(emulator.pid, 'SIGSTOP')
  try {
    assertError(await read(), 504, 'provider_timeout')
  } finally {
    process.kill(emulator.pid, 'SIGCONT')
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.sandbox.stop()
  assertError(await read(), 503, 'provider_unavailable')
})
