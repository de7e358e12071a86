// GET /v0/sandbox/faults

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const ask = () => call('GET', '/v0/sandbox/faults')

test('200 every fault that was ordered, with what is left of it', async () => {
  assert.deepEqual((await ask()).body, { data: [] })
  await call('POST', '/v0/sandbox/faults', { path: '^/v0/a$', mode: 'refuse', code: 'frozen' })
  await call('POST', '/v0/sandbox/faults', { path: '^/v0/b$', mode: 'delay', delayMs: 250, times: 3, method: 'GET' })
  const { data } = (await ask()).body
  assert.deepEqual(
    data.map(({ id: _, ...fault }: { id: string }) => fault),
    [
      { path: '^/v0/a$', mode: 'refuse', method: null, status: 400, delayMs: 1000, timesLeft: 1, hits: 0 },
      { path: '^/v0/b$', mode: 'delay', method: 'GET', status: 500, delayMs: 250, timesLeft: 3, hits: 0 },
    ],
  )
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
