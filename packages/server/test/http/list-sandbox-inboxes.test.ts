// GET /v0/sandbox/inboxes

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const list = (key?: string) => call('GET', '/v0/sandbox/inboxes', undefined, key === undefined ? {} : { key })

async function endpointAt(webhookUrl: string, key?: string): Promise<string> {
  const answer = await call('POST', '/v0/webhook-endpoints', { webhookUrl }, key === undefined ? {} : { key })
  return answer.body.data.id
}

test('200 the inboxes of own endpoints, each with what that endpoint sent, and nothing of another business', async () => {
  const webhookUrl = `${world.provider.origin}/inbox/shared`
  await endpointAt('https://hooks.example.com/in')
  const id = await endpointAt(webhookUrl)
  const { apiKey: other } = await world.otherBusiness()
  const otherId = await endpointAt(webhookUrl, other)
  await call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  await call('POST', `/v0/webhook-endpoints/${otherId}/test`, {}, { key: other })
  const read = async (key?: string) => {
    const inboxes = (await list(key)).body.data.filter(({ name }: { name: string }) => name === 'shared')
    assert.equal(inboxes.length, 1)
    return inboxes[0].messages.length > 0 && inboxes[0]
  }
  const own = await until('our delivery', () => read())
  const theirs = await until('their delivery', () => read(other))
  assert.deepEqual([own.id, own.webhookUrl], [id, webhookUrl])
  assert.deepEqual(own.settings, { respondWith: 200, delayMs: 0, failNext: 0 })
  assert.equal(own.messages.length, 1)
  assert.equal(theirs.messages.length, 1)
  assert.notEqual(own.messages[0].deliveryId, theirs.messages[0].deliveryId)
  assert.equal((await call('GET', `/v0/deliveries/${own.messages[0].deliveryId}`)).status, 200)
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await list(), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await list(), 503, 'provider_unavailable')
})
