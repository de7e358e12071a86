// GET /v0/webhook-endpoints/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.05,0.05,60' } })
after(() => world.stop())
const { call } = world.business
const read = (id: string, key: string) => call('GET', `/v0/webhook-endpoints/${id}`, undefined, { key })

test('200 the default endpoint is one of them, and tells the last number it gave out', async () => {
  await using subscriber = await world.subscriber()
  const { id, webhookUrl } = (await subscriber.call('GET', '/v0/webhook-url')).body.data
  await world.post(subscriber.event())
  await world.post(subscriber.event())
  const { data } = (await read(id, subscriber.apiKey)).body
  assert.deepEqual([data.id, data.webhookUrl, data.isDefault, data.sequence], [id, webhookUrl, true, 2])
})

test('200 an endpoint that only fails tells since when; after a success no more', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const { id } = (await subscriber.call('GET', '/v0/webhook-url')).body.data
  const beganAt = new Date(Date.now() - 1_000).toISOString()
  await world.post(subscriber.event())
  const since = await until('the failure', async () => (await read(id, subscriber.apiKey)).body.data.failingSince)
  assert.ok(since >= beganAt && since <= new Date(Date.now() + 1_000).toISOString(), since)
  subscriber.receiver.reply = () => 200
  await until('the success', async () => (await read(id, subscriber.apiKey)).body.data.failingSince === null)
})

test("404 an absent one, and another business's byte for byte the same: nothing of the endpoint is shown", async () => {
  await using subscriber = await world.subscriber()
  const { id } = (await subscriber.call('GET', '/v0/webhook-url')).body.data
  const { apiKey } = await world.otherBusiness()
  const absent = await read('whe_00000000000000000000000000', apiKey)
  assertError(absent, 404, 'webhook_endpoint_not_found')
  assertSameAnswer(await read(id, apiKey), absent)
})
