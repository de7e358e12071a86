// Attacks by what callers choose: URLs into the network, names with markup, links and line breaks, receivers that are silent, redirect
// or fail.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sendMessage } from '../src/alerts/messages/send.ts'
import { createSender } from '../src/platform/guarded-http/sender.ts'
import { messagesTo, minutePasses, retryNow, watchNow } from './alerts.ts'
import { dataOf, until } from './caller.ts'
import { openMailServer } from './mail-server.ts'
import { openReceiver } from './receiver.ts'
import { openWorld } from './world.ts'

const mail = await openMailServer()
const world = await openWorld({
  alone: true,
  env: { SMTP_URL: mail.url, ALERT_EMAIL_FROM: 'alerts@causeway.example' },
})
after(async () => {
  await world.stop()
  await mail[Symbol.asyncDispose]()
})

const channels = '/v0/alert-channels'

async function outcomeOf(business: typeof world.business, channelId: string): Promise<string> {
  return await until('an outcome', async () => (await messagesTo(business, channelId)).at(-1)?.lastOutcome)
}

test('a channel reaches no private address: not when it is stored, not by its name, and not by a redirect', async () => {
  const business = await world.otherBusiness()
  await using inner = await openReceiver()
  await using outer = await openReceiver(() => ({ status: 302, headers: { location: inner.url } }))
  const redirected = dataOf(await business.call('POST', channels, { type: 'slack', url: outer.url }))
  dataOf(await business.call('POST', `${channels}/${redirected.id}/test`))
  assert.equal(await outcomeOf(business, redirected.id), 'The receiver responded with 302.')
  assert.equal(inner.seen.length, 0)
  for (const url of [
    'https://10.1.2.3/',
    'https://[fd00::1]/',
    'https://metadata.invalid/',
    'http://localhost.example.com/',
  ]) {
    const named = dataOf(await business.call('POST', channels, { type: 'webhook', url: outer.url }))
    // As if the address had been stored before it became forbidden, or its name had led elsewhere then.
    const sealed = world.inside.secrets.seal(url, business.id)
    await world.rows`update alert_channels set url_sealed = ${sealed} where id = ${named.id}`
    dataOf(await business.call('POST', `${channels}/${named.id}/test`))
    assert.equal(
      await outcomeOf(business, named.id),
      'The host does not resolve to a public address that deliveries are allowed to use.',
      url,
    )
    dataOf(await business.call('DELETE', `${channels}/${named.id}`))
  }
})

test('a name that leads to a private address is refused at the connection', async () => {
  const lookup = async () => ['10.1.2.3']
  const sender = createSender({ allowLoopback: false, lookup })
  const { config, secrets, now } = world.inside
  const urlSealed = secrets.seal('https://hooks.acme.example/', 'biz_1')
  const content = { businessName: 'Acme', isTest: true, alerts: [], total: 0 }
  const message = {
    ...{
      businessId: 'biz_1',
      id: 'alm_1',
      channelId: 'alc_1',
      isTest: true,
      subject: '',
      content,
      attempts: 1,
      fence: 1,
    },
    ...{ createdAt: new Date(), ageMs: 0, emails: [], urlSealed, secretSealed: null },
  }
  for (const type of ['slack', 'webhook'] as const)
    assert.deepEqual(
      await sendMessage(
        { config, secrets, now, sender, mailer: null },
        { ...message, type },
        new AbortController().signal,
      ),
      {
        result: 'failed',
        said: 'The host does not resolve to a public address that deliveries are allowed to use.',
        isFinal: false,
      },
    )
  await sender.close()
})

const hostileName =
  '<!channel> *Pay* <https://evil.example|here> & \u202ecod.evil\u2028Bcc: x@evil.example https://evil.example'

test('a hostile name adds no markup, link or mention to Slack, and no header, line or link to an email', async () => {
  const business = await world.otherBusiness(hostileName)
  await using receiver = await openReceiver()
  const slack = dataOf(
    await business.call('POST', channels, {
      type: 'slack',
      url: receiver.url,
      name: hostileName.replace('\u2028', ' '),
    }),
  )
  const email = dataOf(await business.call('POST', channels, { type: 'email', emails: ['ops@acme.example'] }))
  dataOf(await business.call('POST', '/v0/api-keys', { name: hostileName }))
  await watchNow(world)
  const received = await until('the request', () => receiver.seen[0])
  const letter = await until('the email', () => mail.seen[0])
  const body = JSON.parse(received.body.toString())
  assert.deepEqual(Object.keys(body).sort(), ['text', 'unfurl_links', 'unfurl_media'])
  for (const live of ['<!channel>', '<https:', '*Pay*', 'https://evil', 'evil.example', '@evil', '\u202e', '\u2028'])
    assert.ok(!body.text.includes(live), `Slack: ${live}`)
  for (const live of ['\u202e', '\u2028', 'https://evil', '@evil', 'evil.example'])
    assert.ok(!letter.text.includes(live), `email: ${live}`)
  assert.deepEqual(letter.to, ['ops@acme.example'])
  assert.deepEqual([...letter.headers.keys()].filter((name) => /^(bcc|cc|to|from|subject)$/.test(name)).sort(), [
    'from',
    'subject',
    'to',
  ])
  assert.match(letter.text, /^Name: .*$/m)
  assert.equal(letter.headers.get('content-type'), 'text/plain; charset=utf-8')
  for (const { id } of [slack, email]) assert.equal((await messagesTo(business, id)).length, 1)
})

