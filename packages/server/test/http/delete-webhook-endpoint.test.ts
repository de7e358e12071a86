// DELETE /v0/webhook-endpoints/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { finishDeletions } from '../../src/webhooks/endpoints/service.ts'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '60' } })
after(() => world.stop())
const { call } = world.business
const pathOf = (id: string) => `/v0/webhook-endpoints/${id}`

test('200 what waits is cancelled, what was sent stays to be read, and the other endpoints go on', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key } = subscriber
  await using endpoint = await subscriber.endpoint({}, ({ headers }) => (headers['svc-sequence'] === '2' ? 500 : 200))
  await world.post(subscriber.event())
  await world.post(subscriber.event())
  await until('two', async () => (await endpoint.read()).failingSince)
  await endpoint.change({ status: 'paused' })
  await world.post(subscriber.event())
  const answer = await call('DELETE', pathOf(endpoint.id), undefined, { key })
  assert.deepEqual(answer.body, { data: { deleted: true } })
  assertError(await call('GET', pathOf(endpoint.id), undefined, { key }), 404, 'webhook_endpoint_not_found')

  const { data: events } = (await call('GET', '/v0/events?eventType=test.happened', undefined, { key })).body
  const shown = await Promise.all(
    events.map(async ({ id }: { id: string }) => {
      const { data } = (await call('GET', `/v0/events/${id}/deliveries`, undefined, { key })).body
      const one = data.find((row: { webhookEndpointId: string }) => row.webhookEndpointId === endpoint.id)
      const { attempts, status } = (await call('GET', `/v0/deliveries/${one.id}`, undefined, { key })).body.data
      return [status, attempts.length]
    }),
  )
  assert.deepEqual(shown, [
    ['cancelled', 0],
    ['cancelled', 1],
    ['delivered', 1],
  ])
  await world.post(subscriber.event())
  await until('the other', () => subscriber.receiver.seen.length === 4)
  assert.equal(endpoint.receiver.seen.length, 2)
  assert.deepEqual(await world.rows`select 1 from deleted_endpoints`, [])
})

test('200 in the middle of a delivery: it ends quietly and is not tried again', async () => {
  await using subscriber = await world.subscriber()
  const answering = Promise.withResolvers<void>()
  await using endpoint = await subscriber.endpoint({}, () => (_, response) => {
    void answering.promise.then(() => response.writeHead(500).end())
  })
  await world.post(subscriber.event())
  await until('the delivery', () => endpoint.receiver.seen.length === 1)
  const errorsBefore = world.log.filter((line) => line.includes('"error"')).length
  await call('DELETE', pathOf(endpoint.id), undefined, { key: subscriber.apiKey })
  answering.resolve()
  await world.post(subscriber.event())
  await until('the other endpoint', () => subscriber.receiver.seen.length === 2)
  assert.equal(endpoint.receiver.seen.length, 1)
  assert.equal(world.log.filter((line) => line.includes('"error"')).length, errorsBefore)
})

test('a server that died in the middle left a note, by which the sweep ends what waited', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  await endpoint.change({ status: 'paused' })
  await world.post(subscriber.event())
  const deps = world.inside
  await deps.db.transaction(async (tx) => {
    await tx`delete from webhook_endpoints where id = ${endpoint.id}`
    await tx`delete from endpoint_lanes where endpoint_id = ${endpoint.id}`
    await tx`insert into deleted_endpoints (endpoint_id) values (${endpoint.id})`
  })
  await finishDeletions(deps)
  const states = await world.rows`
      select status from finished_deliveries where endpoint_id = ${endpoint.id}
      union all select 'waiting' from deliveries where endpoint_id = ${endpoint.id}
      union all select 'noted' from deleted_endpoints`
  assert.deepEqual(states, [{ status: 'cancelled' }])
})

test('200 the default endpoint is deleted by its id as well; a URL set afterwards is a new one', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key, receiver } = subscriber
  const { id } = (await call('GET', '/v0/webhook-url', undefined, { key })).body.data
  await call('DELETE', pathOf(id), undefined, { key })
  assertError(await call('GET', '/v0/webhook-url', undefined, { key }), 404, 'webhook_url_not_set')
  const set = await call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url }, { key })
  assert.notEqual(set.body.data.id, id)
})

test("404 an absent one and one that is deleted, and another business's byte for byte the same, and still there", async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  await using gone = await subscriber.endpoint()
  const { apiKey: key } = await world.otherBusiness()
  const absent = await call('DELETE', pathOf('whe_00000000000000000000000000'), undefined, { key })
  assertError(absent, 404, 'webhook_endpoint_not_found')
  assertSameAnswer(await call('DELETE', pathOf(endpoint.id), undefined, { key }), absent)
  assert.equal((await endpoint.read()).status, 'enabled')
  await call('DELETE', pathOf(gone.id), undefined, { key: subscriber.apiKey })
  assertSameAnswer(await call('DELETE', pathOf(gone.id), undefined, { key: subscriber.apiKey }), absent)
})
