// GET /v0/events/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 an event reads alone as it reads in the list', async () => {
  await using subscriber = await world.subscriber()
  const key = subscriber.apiKey
  await world.post(subscriber.event({ note: 'ünïcode \u2028', amount: 1.5 }))
  const [listed] = (await call('GET', '/v0/events', undefined, { key })).body.data
  assert.equal(listed.payload.note, 'ünïcode \u2028')
  const answer = await call('GET', `/v0/events/${listed.id}`, undefined, { key })
  assert.deepEqual(answer.body, { data: listed })
})

test('400 an id that no event can have is refused', async () => {
  assertError(await call('GET', `/v0/events/${'x'.repeat(65)}`), 400, 'invalid_path', { param: 'id' })
})

test('404 another business’s event reads exactly as one that is not there', async () => {
  await using subscriber = await world.subscriber()
  await world.post(subscriber.event())
  const [event] = (await call('GET', '/v0/events', undefined, { key: subscriber.apiKey })).body.data
  const { apiKey: key } = await world.otherBusiness()
  const foreign = await call('GET', `/v0/events/${event.id}`, undefined, { key })
  assertError(foreign, 404, 'event_not_found')
  assertSameAnswer(foreign, await call('GET', '/v0/events/evt_absent', undefined, { key }))
})
