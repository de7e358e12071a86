// GET /v0/virtual-accounts/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const account = await world.business.account(await world.business.user('approved'))

test('200 an account reads exactly as it was answered when it was made', async () => {
  const { status, body } = await call('GET', `/v0/virtual-accounts/${account['id']}`)
  assert.equal(status, 200)
  assert.deepEqual(body, { data: account })
})

test('400 an id longer than any id is refused', async () => {
  assertError(await call('GET', `/v0/virtual-accounts/${'v'.repeat(65)}`), 400, 'invalid_path', { param: 'id' })
})
