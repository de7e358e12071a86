// GET /v0/operator/events/:id

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../api-contract.ts'
import { testWorld } from '../test-world.ts'
import { heldEvent } from './held-events.ts'
import { operatorWorld } from './operator-world.ts'

const world = await operatorWorld(testWorld())
after(() => world.stop())

test('200 it reads as in the list', async () => {
  const held = await heldEvent(world)
  const { nextTryAt: _, ...read } = (await world.operate('GET', `/v0/operator/events/${held.id}`)).body.data
  assert.deepEqual({ ...read, nextTryAt: held.nextTryAt }, held)
})

test('404 an event that was applied is not held', async () => {
  await world.call('POST', '/v0/end-users', { externalUserId: 'ada' })
  const { id } = (await world.call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://hooks.example.com/' })).body
    .data
  await world.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  const [event] = (await world.call('GET', '/v0/events')).body.data
  assertError(await world.operate('GET', `/v0/operator/events/${event.id}`), 404, 'event_not_found')
})
