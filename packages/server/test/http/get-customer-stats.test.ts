// GET /v0/customers/:customerId/stats

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../api-contract.ts'
import { newUser, testWorld, until } from '../test-world.ts'
import { operatorWorld } from './operator-world.ts'

const world = await operatorWorld(testWorld())
after(() => world.stop())
const path = `/v0/customers/${world.facts.customerId}/stats`
const range = '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&interval=hour'

test('200 what the business itself reads', async () => {
  await newUser(world)
  const { customerId: id } = world.facts
  await until('the delivery of its event', async () => {
    const { endpoints } = (await world.operate('GET', `/v0/customers/${id}/stats`)).body.data
    return endpoints[0].attempts > 0 && endpoints[0].backlog === 0
  })
  assert.deepEqual((await world.operate('GET', path + range)).body, (await world.call('GET', `/v0/stats${range}`)).body)
  const other = await world.newCustomer()
  const { endUsers, endpoints } = (await world.operate('GET', `/v0/customers/${other}/stats`)).body.data
  assert.deepEqual([endUsers.total, endpoints], [0, []])
})

test('400 a range that ends before it begins', async () => {
  const backwards = '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'
  assertError(await world.operate('GET', path + backwards), 400, 'invalid_query')
})
