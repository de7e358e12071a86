// GET /v0/customers/:customerId/stats

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const path = `/v0/customers/${world.business.id}/stats`
const range = '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&interval=hour'

test('200 what the business itself reads', async () => {
  await world.business.user()
  const { id } = world.business
  await until('the delivery of its event', async () => {
    const { endpoints } = (await world.operator.call('GET', `/v0/customers/${id}/stats`)).body.data
    return endpoints[0].attempts > 0 && endpoints[0].backlog === 0
  })
  assert.deepEqual(
    (await world.operator.call('GET', path + range)).body,
    (await world.business.call('GET', `/v0/stats${range}`)).body,
  )
  const other = (await world.otherBusiness()).id
  const { endUsers, endpoints } = (await world.operator.call('GET', `/v0/customers/${other}/stats`)).body.data
  assert.deepEqual([endUsers.total, endpoints], [0, []])
})

test('400 a range that ends before it begins', async () => {
  const backwards = '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'
  assertError(await world.operator.call('GET', path + backwards), 400, 'invalid_query')
})
