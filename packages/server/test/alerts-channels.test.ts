// Alerts from their cause to a channel: by email, to Slack and as a signed webhook; each cause once, and its recovery once.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { messagesTo, minutePasses, watchNow } from './alerts.ts'
import { dataOf, until } from './caller.ts'
import { openMailServer } from './mail-server.ts'
import { openWorld } from './world.ts'

const mail = await openMailServer()
const world = await openWorld({
  alone: true,
  env: {
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'alerts@causeway.example',
    WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2,0.2,0.2,60',
  },
})
after(async () => {
  await world.stop()
  await mail[Symbol.asyncDispose]()
})

const to = 'ops@acme.example'

test('a failing endpoint sends one email, and its recovery another', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const { call, receiver, id } = subscriber
  const channel = dataOf(
    await call('POST', '/v0/alert-channels', { type: 'email', emails: [to], endpointFailingMinutes: 1 }),
  )
  await world.post(subscriber.event())
  await until('a failed attempt', () => receiver.seen[0])
  const failing = () => world.rows`select 1 from endpoint_lanes where business_id = ${id} and failing_since is not null`
  await until('the failing endpoint', async () => (await failing()).length > 0)
  await watchNow(world)
  assert.deepEqual(dataOf(await call('GET', '/v0/alerts')), [], 'no alert before the minute is over')
  await world.rows`update endpoint_lanes set failing_since = now() - interval '61 seconds' where business_id = ${id}`
  await watchNow(world)
  const first = await until('the email', () => mail.seen[0])
  assert.deepEqual(first.to, [to])
  assert.match(first.headers.get('subject') ?? '', /^\[Causeway\] Endpoint failing: 127\.0\.0\.1:\d+$/)
  assert.match(first.text, /Causeway keeps the events and retries/)
  await minutePasses(world, channel.id)
  receiver.reply = () => 200
  const recovered = () => world.rows`select 1 from endpoint_lanes where business_id = ${id} and failing_since is null`
  await until('the recovery', async () => (await recovered()).length > 0)
  await watchNow(world)
  const second = await until('the second email', () => mail.seen[1])
  assert.match(second.headers.get('subject') ?? '', /^\[Causeway\] Endpoint no longer failing: /)
  await until('both outcomes', async () =>
    (await messagesTo(subscriber, channel.id)).every(({ state }) => state === 'sent'),
  )
  const messages = await messagesTo(subscriber, channel.id)
  assert.deepEqual(
    messages.map(({ alertCount, alerts, attempts }) => [alertCount, alerts[0]?.kind, alerts[0]?.phase, attempts]),
    [
      [1, 'endpoint.failing', 'opened', 1],
      [1, 'endpoint.failing', 'recovered', 1],
    ],
  )
  const [alert, ...others] = dataOf(await call('GET', '/v0/alerts?kind=endpoint.failing'))
  assert.deepEqual([alert.state, others], ['recovered', []])
  assert.equal(mail.seen.length, 2)
})
