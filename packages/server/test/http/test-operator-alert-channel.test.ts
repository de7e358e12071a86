// POST /v0/operator/alert-channels/:id/test

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf, until } from '../caller.ts'
import { openReceiver } from '../receiver.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.operator

test('200, then 429 within a minute: the message arrives, and the log has its outcome', async () => {
  await using receiver = await openReceiver()
  const { id } = dataOf(await call('POST', '/v0/operator/alert-channels', { type: 'slack', url: receiver.url }))
  const { messageId } = dataOf(await call('POST', `/v0/operator/alert-channels/${id}/test`))
  const again = await call('POST', `/v0/operator/alert-channels/${id}/test`)
  assertError(again, 429, 'alert_test_limited')
  assert.ok(Number(again.headers.get('retry-after')) > 50)
  const received = await until('the message', () => receiver.seen[0])
  assert.match(JSON.parse(received.body.toString()).text, /^This is a test message/)
  const log = async () => dataOf(await call('GET', `/v0/operator/alert-messages?channelId=${id}`))
  const [message, ...others] = await until('the outcome', async () => {
    const found = await log()
    return found[0].state !== 'pending' && found
  })
  assert.deepEqual(others, [])
  assert.deepEqual(
    [message.id, message.isTest, message.state, message.lastOutcome],
    [messageId, true, 'sent', 'The receiver responded with 200.'],
  )
})

test('422 for email, once the deployment cannot send it', async () => {
  const { id } = dataOf(
    await call('POST', '/v0/operator/alert-channels', { type: 'slack', url: 'https://hooks.slack.com/' }),
  )
  await world.rows`update alert_channels set type = 'email', emails = '{ops@acme.example}' where id = ${id}`
  assertError(await call('POST', `/v0/operator/alert-channels/${id}/test`), 422, 'email_not_configured')
})
