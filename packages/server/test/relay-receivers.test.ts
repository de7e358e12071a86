// Receivers that redirect, vanish, hang, reset or never end, and addresses that may not be sent to.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from './business.ts'
import { request, until } from './caller.ts'
import { openReceiver } from './receiver.ts'
import { openWorld } from './world.ts'

/** A receiver that responds at once is well within it, also on a busy machine. */
const timeoutMs = 1_000
const world = await openWorld({
  alone: true,
  env: { WEBHOOK_RETRY_SECONDS: '0.05', WEBHOOK_TIMEOUT_MS: String(timeoutMs) },
})
after(() => world.stop())

/** The delivery of the one event of this subscriber, when it has ended. */
function ended({ call }: Subscriber) {
  return until('the end of the delivery', async () => {
    const [event] = (await call('GET', '/v0/events?eventType=test.happened')).body.data
    const [delivery] = (await call('GET', `/v0/events/${event.id}/deliveries`)).body.data
    if (delivery?.finishedAt === null) return false
    return (await call('GET', `/v0/deliveries/${delivery.id}`)).body.data
  })
}

const outcomes = (delivery: { attempts: { outcome: string }[] }) => delivery.attempts.map(({ outcome }) => outcome)

test('a redirect is a failure and is not followed', async () => {
  await using canary = await openReceiver()
  const statuses = [301, 308]
  await using subscriber = await world.subscriber(() => ({
    status: statuses.shift() ?? 307,
    headers: { location: canary.url },
  }))
  await world.post(subscriber.event())
  const delivery = await ended(subscriber)
  assert.equal(delivery.status, 'exhausted')
  assert.deepEqual(outcomes(delivery), ['http_301', 'http_308'])
  assert.equal(canary.seen.length, 0)
})

test('410 disables the endpoint with a reason; its events are kept and arrive once the URL is set again', async () => {
  await using subscriber = await world.subscriber(() => 410)
  const { receiver, call } = subscriber
  await world.post(subscriber.event())
  const endpoint = await until('the disabling', async () => {
    const { data } = (await call('GET', '/v0/webhook-url')).body
    return data.status === 'disabled' && data
  })
  assert.equal(endpoint.disabledReason, 'The receiver responded with 410 Gone.')
  const events = await call('GET', '/v0/events?eventType=webhook_endpoint.disabled')
  assert.equal(events.body.data[0].payload.data.id, endpoint.id)
  receiver.reply = () => 200
  const later = subscriber.event()
  assert.match((await world.post(later)).body.data.message, /queued/)
  assert.equal(receiver.seen.length, 1)
  const set = await call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
  assert.equal(set.body.data.status, 'enabled')
  assert.equal(set.body.data.disabledReason, null)
  await until('all that was kept', () => receiver.seen.length === 4)
  const sequence = receiver.seen.slice(1).map(({ headers }) => Number(headers['svc-sequence']))
  assert.deepEqual(sequence.toSorted(), [1, 2, 3])
})

test('a receiver that is down uses up the attempts with connect_error', async () => {
  await using subscriber = await world.subscriber()
  await subscriber.receiver[Symbol.asyncDispose]()
  await world.post(subscriber.event())
  const delivery = await ended(subscriber)
  assert.deepEqual(outcomes(delivery), ['connect_error', 'connect_error'])
  assert.equal(delivery.attempts[0].httpStatus, null)
})

test('a receiver that never answers is given up at the wall clock', async () => {
  await using subscriber = await world.subscriber(() => () => {})
  await world.post(subscriber.event())
  const delivery = await ended(subscriber)
  assert.deepEqual(outcomes(delivery), ['timeout', 'timeout'])
  for (const { durationMs } of delivery.attempts) {
    assert.ok(durationMs >= timeoutMs - 20 && durationMs < 2 * timeoutMs, `${durationMs} ms`)
  }
})

test('a receiver that trickles its answer is given up at the same wall clock', async () => {
  await using subscriber = await world.subscriber(() => (_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  })
  await world.post(subscriber.event())
  assert.deepEqual(outcomes(await ended(subscriber)), ['timeout', 'timeout'])
})

test('a receiver that resets the connection fails, and is tried again', async () => {
  const replies = ['reset']
  await using subscriber = await world.subscriber(() =>
    replies.pop() ? (incoming) => void incoming.socket.resetAndDestroy() : 200,
  )
  await world.post(subscriber.event())
  const delivery = await ended(subscriber)
  assert.deepEqual([delivery.status, ...outcomes(delivery)], ['delivered', 'connect_error', 'http_200'])
})

test('an answer without end counts by its status and is not read to the end', async () => {
  let written = 0
  await using subscriber = await world.subscriber(() => (_, response) => {
    response.writeHead(200)
    const block = Buffer.alloc(65_536, 'x')
    const pour = () => {
      while (!response.destroyed && written < 64 * 1024 * 1024) {
        written += block.length
        if (!response.write(block)) return void response.once('drain', pour)
      }
    }
    pour()
  })
  await world.post(subscriber.event())
  const delivery = await ended(subscriber)
  assert.deepEqual([delivery.status, ...outcomes(delivery)], ['delivered', 'http_200'])
  assert.ok(Buffer.byteLength(delivery.attempts[0].responseBody) <= 4_096)
  assert.ok(written < 32 * 1024 * 1024, `${written} bytes were written`)
})

test('in live mode neither http nor a private address is taken, nor sent to when it was stored before', async () => {
  await using canary = await openReceiver()
  await using subscriber = await world.subscriber()
  const live = { mode: 'live', providerKind: 'bridge', providerWebhookSignature: 'required' } as const
  await world.server.stop() // or it would send what the live one must refuse
  await using replica = await world.replica({ config: live })
  // Keys of the other mode are not accepted, so the operator's door is used.
  const { secret: adminSecret } = world.operator
  const set = (webhookUrl: string) =>
    request(
      'PUT',
      `${replica.url}/v0/customers/${subscriber.id}/webhook-url`,
      { webhookUrl },
      {
        headers: { authorization: `Bearer ${adminSecret}` },
      },
    )
  for (const url of [
    'http://example.com/',
    canary.url,
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://10.1.2.3/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/',
  ]) {
    const answer = await set(url)
    assert.equal(`${url} ${answer.status} ${answer.body?.error?.code}`, `${url} 400 invalid_webhook_url`)
  }
  const { db } = replica.inside
  const attemptAt = async (url: string) => {
    await db.transaction((tx) => tx`update webhook_endpoints set url = ${url} where business_id = ${subscriber.id}`)
    const event = subscriber.event()
    assert.equal((await world.post(event, { at: replica.url })).status, 200)
    return await until('the attempt', async () => {
      const rows = await db.read(
        (query) => query<{ outcome: string }[]>`
          select a.outcome from delivery_attempts a join (
            select id, event_id from deliveries union all select id, event_id from finished_deliveries
          ) d on d.id = a.delivery_id join events e on e.id = d.event_id where e.provider_event_id = ${event.event_id}`,
      )
      return rows[0]?.outcome
    })
  }
  // A name that resolves to a private address, an address itself, and one spelled so that only a resolver sees through it.
  for (const host of ['localhost', '127.0.0.1', '[::1]', '2130706433']) {
    assert.equal(await attemptAt(`https://${host}:${canary.port}/hook`), 'refused_address', host)
  }
  assert.equal(canary.seen.length, 0)
})
