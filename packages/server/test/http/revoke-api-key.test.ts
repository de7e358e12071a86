// DELETE /v0/api-keys/{id}

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { formatApiKey } from '../../src/businesses/api-key.rules.ts'
import { assertError, assertSameAnswer, checkedCalls } from '../api-contract.ts'
import { sharedWorld } from '../shared-world.ts'

const world = await sharedWorld()
after(() => world.stop())
const call = checkedCalls(world)
const newKey = async (body = {}) => (await call('POST', '/v0/api-keys', body)).body.data
const revoke = (id: string, options = {}) => call('DELETE', `/v0/api-keys/${id}`, undefined, options)

test('200 the key is dead at once, and the answer says when it died', async () => {
  const { id, key } = await newKey()
  const { data } = (await revoke(id)).body
  assert.equal(data.id, id)
  assert.match(data.revokedAt, /Z$/)
  assert.ok(!('key' in data))
  assertError(await call('GET', '/v0/whoami', undefined, { key }), 401, 'api_key_invalid')
})

test('200 a key may revoke itself, and is told so', async () => {
  const { id, key } = await newKey()
  assert.equal((await revoke(id, { key })).status, 200)
  assertError(await call('GET', '/v0/whoami', undefined, { key }), 401, 'api_key_invalid')
})

test('403 a key cannot end one that may do more than itself; one that may do no more it can', async () => {
  const strong = await newKey()
  const [weak, sibling] = [await newKey({ scopes: ['api_keys:write'] }), await newKey({ scopes: ['api_keys:write'] })]
  assertError(await revoke(strong.id, { key: weak.key }), 403, 'insufficient_scope')
  assert.equal((await call('GET', '/v0/whoami', undefined, { key: strong.key })).status, 200)
  assert.equal((await revoke(sibling.id, { key: weak.key })).status, 200)
})

test('401 a revoked key, and one whose time is over, read byte for byte as one that never was', async () => {
  const ask = (key: string) => call('GET', '/v0/whoami', undefined, { key })
  const unknown = await ask(formatApiKey('test', randomBytes(64)))
  assertError(unknown, 401, 'api_key_invalid')
  const [revoked, expired] = [await newKey(), await newKey()]
  await revoke(revoked.id)
  await world.server.deps.db.transaction((tx) => tx`update api_keys set expires_at = now() where id = ${expired.id}`)
  assertSameAnswer(await ask(revoked.key), unknown)
  assertSameAnswer(await ask(expired.key), unknown)
})

test('400 an id longer than any id is refused', async () => {
  assertError(await revoke('k'.repeat(65)), 400, 'invalid_path', { param: 'id' })
})

test("404 an absent key, one that is revoked already, and another business's: byte for byte the same", async () => {
  const { id } = await newKey()
  await revoke(id)
  const absent = await revoke('key_00000000000000000000000000')
  assertError(absent, 404, 'api_key_not_found')
  assertSameAnswer(await revoke(id), absent)
  const { apiKey: key } = await world.otherBusiness()
  const other = await newKey()
  assertSameAnswer(await revoke(other.id, { key }), absent)
  assert.equal((await call('GET', '/v0/whoami', undefined, { key: other.key })).status, 200)
})
