// GET /v0/replays/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { checkedCalls } from '../api-contract.ts'
import { openEndpoint } from '../endpoint.ts'
import { subscribe } from '../relay-world.ts'
import { beginReplay, endOf } from '../replay.ts'
import { sharedWorld } from '../shared-world.ts'

const world = await sharedWorld()
after(() => world.stop())
const call = checkedCalls(world)

test('200 a replay shows what was asked for, how far it has come, and when it ended', async () => {
  await using subscriber = await subscribe(world)
  await world.post(subscriber.event())
  await using newer = await openEndpoint(subscriber)
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
  await using subscriber = await subscribe(world)
  await using newer = await openEndpoint(subscriber)
  await world.server.deps.db.transaction(
    (tx) => tx`
      insert into replays (business_id, id, endpoint_id, range_from, range_to, event_types, wanted, first_position,
        last_position, position, due_at)
      values (${subscriber.customerId}, 'rpl_late', ${newer.id}, now(), now(), '{*}', 'all', 0, 10, 0, 'infinity')`,
  )
  await subscriber.call('DELETE', `/v0/webhook-endpoints/${newer.id}`)
  await world.server.deps.db.transaction((tx) => tx`update replays set due_at = now() where id = 'rpl_late'`)
  world.server.deps.wake('replay')
  const { state, error } = await endOf(subscriber, 'rpl_late')
  assert.equal(state, 'failed')
  assert.match(error, /deleted/)
})
