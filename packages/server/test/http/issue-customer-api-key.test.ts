// POST /v0/customers/{customerId}/api-keys

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '../../src/platform/http/caller.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator
const withoutKeys = async (): Promise<string> =>
  (await operate('POST', '/v0/customers', { name: 'A customer without keys' })).body.data.id

test('200 the key opens the door of this customer, with all scopes unless some are named', async () => {
  const id = await withoutKeys()
  const path = `/v0/customers/${id}/api-keys`
  for (const body of [undefined, {}, { name: 'narrow', scopes: ['events:read'] }]) {
    const { data } = (await operate('POST', path, body)).body
    const me = (await world.business.call('GET', '/v0/whoami', undefined, { key: data.key })).body.data
    assert.deepEqual([me.customerId, me.apiKeyId], [id, data.id])
    assert.deepEqual(me.scopes, body?.scopes ?? [...scopes])
  }
})

test('200 a key may end by itself', async () => {
  const path = `/v0/customers/${world.business.id}/api-keys`
  const { data } = (await operate('POST', path, { expiresAt: '2999-01-01T00:00:00Z' })).body
  assert.equal(data.expiresAt, '2999-01-01T00:00:00.000Z')
})

test('400 unknown scopes, an end in the past, an unknown field', async () => {
  const path = `/v0/customers/${world.business.id}/api-keys`
  assertError(await operate('POST', path, { scopes: ['all'] }), 400, 'invalid_value', { param: 'scopes.0' })
  assertError(await operate('POST', path, { expiresAt: '2020-01-01T00:00:00Z' }), 400, 'invalid_value')
  assertError(await operate('POST', path, { mode: 'live' }), 400, 'unknown_field', { param: 'mode' })
})

test('422 a customer has 100 live keys at most', async () => {
  const path = `/v0/customers/${await withoutKeys()}/api-keys`
  for (let made = 0; made < 100; made++) assert.equal((await operate('POST', path, {})).status, 200)
  assertError(await operate('POST', path, {}), 422, 'api_key_limit_reached', { resolution: /100/ })
})
