// GET /v0/sandbox/clock

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const read = () => call('GET', '/v0/sandbox/clock')

test('200 it goes with the real time until it is moved', async () => {
  const { data } = (await read()).body
  assert.equal(data.offsetSeconds, 0)
  assert.ok(Math.abs(Date.parse(data.now) - Date.now()) < 10_000)
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await read(), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await read(), 503, 'provider_unavailable')
})
