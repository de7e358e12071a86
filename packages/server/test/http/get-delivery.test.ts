// GET /v0/deliveries/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { assertError, until } from '../caller.ts'
import type { Reply } from '../receiver.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.05,0.05' } })
after(() => world.stop())
const { call } = world.business

async function deliveryOf({ apiKey: key }: Subscriber): Promise<string> {
  const [event] = (await call('GET', '/v0/events', undefined, { key })).body.data
  const deliveries = await call('GET', `/v0/events/${event.id}/deliveries`, undefined, { key })
  return deliveries.body.data[0].id
}

test('200 a delivery shows each attempt, oldest first, with what the receiver said', async () => {
  const replies: Reply[] = [
    { status: 500, body: `no \u0007 luck ${'x'.repeat(10_000)}` },
    (request) => request.socket.destroy(),
    { status: 204 },
  ]
  await using subscriber = await world.subscriber(() => replies.shift() ?? 200)
  const key = subscriber.apiKey
  await world.post(subscriber.event())
  const id = await deliveryOf(subscriber)
  const delivery = await until('the delivery', async () => {
    const { data } = (await call('GET', `/v0/deliveries/${id}`, undefined, { key })).body
    return data.status === 'delivered' && data
  })
  assert.equal(delivery.attemptCount, 3)
  assert.equal(delivery.lastOutcome, 'http_204')
  const attempts: Record<string, unknown>[] = delivery.attempts
  assert.deepEqual(
    attempts.map(({ attempt, outcome, httpStatus }) => ({ attempt, outcome, httpStatus })),
    [
      { attempt: 1, outcome: 'http_500', httpStatus: 500 },
      { attempt: 2, outcome: 'connect_error', httpStatus: null },
      { attempt: 3, outcome: 'http_204', httpStatus: 204 },
    ],
  )
  const [first, second] = attempts
  assert.match(String(first?.['responseBody']), /^no .* luck x+$/)
  assert.ok(Buffer.byteLength(String(first?.['responseBody'])) <= 4_096)
  assert.ok(!String(first?.['responseBody']).includes('\u0007'))
  assert.equal(second?.['responseBody'], null)
  assert.equal(typeof second?.['detail'], 'string')
  const times = attempts.map(({ startedAt }) => String(startedAt))
  assert.deepEqual(times, times.toSorted())
})

test('200 each attempt shows the headers that were sent, signature included, and those of a failure', async () => {
  const replies: Reply[] = [
    {
      status: 500,
      headers: { 'x-reason': 'full \u00e9', 'set-cookie': 'session=1', 'x-long': 'y'.repeat(2_000) },
      body: 'no',
    },
    { status: 200, headers: { 'x-reason': 'fine' } },
  ]
  await using subscriber = await world.subscriber(() => replies.shift() ?? 200)
  await world.post(subscriber.event())
  const id = await deliveryOf(subscriber)
  const delivery = await until('the delivery', async () => {
    const { data } = (await subscriber.call('GET', `/v0/deliveries/${id}`)).body
    return data.status === 'delivered' && data
  })
  const ours = /^(content-type|user-agent|webhook-|svc-)/
  const seen = subscriber.receiver.seen.map(({ headers }) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => ours.test(name))),
  )
  const [first, second] = delivery.attempts
  assert.deepEqual([first.requestHeaders, second.requestHeaders], seen)
  assert.match(first.requestHeaders['webhook-signature'], /^v1,/)
  assert.equal(first.responseHeaders['x-reason'], 'full \u00e9')
  assert.ok(!('set-cookie' in first.responseHeaders) && first.responseHeaders['x-long'].length <= 256)
  assert.ok(Buffer.byteLength(JSON.stringify(first.responseHeaders)) <= 1_024)
  assert.equal(second.responseHeaders, null)
  await subscriber.call('POST', `/v0/deliveries/${id}/retry`)
  const again = await until('a repeat', async () => {
    const { data } = (await subscriber.call('GET', `/v0/deliveries/${id}`)).body
    return data.status === 'delivered' && data.attempts.length === 3 && data
  })
  assert.deepEqual(again.attempts.slice(0, 2), delivery.attempts, 'a repeat keeps what was stored')
})

test('400 an id that no delivery can have is refused', async () => {
  assertError(await call('GET', `/v0/deliveries/${'x'.repeat(65)}`), 400, 'invalid_path', { param: 'id' })
})
