// GET /v0/operator/alert-messages

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dataOf } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.operator

test('200 the log of the deployment, which no business sees', async () => {
  const body = { type: 'slack', url: 'http://127.0.0.1:9/' }
  const { id } = dataOf(await call('POST', '/v0/operator/alert-channels', body))
  const { messageId } = dataOf(await call('POST', `/v0/operator/alert-channels/${id}/test`))
  const [message, ...others] = dataOf(await call('GET', '/v0/operator/alert-messages'))
  assert.deepEqual([message.id, message.channelId, message.isTest, others], [messageId, id, true, []])
  assert.deepEqual(dataOf(await world.business.call('GET', '/v0/alert-messages')), [])
})
