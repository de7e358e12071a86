// GET /v0/deliveries

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { freshUserId } from '../people.ts'
import { defaultEndpointOf, settled } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '3600' } })
after(() => world.stop())
const { call } = world.business

const list = async ({ apiKey: key }: Subscriber, query = '') => {
  const answer = await call('GET', `/v0/deliveries${query}`, undefined, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

// biome-ignore lint/suspicious/noExplicitAny: what the API shows is read by tests, which assert what they find
type Shown = any

/** All pages, by `Link`, in pages of two. */
async function pages(subscriber: Subscriber, query = ''): Promise<Shown[]> {
  const seen: Shown[] = []
  let path: string | undefined = `?limit=3${query}` // ends within the two deliveries of an event
  while (path !== undefined) {
    const answer = await list(subscriber, path)
    seen.push(...answer.body.data)
    path = /\/v0\/deliveries(\?[^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return seen
}

/** Posts an event, and waits until the receiver has had it. */
async function delivered(subscriber: Subscriber, fields: Record<string, unknown> = {}): Promise<void> {
  const before = subscriber.receiver.seen.length
  await world.post(subscriber.event(fields))
  await until('the attempt', () => subscriber.receiver.seen.length > before)
}

const givenUp = () => ({ status: 500, headers: { 'svc-retry': 'stop' } })

test('200 delivered, given up and waiting: each with its event and its last attempt, newest first, page by page', async () => {
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  for (let at = 0; at < 3; at++) await delivered(subscriber, { event_type: 'alpha.one' })
  subscriber.receiver.reply = givenUp
  for (let at = 0; at < 3; at++) await delivered(subscriber, { event_type: 'beta.one' })
  subscriber.receiver.reply = () => 503
  for (let at = 0; at < 3; at++) await delivered(subscriber, { event_type: 'gamma.one' })
  await settled(subscriber, 'delivered', 3)
  await settled(subscriber, 'exhausted', 3)
  await until('the failures', async () => (await pages(subscriber, '&status=retrying')).length === 3)
  const all = await pages(subscriber)
  const { data: events } = (await subscriber.call('GET', '/v0/events?limit=9')).body
  assert.deepEqual(
    all.map(({ eventId }) => eventId),
    events.map(({ id }: { id: string }) => id),
  )
  assert.deepEqual(new Set(all.map(({ webhookEndpointId }) => webhookEndpointId)), new Set([endpointId]))
  assert.deepEqual(new Set(all.map(({ externalUserId }) => externalUserId)), new Set([subscriber.externalUserId]))
  const [waiting, , , failed, , , arrived] = all
  for (const [row, expected] of [
    [waiting, ['retrying', 'gamma.one', 'http_503', 503]],
    [failed, ['exhausted', 'beta.one', 'http_500', 500]],
    [arrived, ['delivered', 'alpha.one', 'http_200', 200]],
  ] as const) {
    const { attempt, outcome, httpStatus, durationMs, startedAt } = row.lastAttempt
    assert.deepEqual([row.status, row.eventType, outcome, httpStatus], expected)
    assert.ok(attempt === 1 && durationMs >= 0 && startedAt <= new Date().toISOString())
  }
  assert.ok(waiting.nextAttemptAt > new Date().toISOString())
  assert.deepEqual([failed.nextAttemptAt, arrived.nextAttemptAt], [null, null])
  for (const [query, part] of [
    ['&status=pending', []],
    ['&status=exhausted', all.slice(3, 6)],
    ['&status=cancelled', []],
    ['&status=delivered', all.slice(6)],
    [`&status=pending&webhookEndpointId=${endpointId}`, []],
    ['&status=retrying', all.slice(0, 3)],
    [`&status=retrying&webhookEndpointId=${endpointId}`, all.slice(0, 3)],
    ['&status=retrying&eventType=beta.one', []],
    [`&status=exhausted&webhookEndpointId=${endpointId}`, all.slice(3, 6)],
    [`&webhookEndpointId=${endpointId}`, all],
    ['&webhookEndpointId=whe_00000000000000000000000000', []],
    ['&eventType=beta.one', all.slice(3, 6)],
    ['&status=exhausted&eventType=alpha.one', []],
    ['&status=retrying&eventType=gamma.one', all.slice(0, 3)],
    [`&externalUserId=${subscriber.externalUserId}`, all],
    ['&status=pending&externalUserId=nobody', []],
  ] as const)
    assert.deepEqual(await pages(subscriber, query), part, query)
})

test('200 several endpoints: the deliveries of one event stand together, and an endpoint has its own', async () => {
  await using subscriber = await world.subscriber()
  await using other = await subscriber.endpoint()
  await other.change({ status: 'paused' })
  const name = freshUserId()
  await subscriber.call('POST', '/v0/end-users', { externalUserId: name })
  for (let at = 0; at < 2; at++) await delivered(subscriber)
  await settled(subscriber, 'delivered', 3)
  const all = await pages(subscriber)
  assert.equal(all.length, 6)
  assert.equal(new Set(all.map(({ id }) => id)).size, 6)
  assert.deepEqual(
    all.map(({ eventId }) => eventId),
    all.map((_, at) => all[at - (at % 2)].eventId),
  )
  const waiting = await pages(subscriber, `&webhookEndpointId=${other.id}`)
  assert.deepEqual([waiting.length, waiting[0].lastAttempt], [3, null])
  assert.deepEqual(await pages(subscriber, `&status=pending&webhookEndpointId=${other.id}`), waiting)
  assert.deepEqual(await pages(subscriber, '&status=pending'), waiting)
  assert.equal((await pages(subscriber, `&externalUserId=${name}`)).length, 2)
  await subscriber.call('DELETE', `/v0/webhook-endpoints/${other.id}`)
  assert.deepEqual(
    (await pages(subscriber, '&status=cancelled')).map(({ id }) => id),
    waiting.map(({ id }) => id),
  )
})

test('200 retrying: what was attempted and waits for another attempt, also on demand, not what was never tried', async () => {
  await using subscriber = await world.subscriber()
  await using other = await subscriber.endpoint({}, () => 503)
  await delivered(subscriber)
  const [failed] = await until('the failure', async () => {
    const rows = await pages(subscriber, '&status=retrying')
    return rows.length === 1 && rows
  })
  assert.deepEqual([failed.webhookEndpointId, failed.status, failed.attemptCount], [other.id, 'retrying', 1])
  await other.change({ status: 'paused' })
  await delivered(subscriber)
  await subscriber.call('POST', `/v0/deliveries/${failed.id}/retry`)
  for (const status of ['pending', 'retrying', 'delivered', 'exhausted', 'cancelled'])
    assert.ok(
      (await pages(subscriber, `&status=${status}`)).every((row) => row.status === status),
      status,
    )
  assert.equal((await pages(subscriber, '&status=pending')).length, 1)
  assert.deepEqual(
    (await pages(subscriber, '&status=retrying')).map(({ id }) => id),
    [failed.id],
  )
})

test('200 createdAfter and createdBefore: by the time at which the event was received, in every state', async () => {
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  subscriber.receiver.reply = givenUp
  for (let at = 0; at < 3; at++) await delivered(subscriber)
  await settled(subscriber, 'exhausted', 3)
  const [newest, middle, oldest] = (await subscriber.call('GET', '/v0/events?limit=3')).body.data
  for (const state of ['', '&status=exhausted', `&status=exhausted&webhookEndpointId=${endpointId}`])
    for (const [range, expected] of [
      [`&createdAfter=${oldest.createdAt}&createdBefore=${newest.createdAt}`, [middle.id]],
      [`&createdAfter=${middle.createdAt}`, [newest.id]],
      [`&createdBefore=${middle.createdAt}`, [oldest.id]],
      ['&createdBefore=2020-01-01T00:00:00Z', []],
    ] as const) {
      const found = await pages(subscriber, state + range)
      assert.deepEqual(
        found.map(({ eventId }) => eventId),
        expected,
        state + range,
      )
    }
})

test('200 nothing of another business, not even from behind its cursor', async () => {
  await using subscriber = await world.subscriber()
  await using stranger = await world.subscriber()
  for (let at = 0; at < 3; at++) await delivered(subscriber)
  await settled(subscriber, 'delivered', 3)
  const next = /cursor=([\w-]+)/.exec((await list(subscriber, '?limit=1')).headers.get('link') ?? '')?.[1]
  const endpointId = await defaultEndpointOf(subscriber)
  for (const query of ['', `?cursor=${next}`, `?webhookEndpointId=${endpointId}`, `?status=delivered&cursor=${next}`])
    assert.deepEqual((await list(stranger, query)).body.data, [], query)
})

test('400 a status that there is not, a cursor that no list gave out', async () => {
  assertError(await call('GET', '/v0/deliveries?status=lost'), 400, 'invalid_query', { param: 'status' })
  assertError(await call('GET', '/v0/deliveries?createdAfter=today'), 400, 'invalid_query', { param: 'createdAfter' })
  assertError(await call('GET', '/v0/deliveries?cursor=x'), 400, 'invalid_cursor', { param: 'cursor' })
  assertError(await call('GET', '/v0/deliveries?webhookEndpointID=whe_1'), 400, 'invalid_query', {
    message: /Did you mean `webhookEndpointId`/,
  })
})
