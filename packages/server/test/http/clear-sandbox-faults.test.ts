// DELETE /v0/sandbox/faults

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const ask = () => call('DELETE', '/v0/sandbox/faults')

test('200 none is left', async () => {
  assert.deepEqual((await ask()).body, { data: { cleared: 0 } })
  await call('POST', '/v0/sandbox/faults', { path: '^/v0/a$', mode: 'hang' })
  assert.deepEqual((await ask()).body, { data: { cleared: 1 } })
  assert.deepEqual((await call('GET', '/v0/sandbox/faults')).body, { data: [] })
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await ask(), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await ask(), 503, 'provider_unavailable')
})
