// GET /v0/webhook-url

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 the URL is shown as it was set, without its secret', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const set = await call('PUT', '/v0/webhook-url', { webhookUrl: 'https://example.com/hook' }, { key })
  const { signingSecret: _, ...endpoint } = set.body.data
  const answer = await call('GET', '/v0/webhook-url', undefined, { key })
  assert.deepEqual(answer.body, { data: endpoint })
})

test('404 a business that has set none is told so, though others have', async () => {
  const { apiKey: key } = await world.otherBusiness()
  assertError(await call('GET', '/v0/webhook-url', undefined, { key }), 404, 'webhook_url_not_set')
})
