// POST /v0/replays/{id}/cancel

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { until } from '../caller.ts'
import { beginReplay, defaultEndpointOf, endOf } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

const cancel = (id: string, { apiKey: key }: Subscriber) => call('POST', `/v0/replays/${id}/cancel`, undefined, { key })

test('200 nothing more is queued, and what is queued goes out', async () => {
  await using subscriber = await world.subscriber()
  await world.post(subscriber.event())
  await using paused = await subscriber.endpoint()
  await paused.change({ status: 'paused' })
  const { id } = await beginReplay(subscriber, paused.id, { eventTypes: ['test.*'] })
  await until('what there is, queued', async () => {
    const rows = await world.rows`select 1 from deliveries where replay_id = ${id}`
    return rows.length === 1
  })
  // As if the stream continued after it.
  await world.rows`
      update replays set state = 'running', ended_at = null, last_position = last_position + 1000000, due_at = 'infinity'
      where id = ${id}`
  const { data } = (await cancel(id, subscriber)).body
  assert.equal(data.state, 'cancelled')
  assert.ok(data.percent < 100 && data.endedAt !== null)
  await world.rows`update replays set due_at = now() where id = ${id}`
  await paused.change({ status: 'enabled' })
  await until('what was queued', () => paused.receiver.seen.length === 1)
  assert.equal((await endOf(subscriber, id)).percent, data.percent)
})

test('200 one that has ended stays as it ended', async () => {
  await using subscriber = await world.subscriber()
  const { id } = await beginReplay(subscriber, await defaultEndpointOf(subscriber))
  const ended = await endOf(subscriber, id)
  assert.deepEqual((await cancel(id, subscriber)).body.data, ended)
})