test('a message that fails is sent again with the same ID and content, and its outcome is stored each time', async () => {
  const business = await world.otherBusiness()
  await using receiver = await openReceiver(() => 500)
  const { id } = dataOf(await business.call('POST', channels, { type: 'webhook', url: receiver.url }))
  dataOf(await business.call('POST', '/v0/api-keys', { name: 'Reports' }))
  await watchNow(world)
  await until('a failure', async () => (await messagesTo(business, id))[0]?.lastOutcome)
  assert.equal((await messagesTo(business, id))[0]?.lastOutcome, 'The receiver responded with 500.')
  // Until it is sent, what happens waits for the next message.
  dataOf(await business.call('POST', '/v0/api-keys', { name: 'Ledger' }))
  await minutePasses(world, id)
  receiver.reply = () => 200
  await retryNow(world)
  await until('the second attempt', async () => (await messagesTo(business, id))[0]?.state === 'sent')
  const [first, second] = receiver.seen
  assert.ok(first && second)
  assert.equal(first.headers['webhook-id'], second.headers['webhook-id'])
  assert.equal(first.body.toString(), second.body.toString())
  assert.equal((await messagesTo(business, id))[0]?.attempts, 2)
  await minutePasses(world, id)
  await until('the next message', () => receiver.seen[2])
  assert.notEqual(receiver.seen[2]?.headers['webhook-id'], first.headers['webhook-id'])
  await until('its outcome', async () => (await messagesTo(business, id))[1]?.state === 'sent')
  receiver.reply = () => 503
  const last = (await messagesTo(business, id))[1]?.id
  await world.rows`
    update alert_messages set state = 'pending', attempts = 9, next_attempt_at = now(), created_at = now() - interval '25 hours'
    where id = ${last}`
  await retryNow(world)
  await until(
    'the end',
    async () => (await messagesTo(business, id)).find((one) => one.id === last)?.state === 'failed',
  )
})

test('a receiver that is gone, and a rejected recipient, are not tried again', async () => {
  const business = await world.otherBusiness()
  await using receiver = await openReceiver(() => 410)
  const gone = dataOf(await business.call('POST', channels, { type: 'slack', url: receiver.url }))
  const email = dataOf(await business.call('POST', channels, { type: 'email', emails: ['nobody@acme.example'] }))
  mail.reply = () => ({ code: 550 })
  for (const { id } of [gone, email]) dataOf(await business.call('POST', `${channels}/${id}/test`))
  for (const { id } of [gone, email])
    await until('the end', async () => (await messagesTo(business, id))[0]?.state === 'failed')
  assert.equal(await outcomeOf(business, email.id), 'The mail server rejected the message. Status 550.')
  mail.reply = () => 'accept'
})

test('receivers that are silent hold up neither other channels nor deliveries', async () => {
  await using subscriber = await world.subscriber()
  await using silent = await openReceiver(() => () => {})
  await using quick = await openReceiver()
  for (let count = 0; count < 9; count++)
    dataOf(await subscriber.call('POST', channels, { type: 'slack', url: silent.url }))
  const { id } = dataOf(await subscriber.call('POST', channels, { type: 'slack', url: quick.url }))
  dataOf(await subscriber.call('POST', '/v0/api-keys', { name: 'Reports' }))
  await watchNow(world)
  await until('nine silent requests', () => silent.seen.length === 9)
  const beganMs = performance.now()
  dataOf(await subscriber.call('POST', `${channels}/${id}/test`))
  await until('the alert and the test', () => quick.seen.length === 2)
  await world.post(subscriber.event())
  await until('the delivery', () => subscriber.receiver.seen[0])
  assert.ok(performance.now() - beganMs < 5_000, 'before a silent request has timed out')
})

test('another business reads, changes, tests and deletes no channel of this one', async () => {
  const [one, other] = [await world.otherBusiness(), await world.otherBusiness()]
  const { id } = dataOf(await one.call('POST', channels, { type: 'slack', url: 'https://hooks.slack.com/x' }))
  const path = `${channels}/${id}`
  for (const [method, at, body] of [
    ['GET', path, undefined],
    ['PATCH', path, { name: 'Mine' }],
    ['POST', `${path}/test`, undefined],
    ['DELETE', path, undefined],
  ] as const)
    assert.equal((await other.call(method, at, body)).status, 404, method)
  assert.deepEqual(dataOf(await other.call('GET', channels)), [])
  assert.deepEqual(dataOf(await other.call('GET', `/v0/alert-messages?channelId=${id}`)), [])
  assert.equal((await world.operator.call('GET', `/v0/operator/alert-channels/${id}`)).status, 404)
})
