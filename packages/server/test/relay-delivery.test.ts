// Deliveries at a receiver: the event's own bytes, signed, numbered, and retried until accepted.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import { freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

const retryMs = [100, 200, 300]
const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: retryMs.map((ms) => ms / 1000).join(',') } })
after(() => world.stop())

const arrivals = (subscriber: Subscriber, count: number) =>
  until(`${count} requests`, () => subscriber.receiver.seen.length >= count && subscriber.receiver.seen)

async function deliveryOf(subscriber: Subscriber, providerEventId: string) {
  const events = await subscriber.call('GET', '/v0/events?limit=100')
  const event = events.body.data.find((row: { providerEventId: string }) => row.providerEventId === providerEventId)
  const deliveries = await subscriber.call('GET', `/v0/events/${event.id}/deliveries`)
  return (await subscriber.call('GET', `/v0/deliveries/${deliveries.body.data[0].id}`)).body.data
}

test('a provider event is forwarded byte for byte, and an independent verifier accepts it', async () => {
  await using subscriber = await world.subscriber()
  const id = freshEventId()
  const raw = Buffer.from(
    `\r\n{ "zeta" :1.0,\t"event_type":"caf\\u00e9.\\ud83d\\ude00 opened" , "big":12345678901234567890.000,"alpha":"\\/ é 😀",` +
      `"dup":1,"dup":2, "event_id":"${id}","external_user_id":"${subscriber.externalUserId}","e":1E+2 }\n\n `,
  )
  assert.equal((await world.post(raw)).status, 200)
  const [received] = await arrivals(subscriber, 1)
  assert.ok(received)
  assert.deepEqual(received.body, raw)
  subscriber.verify(received)
  assert.equal(decodeURIComponent(String(received.headers['svc-event-type'])), 'café.😀 opened')
  assert.throws(() => subscriber.verify({ ...received, body: Buffer.concat([raw, Buffer.from(' ')]) }))
})

test('every header of the contract is there, and says what it should', async () => {
  await using subscriber = await world.subscriber()
  const event = subscriber.event()
  await world.post(event)
  const [received] = await arrivals(subscriber, 1)
  const headers = received?.headers ?? {}
  const delivery = await deliveryOf(subscriber, event.event_id)
  assert.equal(headers['content-type'], 'application/json')
  assert.match(String(headers['user-agent']), /^Causeway\/\d/)
  assert.equal(headers['webhook-id'], `${delivery.eventId}_${delivery.webhookEndpointId}`)
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 30)
  assert.match(String(headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/)
  assert.equal(headers['svc-event-type'], 'test.happened')
  assert.equal(headers['svc-external-user-id'], subscriber.externalUserId)
  assert.equal(headers['svc-sequence'], '1')
  assert.equal(headers['svc-attempt'], '1')
  assert.equal(headers['svc-verified'], 'true')
})

test('an unsigned provider event is forwarded as svc-verified: false', async () => {
  await using subscriber = await world.subscriber()
  await world.post(subscriber.event(), { signed: false })
  const [received] = await arrivals(subscriber, 1)
  assert.equal(received?.headers['svc-verified'], 'false')
})

