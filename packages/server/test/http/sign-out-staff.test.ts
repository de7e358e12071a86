// DELETE /v0/staff/{id}/sessions

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { staffOf } from '../staff.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { id: businessId, call } = world.business

test('200 ends every session of the staff member; a repeat ends none', async () => {
  const staff = await staffOf(world, { businessId })
  const answer = await call('DELETE', `/v0/staff/${staff.id}/sessions`)
  assert.deepEqual(answer.body.data, { id: staff.id, sessionsEnded: 1 })
  assertError(await staff.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
  assert.equal((await call('DELETE', `/v0/staff/${staff.id}/sessions`)).body.data.sessionsEnded, 0)
})
