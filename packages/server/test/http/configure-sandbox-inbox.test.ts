// PUT /v0/sandbox/inboxes/:id

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({
  alone: true,
  provider: 'process',
  env: { PROVIDER_TIMEOUT_MS: '1500', WEBHOOK_RETRY_SECONDS: '3600' },
})
after(() => world.stop())
const { call } = world.business
const webhookUrl = `${world.provider.origin}/inbox/configured`
const { id } = (await call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
const configure = (body: unknown, endpoint = id) => call('PUT', `/v0/sandbox/inboxes/${endpoint}`, body)

test('200 the inbox answers as it is told, and what is left out is set back', async () => {
  const { data } = (await configure({ respondWith: 418, delayMs: 1 })).body
  assert.deepEqual(data.settings, { respondWith: 418, delayMs: 1, failNext: 0 })
  await call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  const message = await until('the answer', async () => {
    const inboxes = (await call('GET', '/v0/sandbox/inboxes')).body.data
    const [newest] = inboxes.find((inbox: { id: string }) => inbox.id === id).messages
    return newest?.status !== null && newest
  })
  assert.equal(message.status, 418)
  assert.deepEqual((await configure({})).body.data.settings, { respondWith: 200, delayMs: 0, failNext: 0 })
})

test('400 a status that is none, a wait of more than a minute, an unknown member', async () => {
  assert.equal((await configure({ respondWith: 99 })).status, 400)
  assert.equal((await configure({ delayMs: 60_001 })).status, 400)
  assertError(await configure({ secrets: [] }), 400, 'unknown_field', { param: 'secrets' })
})

test('404 no such endpoint, or one of another business', async () => {
  assertError(await configure({}, 'whe_00000000000000000000000000'), 404, 'webhook_endpoint_not_found')
  const { apiKey: key } = await world.otherBusiness()
  const theirs = (await call('POST', '/v0/webhook-endpoints', { webhookUrl }, { key })).body.data.id
  assertError(await configure({}, theirs), 404, 'webhook_endpoint_not_found')
})

test('422 an endpoint that leads elsewhere', async () => {
  const elsewhere = { webhookUrl: 'https://hooks.example.com/in' }
  const { id: other } = (await call('POST', '/v0/webhook-endpoints', elsewhere)).body.data
  assertError(await configure({}, other), 422, 'webhook_endpoint_without_inbox')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await configure({}), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await configure({}), 503, 'provider_unavailable')
})