test('the sequence of an endpoint has no gaps from 1, over events of the provider and our own', async () => {
  await using subscriber = await world.subscriber()
  const work = Array.from({ length: 20 }, async (_, index) => {
    if (index % 2 === 0) return await world.post(subscriber.event())
    return await subscriber.call('POST', '/v0/end-users', { externalUserId: `${subscriber.externalUserId}-${index}` })
  })
  for (const answer of await Promise.all(work)) assert.equal(answer.status, 200, answer.text)
  const seen = await arrivals(subscriber, 20)
  for (const received of seen) subscriber.verify(received)
  const sequence = seen.map(({ headers }) => Number(headers['svc-sequence'])).toSorted((a, b) => a - b)
  assert.deepEqual(
    sequence,
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  const own = seen.filter(({ headers }) => headers['svc-event-type'] === 'end_user.created')
  assert.equal(own.length, 10)
  const { event_id, api_version } = JSON.parse(own[0]?.body.toString() ?? '')
  assert.match(event_id, /^evt_/)
  assert.equal(api_version, 'v0')
})

test('a failed delivery is repeated on the schedule until it is taken: same id and bytes, the attempt counted', async () => {
  const replies = [500, 404, 302]
  await using subscriber = await world.subscriber(() => replies.shift() ?? 204)
  const event = subscriber.event()
  await world.post(event)
  const seen = await arrivals(subscriber, 4)
  assert.deepEqual(
    seen.map(({ headers }) => headers['svc-attempt']),
    ['1', '2', '3', '4'],
  )
  assert.equal(new Set(seen.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.equal(new Set(seen.map(({ headers }) => headers['svc-sequence'])).size, 1)
  assert.equal(new Set(seen.map(({ body }) => body.toString())).size, 1)
  for (const received of seen) subscriber.verify(received)
  for (const [index, waitMs] of retryMs.entries()) {
    const waited = (seen[index + 1]?.atMs ?? 0) - (seen[index]?.atMs ?? 0)
    assert.ok(
      waited >= waitMs * 0.8 - 5 && waited < waitMs * 1.2 + 1_500,
      `attempt ${index + 2} came after ${waited} ms`,
    )
  }
  const delivery = await until('the end', async () => {
    const row = await deliveryOf(subscriber, event.event_id)
    return row.status === 'delivered' && row
  })
  assert.deepEqual(
    delivery.attempts.map((attempt: { outcome: string }) => attempt.outcome),
    ['http_500', 'http_404', 'http_302', 'http_204'],
  )
})

test('each attempt writes one log line with its facts, and without the event, the URL and the answer', async () => {
  const marks = { body: 'mark-of-the-body', path: 'mark-of-the-path', answer: 'mark-of-the-answer' }
  await using subscriber = await world.subscriber(() => ({
    status: subscriber.receiver.seen.length === 1 ? 503 : 200,
    body: marks.answer,
  }))
  const webhookUrl = `${subscriber.receiver.url}/${marks.path}`
  assert.equal((await subscriber.call('PUT', '/v0/webhook-url', { webhookUrl })).status, 200)
  const event = subscriber.event({ note: marks.body })
  await world.post(event)
  const delivery = await until('its delivery', async () => {
    const row = await deliveryOf(subscriber, event.event_id)
    return row.status === 'delivered' && row
  })
  const lines = await until('two lines', () => {
    const found = world.log.filter((line) => line.includes('"delivery attempt"') && line.includes(delivery.id))
    return found.length === 2 && found
  })
  const facts = lines.map((line) => JSON.parse(line))
  const same = {
    business: subscriber.id,
    endpoint: delivery.webhookEndpointId,
    delivery: delivery.id,
    eventType: event.event_type,
  }
  for (const [index, httpStatus] of [503, 200].entries()) {
    const { level, time, durationMs, nextAttemptInMs, ...rest } = facts[index]
    assert.ok(Number.isInteger(durationMs))
    assert.equal(Number.isInteger(nextAttemptInMs), index === 0, 'the first attempt has a next one, the last has none')
    const expected = { ...same, attempt: index + 1, outcome: `http_${httpStatus}`, httpStatus }
    assert.deepEqual(rest, { ...expected, message: 'delivery attempt' })
  }
  for (const mark of Object.values(marks)) assert.ok(!world.log.some((line) => line.includes(mark)), mark)
})

test('after the last attempt a delivery is exhausted, kept, and not tried again', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const event = subscriber.event()
  await world.post(event)
  const delivery = await until('the last attempt', async () => {
    const row = await deliveryOf(subscriber, event.event_id)
    return row.status === 'exhausted' && row
  })
  assert.equal(delivery.attemptCount, retryMs.length + 1)
  assert.equal(delivery.nextAttemptAt, null)
  assert.ok(delivery.finishedAt)
  assert.equal(subscriber.receiver.seen.length, retryMs.length + 1)
})

test('Retry-After puts the next attempt off', async () => {
  let asked = false
  await using subscriber = await world.subscriber(() => {
    if (asked) return 200
    asked = true
    return { status: 429, headers: { 'retry-after': '2' } }
  })
  await world.post(subscriber.event())
  const [first, second] = await arrivals(subscriber, 2)
  const waited = (second?.atMs ?? 0) - (first?.atMs ?? 0)
  assert.ok(waited >= 1_950 && waited < 4_000, `it came after ${waited} ms`)
})

test('while a secret is rotated, deliveries carry signatures of both', async () => {
  await using subscriber = await world.subscriber()
  const { secrets, db } = world.inside
  const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  await db.transaction(
    (tx) => tx`
      update webhook_endpoints set previous_secret_sealed = secret_sealed, previous_secret_expires_at = now() + interval '1 hour',
        secret_sealed = ${secrets.seal(next, subscriber.id)} where business_id = ${subscriber.id}`,
  )
  await world.post(subscriber.event())
  const [received] = await arrivals(subscriber, 1)
  assert.equal(String(received?.headers['webhook-signature']).split(' ').length, 2)
  if (received) subscriber.verify(received) // with the old secret
})
