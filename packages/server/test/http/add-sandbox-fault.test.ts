// POST /v0/sandbox/faults

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const add = (body: unknown) => call('POST', '/v0/sandbox/faults', body)

test('200 the next requests that fit fail, and no others', async () => {
  const { data } = (await add({ path: '^/v0/customers/tos_links$', mode: 'status', status: 503, times: 2 })).body
  assert.deepEqual([data.mode, data.status, data.timesLeft, data.hits], ['status', 503, 2, 0])
  const user = await world.business.user()
  assertError(await call('POST', `/v0/end-users/${user}/tos-link`, {}), 503, 'provider_unavailable')
  const [listed] = (await call('GET', '/v0/sandbox/faults')).body.data
  assert.equal(listed.id, data.id)
  assert.ok(listed.hits >= 1)
  await call('DELETE', '/v0/sandbox/faults')
  assert.equal((await call('POST', `/v0/end-users/${await world.business.user()}/tos-link`, {})).status, 200)
})

test('400 no path, an unknown mode, and a code that does not go with the mode', async () => {
  assertError(await add({ mode: 'hang' }), 400, 'missing_field', { param: 'path' })
  assertError(await add({ path: '.', mode: 'explode' }), 400, 'invalid_value', { param: 'mode' })
  for (const body of [
    { path: '.', mode: 'refuse' },
    { path: '.', mode: 'status', code: 'frozen' },
  ])
    assertError(await add(body), 400, 'invalid_value')
})

test('422 a path that is no regular expression', async () => {
  assertError(await add({ path: '(', mode: 'hang' }), 422, 'provider_rejected')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await add({ path: '^/nothing$', mode: 'hang' }), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await add({ path: '^/nothing$', mode: 'hang' }), 503, 'provider_unavailable')
})
