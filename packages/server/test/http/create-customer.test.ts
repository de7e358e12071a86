// POST /v0/customers

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator

test('200 a customer is active, has an id of its own, and nothing of any other customer', async () => {
  const { data } = (await operate('POST', '/v0/customers', { name: 'Łódź & Söhne 🏦' })).body
  const { id, createdAt, updatedAt, ...fixed } = data
  assert.match(id, /^biz_[0-9a-z]{26}$/)
  assert.equal(createdAt, updatedAt)
  const emailConflicts = { count: 0, lastAt: null }
  assert.deepEqual(fixed, { name: 'Łódź & Söhne 🏦', status: 'active', emailConflicts })
  const issued = (await operate('POST', `/v0/customers/${id}/api-keys`)).body.data
  assert.deepEqual((await world.business.call('GET', '/v0/end-users', undefined, { key: issued.key })).body, {
    data: [],
  })
})

test('200 two customers may have one name', async () => {
  const [one, other] = [(await world.otherBusiness('Twin')).id, (await world.otherBusiness('Twin')).id]
  assert.notEqual(one, other)
})

test('400 a name that is missing, empty, too long, no text or holds control characters; an unknown field', async () => {
  for (const [body, code, param] of [
    [{}, 'missing_field', 'name'],
    [{ name: '' }, 'invalid_length', 'name'],
    [{ name: 'n'.repeat(201) }, 'invalid_length', 'name'],
    [{ name: 7 }, 'invalid_type', 'name'],
    [{ name: 'a\u0000' }, 'invalid_format', 'name'],
    [{ name: 'a', plan: 'gold' }, 'unknown_field', 'plan'],
  ] as const) {
    assertError(await operate('POST', '/v0/customers', body), 400, code, { param })
  }
})
