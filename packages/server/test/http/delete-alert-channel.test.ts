// DELETE /v0/alert-channels/:id

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const { id } = dataOf(
  await call('POST', '/v0/alert-channels', { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/token' }),
)
const path = `/v0/alert-channels/${id}`

test('200 the channel is gone, and its messages stay in the log', async () => {
  const { messageId } = dataOf(await call('POST', `${path}/test`))
  assert.deepEqual(dataOf(await call('DELETE', path)), { deleted: true })
  assertError(await call('GET', path), 404, 'alert_channel_not_found')
  assertError(await call('DELETE', path), 404, 'alert_channel_not_found')
  const [message] = dataOf(await call('GET', `/v0/alert-messages?channelId=${id}`))
  assert.equal(message.id, messageId)
  assert.notEqual(message.state, 'pending')
})
