// GET /v0/virtual-accounts/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer, checkedCalls } from '../api-contract.ts'
import { sharedWorld } from '../shared-world.ts'
import { approvedUser, openAccount } from '../test-world.ts'

const world = await sharedWorld()
after(() => world.stop())
const call = checkedCalls(world)
const account = await openAccount(world, await approvedUser(world))
const absentId = 'va_00000000000000000000000000'

test('200 an account reads exactly as it was answered when it was made', async () => {
  const { status, body } = await call('GET', `/v0/virtual-accounts/${account['id']}`)
  assert.equal(status, 200)
  assert.deepEqual(body, { data: account })
})

test('400 an id longer than any id is refused', async () => {
  assertError(await call('GET', `/v0/virtual-accounts/${'v'.repeat(65)}`), 400, 'invalid_path', { param: 'id' })
})

test('404 an absent account', async () => {
  const answer = await call('GET', `/v0/virtual-accounts/${absentId}`)
  assertError(answer, 404, 'virtual_account_not_found', { param: 'id' })
})

test("404 another business's account reads byte for byte as an absent one", async () => {
  const { apiKey } = await world.otherBusiness()
  const foreign = await call('GET', `/v0/virtual-accounts/${account['id']}`, undefined, { key: apiKey })
  assertError(foreign, 404, 'virtual_account_not_found')
  assertSameAnswer(foreign, await call('GET', `/v0/virtual-accounts/${absentId}`, undefined, { key: apiKey }))
})
