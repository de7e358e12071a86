// GET /v0/whoami

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '../../src/platform/http/caller.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 a key learns whose it is, its scopes and the mode, and nothing else', async () => {
  const answer = await call('GET', '/v0/whoami')
  const { apiKeyId, ...rest } = answer.body.data
  const keys = await call('GET', '/v0/api-keys')
  assert.equal(apiKeyId, keys.body.data[0].id)
  assert.deepEqual(rest, {
    customerId: world.business.id,
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

test('200 many at once, with different keys: each is told about its own', async () => {
  const keys = [world.business.apiKey]
  for (let made = 0; made < 3; made++) keys.push((await call('POST', '/v0/api-keys', {})).body.data.key)
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, at) => {
      const headers = { 'x-request-id': `many-${at}` }
      return call('GET', at % 5 === 4 ? '/v0/end-users/nobody' : '/v0/whoami', undefined, {
        key: keys[at % 4] ?? '',
        headers,
      })
    }),
  )
  const ids = new Map<number, Set<string>>()
  for (const [at, answer] of answers.entries()) {
    assert.equal(answer.headers.get('x-request-id'), `many-${at}`)
    if (at % 5 === 4) assertError(answer, 404, 'holder_not_found')
    else ids.set(at % 4, (ids.get(at % 4) ?? new Set()).add(answer.body.data.apiKeyId))
  }
  assert.deepEqual(
    [...ids.values()].map(({ size }) => size),
    keys.map(() => 1),
  )
  assert.equal(new Set([...ids.values()].flatMap((own) => [...own])).size, keys.length)
})
