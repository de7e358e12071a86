// GET /v0/operator/events/:id

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'
import { heldEvent } from './held-events.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

test('200 it reads as in the list', async () => {
  const held = await heldEvent(world)
  const { nextTryAt: _, ...read } = (await world.operator.call('GET', `/v0/operator/events/${held.id}`)).body.data
  assert.deepEqual({ ...read, nextTryAt: held.nextTryAt }, held)
})

test('404 an event that was applied is not held', async () => {
  await world.business.call('POST', '/v0/end-users', { externalUserId: 'ada' })
  const { id } = (
    await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://hooks.example.com/' })
  ).body.data
  await world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  const [event] = (await world.business.call('GET', '/v0/events')).body.data
  assertError(await world.operator.call('GET', `/v0/operator/events/${event.id}`), 404, 'event_not_found')
})
