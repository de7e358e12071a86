// GET /v0/customers/{customerId}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator

test('200 a customer reads as it was answered when it was made', async () => {
  const made = await operate('POST', '/v0/customers', { name: 'A customer' })
  assert.deepEqual((await operate('GET', `/v0/customers/${made.body.data.id}`)).body, made.body)
})

test('400 an id longer than any id is refused', async () => {
  assertError(await operate('GET', `/v0/customers/${'b'.repeat(65)}`), 400, 'invalid_path', { param: 'customerId' })
})
