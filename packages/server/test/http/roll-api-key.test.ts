// POST /v0/api-keys/{id}/roll

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const newKey = async (body = {}) => (await call('POST', '/v0/api-keys', body)).body.data
const roll = (id: string, body?: unknown, options = {}) => call('POST', `/v0/api-keys/${id}/roll`, body, options)
const works = async (key: string) => (await world.business.call('GET', '/v0/whoami', undefined, { key })).status

test('200 a new key with the same name and scopes; the old one goes on for a day', async () => {
  const old = await newKey({ name: 'prod', scopes: ['events:read'] })
  const { data } = (await roll(old.id)).body
  assert.notEqual(data.id, old.id)
  assert.notEqual(data.key, old.key)
  assert.deepEqual([data.name, data.scopes, data.expiresAt], ['prod', ['events:read'], null])
  assert.deepEqual([await works(old.key), await works(data.key)], [200, 200])
  const { data: keys } = (await call('GET', '/v0/api-keys')).body
  const hours = (Date.parse(keys.find((row: { id: string }) => row.id === old.id).expiresAt) - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours <= 24.01, String(hours))
})

test('200 with expiresInHours 0 the old key is dead at once', async () => {
  const old = await newKey()
  const { data } = (await roll(old.id, { expiresInHours: 0 })).body
  assert.deepEqual([await works(old.key), await works(data.key)], [401, 200])
})

test('200 a key that ends sooner by itself is not given more time', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const old = await newKey({ expiresAt })
  await roll(old.id, { expiresInHours: 168 })
  const { data: keys } = (await call('GET', '/v0/api-keys')).body
  assert.equal(keys.find((row: { id: string }) => row.id === old.id).expiresAt, expiresAt)
})

test('200 the new key expires when the old one would have: a key for a day does not become endless', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const { data } = (await roll((await newKey({ expiresAt })).id, { expiresInHours: 0 })).body
  assert.equal(data.expiresAt, expiresAt)
})

test('200 a key may replace itself', async () => {
  const own = await newKey()
  const { data } = (await roll(own.id, { expiresInHours: 0 }, { key: own.key })).body
  assert.deepEqual([await works(own.key), await works(data.key)], [401, 200])
})

test('200 one event api_key.rolled tells both ids and neither key', async () => {
  const old = await newKey()
  const { data } = (await roll(old.id, { expiresInHours: 1 })).body
  const answer = await call('GET', '/v0/events?eventType=api_key.rolled&limit=1')
  const [event] = answer.body.data
  const { oldKeyEndsAt, ...ids } = event.payload.data
  assert.deepEqual(ids, { oldKeyId: old.id, newKeyId: data.id })
  assert.ok(Date.parse(oldKeyEndsAt) > Date.now())
  for (const { key } of [old, data]) assert.ok(!answer.text.includes(key))
})

test('400 hours beyond a week, negative, broken or as text', async () => {
  const { id } = await newKey()
  for (const [expiresInHours, code] of [
    [169, 'invalid_value'],
    [-1, 'invalid_value'],
    [1.5, 'invalid_type'],
    ['24', 'invalid_type'],
    [null, 'invalid_type'],
  ] as const) {
    assertError(await roll(id, { expiresInHours }), 400, code, { param: 'expiresInHours' })
  }
})

test('403 a key cannot get more than it may by replacing one that may do more', async () => {
  const strong = await newKey()
  const weak = await newKey({ scopes: ['api_keys:write'] })
  assertError(await roll(strong.id, {}, { key: weak.key }), 403, 'insufficient_scope')
  assert.equal(await works(strong.key), 200)
})

test("404 an absent, a revoked and a rolled-out key, and another business's byte for byte the same", async () => {
  const { apiKey: key } = await world.otherBusiness()
  const revoked = await newKey()
  await call('DELETE', `/v0/api-keys/${revoked.id}`)
  const dead = await newKey()
  await roll(dead.id, { expiresInHours: 0 })
  const absent = await roll('key_00000000000000000000000000')
  assertError(absent, 404, 'api_key_not_found')
  for (const { id } of [revoked, dead]) assertSameAnswer(await roll(id), absent)
  assertSameAnswer(await roll((await newKey()).id, {}, { key }), absent)
})

test('200 and 404 of replacements at once the first gets a key; for the others the old one is gone', async () => {
  const old = await newKey()
  const answers = await Promise.all(Array.from({ length: 6 }, () => roll(old.id, { expiresInHours: 0 })))
  const made = answers.filter(({ status }) => status === 200)
  assert.equal(made.length, 1)
  for (const answer of answers) if (answer.status !== 200) assertError(answer, 404, 'api_key_not_found')
})

test('422 a business has 100 live keys at most, however many replacements are asked for at once', async () => {
  const { id: customerId, apiKey: key } = await world.otherBusiness()
  const liveKeys = async () => {
    const [row] = await world.rows<{ live: number }>`
        select count(*)::int as live from api_keys
        where business_id = ${customerId} and revoked_at is null and (expires_at is null or expires_at > now())`
    return row?.live
  }
  const ids: string[] = []
  for (let made = 1; made < 90; made++) ids.push((await call('POST', '/v0/api-keys', {}, { key })).body.data.id)
  const answers = await Promise.all(ids.slice(0, 20).map((id) => roll(id, { expiresInHours: 24 }, { key })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 10)
  for (const answer of answers) if (answer.status !== 200) assertError(answer, 422, 'api_key_limit_reached')
  assert.equal(await liveKeys(), 100)
  assertError(await call('POST', '/v0/api-keys', {}, { key }), 422, 'api_key_limit_reached', { resolution: /100/ })
  const issue = await call('POST', `/v0/customers/${customerId}/api-keys`, {}, { key: world.operator.secret })
  assertError(issue, 422, 'api_key_limit_reached')
  const [{ id: other }] = (await call('GET', '/v0/api-keys?limit=1', undefined, { key })).body.data
  assert.equal((await roll(other, { expiresInHours: 0 }, { key })).status, 200, 'at once there is one for one')
  assert.equal((await call('DELETE', `/v0/api-keys/${other}`, undefined, { key })).status, 404)
  assert.equal(await liveKeys(), 100)
})
