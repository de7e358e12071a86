// PATCH /v0/alert-channels/:id

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const { id } = dataOf(
  await call('POST', '/v0/alert-channels', { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/token' }),
)
const path = `/v0/alert-channels/${id}`

test('200 changes what is sent, and nothing else', async () => {
  const before = dataOf(await call('GET', path))
  const changes = { name: 'Night shift', kinds: ['api_key.created', 'deposit.in_review'], status: 'paused' }
  const after = dataOf(await call('PATCH', path, changes))
  assert.deepEqual(after, { ...before, ...changes, updatedAt: after.updatedAt })
  assert.deepEqual(dataOf(await call('GET', path)), after)
  const moved = dataOf(await call('PATCH', path, { url: 'https://other.example.com/x' }))
  assert.equal(moved.urlOrigin, 'https://other.example.com')
})

for (const [what, body] of [
  ['addresses for Slack', { emails: ['ops@acme.example'] }],
  ['a URL inside the network', { url: 'https://192.168.0.1/' }],
] as const)
  test(`400 ${what}`, async () => {
    assertError(await call('PATCH', path, body), 400, 'invalid_alert_channel')
  })

test('400 minutes out of range, an unknown kind, and nothing at all', async () => {
  assertError(await call('PATCH', path, { endpointFailingMinutes: 0 }), 400, 'invalid_value')
  assertError(await call('PATCH', path, { endpointFailingMinutes: 1_441 }), 400, 'invalid_value')
  assertError(await call('PATCH', path, { kinds: ['weather.bad'] }), 400, 'invalid_value')
  assertError(await call('PATCH', path, {}), 400, 'invalid_length')
})
