// GET /v0/operator/staff

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deploymentChain } from '../../src/audit/audit.rules.ts'
import { staffOf } from '../staff.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())

test('200 the staff of the operator, and of no business', async () => {
  const own = await staffOf(world, { businessId: deploymentChain, roles: ['support'] })
  const foreign = await staffOf(world, { businessId: world.business.id })
  const ids = (await world.operator.call('GET', '/v0/operator/staff?limit=100')).body.data.map(
    ({ id }: { id: string }) => id,
  )
  assert.ok(ids.includes(own.id) && !ids.includes(foreign.id))
})
