// GET /v0/operator/events

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'
import { heldEvent, quarantine } from './held-events.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const list = async (query = '') => {
  const answer = await world.operator.call('GET', `/v0/operator/events${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer
}
const idsOf = async (query: string) => (await list(query)).body.data.map(({ id }: { id: string }) => id)

test('200 events without an owner wait, those that failed are put aside, each newest first, by pages', async () => {
  const one = await heldEvent(world)
  const two = await heldEvent(world)
  const three = await heldEvent(world)
  assert.deepEqual([one.state, one.reason, one.customerId], ['waiting', 'owner not known yet', null])
  assert.match(one.providerRefs.join(' '), /\bcust_of_nobody_\d+\b/)
  assert.ok(!JSON.stringify(one).includes('event_object'))
  await quarantine(world, two.id)
  assert.deepEqual(await idsOf(''), [three.id, two.id, one.id])
  assert.deepEqual(await idsOf('?state=waiting'), [three.id, one.id])
  assert.deepEqual(await idsOf('?state=quarantined'), [two.id])
  const page = await list('?limit=2')
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  assert.deepEqual(await idsOf(new URL(link).search), [one.id])
})

test('400 a state that is none', async () => {
  const answer = await world.operator.call('GET', '/v0/operator/events?state=lost')
  assertError(answer, 400, 'invalid_query', { param: 'state' })
})
