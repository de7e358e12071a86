// GET /v0/webhook-endpoints/{id}/replays

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginReplay, defaultEndpointOf, endOf } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 the replays of the endpoint, newest first, page by page', async () => {
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  const made: string[] = []
  for (let round = 0; round < 3; round++) {
    const { id } = await beginReplay(subscriber, endpointId)
    await endOf(subscriber, id)
    made.unshift(id)
  }
  const key = subscriber.apiKey
  const first = await call('GET', `/v0/webhook-endpoints/${endpointId}/replays?limit=2`, undefined, { key })
  const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const { pathname, search } = new URL(link, world.url)
  const second = await call('GET', pathname + search, undefined, { key })
  const ids = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, made)
  assert.equal(second.headers.get('link'), null)
})

test('only the last hundred replays that have ended are kept', async () => {
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  await world.rows`
      insert into replays (business_id, id, endpoint_id, range_from, range_to, event_types, wanted, first_position,
        last_position, position, state, created_at)
      select ${subscriber.id}, 'rpl_' || n, ${endpointId}, now(), now(), '{*}', 'all', 0, 0, 0, 'done',
        now() - make_interval(mins => n)
      from generate_series(1, 105) n`
  const { id } = await beginReplay(subscriber, endpointId)
  const rows = await world.rows<{ id: string }>`
    select id from replays where endpoint_id = ${endpointId} order by created_at desc`
  const kept = Array.from({ length: 100 }, (_, at) => `rpl_${at + 1}`)
  assert.deepEqual(
    rows.map((row) => row.id),
    [id, ...kept],
  )
})
