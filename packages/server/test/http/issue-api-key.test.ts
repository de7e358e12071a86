// POST /v0/api-keys

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseApiKey } from '../../src/businesses/api-key.rules.ts'
import { scopes } from '../../src/platform/http/caller.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/api-keys'
const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString()

test('200 without a body, a key with all scopes of the caller that works at once; a key is in this response only', async () => {
  const { data } = (await call('POST', path)).body
  const { id, key, lastFour, createdAt, createdBy, ...fixed } = data
  assert.equal(createdBy, (await call('GET', '/v0/whoami')).body.data.apiKeyId)
  assert.match(id, /^key_/)
  assert.match(key, /^svc_test_[0-9A-Za-z]{38}$/)
  assert.ok(!('malformed' in parseApiKey(key)))
  assert.equal(lastFour, key.slice(-4))
  assert.ok(createdAt <= new Date(Date.now() + 1_000).toISOString())
  const none = { expiresAt: null, lastUsedAt: null, revokedAt: null }
  assert.deepEqual(fixed, { name: 'API key', scopes: [...scopes], ...none })
  assert.equal((await call('GET', '/v0/whoami', undefined, { key })).body.data.apiKeyId, id)
})

test('200 name, scopes and end are as asked for, and the scopes hold', async () => {
  const body = { name: 'reader', scopes: ['virtual_accounts:read'], expiresAt: nextYear }
  const { key, ...data } = (await call('POST', path, body)).body.data
  assert.deepEqual([data.name, data.scopes, data.expiresAt], [body.name, body.scopes, nextYear])
  assert.equal((await call('GET', '/v0/virtual-accounts', undefined, { key })).status, 200)
  assertError(await call('GET', '/v0/events', undefined, { key }), 403, 'insufficient_scope', {
    resolution: /events%3Aread|events:read/,
  })
})

test('200 the end is told in UTC whatever offset it was given in', async () => {
  const { data } = (await call('POST', path, { expiresAt: '2999-01-01T02:00:00+02:00' })).body
  assert.equal(data.expiresAt, '2999-01-01T00:00:00.000Z')
})

test('200 what a key inherits when no scopes are named is what the calling key has', async () => {
  const { key } = (await call('POST', path, { scopes: ['api_keys:write', 'events:read'] })).body.data
  const { data } = (await call('POST', path, {}, { key })).body
  assert.deepEqual(data.scopes, ['api_keys:write', 'events:read'])
})

test('400 an end in the past, unknown or repeated scopes, none at all, a bad name: refused by name', async () => {
  for (const [body, code, param] of [
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'invalid_value', 'expiresAt'],
    [{ expiresAt: 'tomorrow' }, 'invalid_format', 'expiresAt'],
    [{ expiresAt: '2999-02-30T00:00:00Z' }, 'invalid_format', 'expiresAt'],
    [{ expiresAt: '2999-12-31T23:59:60Z' }, 'invalid_value', 'expiresAt'],
    [{ expiresAt: '2999-01-01T00:00:00+02' }, 'invalid_value', 'expiresAt'],
    [{ expiresAt: 4_102_444_800 }, 'invalid_type', 'expiresAt'],
    [{ scopes: ['everything'] }, 'invalid_value', 'scopes.0'],
    [{ scopes: ['events:read', 'events:read'] }, 'invalid_value', 'scopes'],
    [{ scopes: [] }, 'invalid_length', 'scopes'],
    [{ name: '' }, 'invalid_length', 'name'],
    [{ name: 'n'.repeat(101) }, 'invalid_length', 'name'],
    [{ name: 'a\u0000b' }, 'invalid_format', 'name'],
    [{ Name: 'x' }, 'unknown_field', 'Name'],
  ] as const) {
    assertError(await call('POST', path, body), 400, code, { param })
  }
})

test('403 a key cannot make a key that may do more than itself', async () => {
  const { key } = (await call('POST', path, { scopes: ['api_keys:write'] })).body.data
  const answer = await call('POST', path, { scopes: ['api_keys:write', 'events:read'] }, { key })
  assertError(answer, 403, 'insufficient_scope')
})

test('422 an Idempotency-Key with another body; a repeat gets the same key', async () => {
  const headers = { 'idempotency-key': 'key-1' }
  const first = await call('POST', path, { name: 'once' }, { headers })
  const repeat = await call('POST', path, { name: 'once' }, { headers })
  assert.equal(repeat.text, first.text)
  assertError(await call('POST', path, { name: 'twice' }, { headers }), 422, 'idempotency_key_reused')
})
