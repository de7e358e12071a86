// POST /v0/operator/events/:id/retry

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'
import { heldEvent, quarantine } from './held-events.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const retry = (id: string) => world.operator.call('POST', `/v0/operator/events/${id}/retry`)
const stateOf = async (id: string) => (await world.operator.call('GET', `/v0/operator/events/${id}`)).body.data

test('200 an event that was put aside is tried again with all its tries, and is applied once its owner is known', async () => {
  const held = await heldEvent(world)
  await quarantine(world, held.id)
  assert.equal((await stateOf(held.id)).state, 'quarantined')
  const { data } = (await retry(held.id)).body
  assert.deepEqual([data.id, data.state, data.attempts], [held.id, 'waiting', 0])
  await until('another try', async () => (await stateOf(held.id)).reason === 'owner not known yet')

  const user = await world.business.user()
  const deps = world.inside
  const [customer] = held.providerRefs
  await deps.db.statement(
    (query) => query`update end_users set provider_customer_id = ${customer} where external_user_id = ${user}`,
  )
  await retry(held.id)
  await until('the event to be applied', async () => {
    const answer = await world.operator.call('GET', `/v0/operator/events/${held.id}`)
    return answer.status === 404
  })
  assert.equal((await world.business.call('GET', `/v0/events/${held.id}`)).status, 200)
})

test('404 an event that is not held', async () => {
  assertError(await retry('evt_00000000000000000000000000'), 404, 'event_not_found')
})
