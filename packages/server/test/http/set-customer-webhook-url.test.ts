// PUT /v0/customers/{customerId}/webhook-url

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator
const url = 'https://hooks.example.com/in'

test("200 the customer's own reading shows the address; the signing secret is told when it is first set, and then no more", async () => {
  const { id: customerId, apiKey: key } = await world.otherBusiness()
  const path = `/v0/customers/${customerId}/webhook-url`
  const { data } = (await operate('PUT', path, { webhookUrl: url })).body
  const { signingSecret, ...shown } = data
  assert.match(signingSecret, /^whsec_[A-Za-z0-9+/]+=*$/)
  assert.deepEqual([shown.webhookUrl, shown.status, shown.disabledReason], [url, 'enabled', null])
  assert.deepEqual((await world.business.call('GET', '/v0/webhook-url', undefined, { key })).body.data, shown)
  const moved = (await operate('PUT', path, { webhookUrl: `${url}/2` })).body.data
  assert.deepEqual([moved.id, moved.webhookUrl, 'signingSecret' in moved], [shown.id, `${url}/2`, false])
})

test('400 an address that cannot be a webhook URL, an unknown or a missing field', async () => {
  const path = `/v0/customers/${(await world.otherBusiness()).id}/webhook-url`
  for (const webhookUrl of [
    'http://example.com',
    'ftp://example.com',
    'example.com',
    '',
    'https://u:p@example.com',
    'https://10.0.0.1/',
    7,
  ])
    assertError(await operate('PUT', path, { webhookUrl }), 400, 'invalid_webhook_url', { param: 'webhookUrl' })
  assertError(await operate('PUT', path, { url }), 400, 'missing_field', { param: 'webhookUrl' })
  assertError(await operate('PUT', path, { webhookUrl: url, secret: 'x' }), 400, 'unknown_field', { param: 'secret' })
})

test('422 a business with as many endpoints as it can have gets no further one', async () => {
  const { id: customerId, apiKey: key } = await world.otherBusiness()
  for (let index = 0; index < 20; index++)
    await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://example.com/a' }, { key })
  const answer = await operate('PUT', `/v0/customers/${customerId}/webhook-url`, { webhookUrl: url })
  assertError(answer, 422, 'webhook_endpoint_limit_reached')
})
