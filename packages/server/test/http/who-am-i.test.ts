// GET /v0/whoami

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '../../src/domain/business.ts'
import { assertError, checkedCalls } from '../api-contract.ts'
import { testWorld } from '../test-world.ts'

const world = await testWorld()
after(() => world.stop())
const call = checkedCalls(world)

test('200 a key learns whose it is, its scopes and the mode, and nothing else', async () => {
  const answer = await call('GET', '/v0/whoami')
  const { apiKeyId, ...rest } = answer.body.data
  const keys = await call('GET', '/v0/api-keys')
  assert.equal(apiKeyId, keys.body.data[0].id)
  assert.deepEqual(rest, {
    customerId: world.facts.customerId,
    name: 'My business',
    scopes: [...scopes],
    mode: 'sandbox',
  })
})

test('200 a key with one scope only may still ask who it is', async () => {
  const made = await call('POST', '/v0/api-keys', { scopes: ['events:read'] })
  const answer = await call('GET', '/v0/whoami', undefined, { key: made.body.data.key })
  assert.deepEqual(answer.body.data.scopes, ['events:read'])
  assert.equal(answer.body.data.apiKeyId, made.body.data.id)
})

test('401 a revoked key is nobody any more', async () => {
  const { key, id } = (await call('POST', '/v0/api-keys', {})).body.data
  await call('DELETE', `/v0/api-keys/${id}`)
  assertError(await call('GET', '/v0/whoami', undefined, { key }), 401, 'api_key_invalid')
})
