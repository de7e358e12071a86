// GET /v0/operator/relay

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { version } from '../../src/platform/version.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const read = async () => (await world.operator.call('GET', '/v0/operator/relay')).body.data

test('200 the server that answers is one of those that run', async () => {
  const { replicas } = await read()
  assert.equal(replicas.length, 1)
  const [{ startedAt, aliveUntil, id: _, ...self }] = replicas
  assert.deepEqual(self, { version, role: 'all', lanes: 0, isSelf: true })
  assert.ok(Date.parse(startedAt) <= Date.now() && Date.parse(aliveUntil) > Date.now())
})

test('200 a lane whose endpoint is paused shows what waits, of the address the host alone', async () => {
  const webhookUrl = 'https://hooks.example.com/secret-token'
  const { id } = (await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
  await world.business.call('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
  for (const _ of [1, 2]) await world.business.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  const answer = await world.operator.call('GET', '/v0/operator/relay')
  const { lanes, endpoints, deliveriesWaiting } = answer.body.data
  const lane = lanes.find((one: { webhookEndpointId: string }) => one.webhookEndpointId === id)
  const { customerId, host, status, waiting, failures } = lane
  assert.deepEqual(
    { customerId, host, status, waiting, failures },
    { customerId: world.business.id, host: 'hooks.example.com', status: 'paused', waiting: 2, failures: 0 },
  )
  assert.ok(deliveriesWaiting >= 2)
  assert.equal(endpoints.paused, 1)
  assert.ok(!answer.text.includes('secret-token'))
})
