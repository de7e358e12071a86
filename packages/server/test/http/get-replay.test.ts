// GET /v0/replays/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginReplay, endOf } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 a replay shows what was asked for, how far it has come, and when it ended', async () => {
  await using subscriber = await world.subscriber()
  await world.post(subscriber.event())
  await using newer = await subscriber.endpoint()
  const asked = {
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-31T00:00:00.000Z',
    eventTypes: ['*'],
    status: 'missing',
  }
  const { id } = await beginReplay(subscriber, newer.id, asked)
  await endOf(subscriber, id)
  const { data } = (await call('GET', `/v0/replays/${id}`, undefined, { key: subscriber.apiKey })).body
  const { createdAt, updatedAt, endedAt, ...rest } = data
  assert.ok(createdAt <= updatedAt && updatedAt <= endedAt, JSON.stringify(data))
  assert.deepEqual(rest, {
    id,
    webhookEndpointId: newer.id,
    ...asked,
    sources: ['provider', 'causeway'],
    externalUserId: null,
    state: 'done',
    percent: 100,
    matchedCount: 0,
    queuedCount: 0,
    skippedCount: 0,
    error: null,
  })
})

test('200 a replay whose endpoint is deleted has failed, and says why', async () => {
  await using subscriber = await world.subscriber()
  await using newer = await subscriber.endpoint()
  const late = `rpl_${'0'.repeat(26)}`
  await world.rows`
      insert into replays (business_id, id, endpoint_id, range_from, range_to, event_types, wanted, first_position,
        last_position, position, due_at)
      values (${subscriber.id}, ${late}, ${newer.id}, now(), now(), '{*}', 'all', 0, 10, 0, 'infinity')`
  await subscriber.call('DELETE', `/v0/webhook-endpoints/${newer.id}`)
  await world.rows`update replays set due_at = now() where id = ${late}`
  world.inside.wake('replay')
  const { state, error } = await endOf(subscriber, late)
  assert.equal(state, 'failed')
  assert.match(error, /deleted/)
})
