// The server is killed while the mail server holds an alert: after a restart the same message arrives, and nothing is lost.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { messagesTo, retryNow, watchNow } from './alerts.ts'
import { callerOf, dataOf, until } from './caller.ts'
import { openMailServer } from './mail-server.ts'
import { startServe } from './serve-process.ts'
import { openWorld } from './world.ts'

const mail = await openMailServer()
const world = await openWorld({ alone: true })
after(async () => {
  await world.stop()
  await mail[Symbol.asyncDispose]()
})

const [one, other] = [await world.otherBusiness(), await world.otherBusiness()]
await world.server.stop()

test('kill -9 while the mail server holds the content: the same message is sent again after the restart', async () => {
  const env = { SMTP_URL: mail.url, ALERT_EMAIL_FROM: 'alerts@causeway.example' }
  mail.reply = () => 'hold'
  const callerAt = (url: string) => callerOf(url, one.apiKey)
  await using first = await startServe(world, env)
  const before = callerAt(first.url)
  const body = { type: 'email', emails: ['ops@acme.example'] }
  const { id } = dataOf(await before.call('POST', '/v0/alert-channels', body))
  dataOf(await before.call('POST', '/v0/api-keys', { name: 'Reports' }))
  await watchNow(world)
  const held = await until('the content of the message', () => mail.seen[0])
  await first.kill()
  mail.reply = () => 'accept'
  await using second = await startServe(world, env)
  await retryNow(world)
  const again = await until('the same message', () => mail.seen[1])
  const afterwards = callerAt(second.url)
  const sent = await until('its outcome', async () => {
    const messages = await messagesTo(afterwards, id)
    return messages.every(({ state }) => state === 'sent') && messages
  })
  assert.equal(again.headers.get('message-id'), held.headers.get('message-id'))
  assert.equal(again.raw, held.raw)
  assert.deepEqual(
    sent.map(({ id: messageId, attempts }) => [`<${messageId}@causeway.example>`, attempts]),
    [[held.headers.get('message-id'), 2]],
  )
  assert.equal(dataOf(await afterwards.call('GET', '/v0/alerts')).length, 1)
})

test('kill -9 between the cause and the message: the next server sends it', async () => {
  const env = { SMTP_URL: mail.url, ALERT_EMAIL_FROM: 'alerts@causeway.example' }
  const seenBefore = mail.seen.length
  let channelId = ''
  {
    await using server = await startServe(world, env)
    const { call } = callerOf(server.url, other.apiKey)
    channelId = dataOf(await call('POST', '/v0/alert-channels', { type: 'email', emails: ['ops@acme.example'] })).id
    dataOf(await call('POST', '/v0/api-keys', { name: 'Reports' }))
    await server.kill()
  }
  await using next = await startServe(world, env)
  await watchNow(world)
  await until('the message', async () => {
    await watchNow(world)
    return mail.seen.length === seenBefore + 1
  })
  await until('its outcome', async () => {
    const [message] = await messagesTo(callerOf(next.url, other.apiKey), channelId)
    return message?.state === 'sent'
  })
})
