// DELETE /v0/sandbox/faults

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, checkedCalls } from '../api-contract.ts'
import { emulatorProcess, testWorld } from '../test-world.ts'

const emulator = await emulatorProcess()
const world = await testWorld({ emulator, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const call = checkedCalls(world)
const ask = () => call('DELETE', '/v0/sandbox/faults')

test('200 none is left', async () => {
  assert.deepEqual((await ask()).body, { data: { cleared: 0 } })
  await call('POST', '/v0/sandbox/faults', { path: '^/v0/a$', mode: 'hang' })
  assert.deepEqual((await ask()).body, { data: { cleared: 1 } })
  assert.deepEqual((await call('GET', '/v0/sandbox/faults')).body, { data: [] })
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  process.kill(emulator.pid, 'SIGSTOP')
  try {
    assertError(await ask(), 504, 'provider_timeout')
  } finally {
    process.kill(emulator.pid, 'SIGCONT')
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.sandbox.stop()
  assertError(await ask(), 503, 'provider_unavailable')
})
