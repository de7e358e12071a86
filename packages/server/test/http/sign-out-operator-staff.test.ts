// DELETE /v0/operator/staff/{id}/sessions

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deploymentChain } from '../../src/audit/audit.rules.ts'
import { assertError } from '../caller.ts'
import { staffOf } from '../staff.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.operator

test('200 ends every session of the staff member of the operator', async () => {
  const staff = await staffOf(world, { businessId: deploymentChain })
  const answer = await call('DELETE', `/v0/operator/staff/${staff.id}/sessions`)
  assert.deepEqual(answer.body.data, { id: staff.id, sessionsEnded: 1 })
  assertError(await staff.ask('GET', '/v0/customers'), 401, 'console_session_invalid')
})

test('404 a staff member of a business', async () => {
  const { id } = await staffOf(world, { businessId: world.business.id })
  assertError(await call('DELETE', `/v0/operator/staff/${id}/sessions`), 404, 'staff_not_found')
})
