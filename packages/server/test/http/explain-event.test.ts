// GET /v0/events/{id}/explain

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Endpoint, Subscriber } from '../business.ts'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { defaultEndpointOf } from '../replay.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '3600' } })
after(() => world.stop())
const { call } = world.business

/** The id that the business knows is the provider's: ours is found by it. */
async function posted(subscriber: Subscriber, fields: Record<string, unknown> = {}): Promise<string> {
  const event = subscriber.event(fields)
  await world.post(event)
  const found = await subscriber.call('GET', `/v0/events?providerEventId=${event.event_id}`)
  return found.body.data[0].id
}

const explain = (id: string, { apiKey: key }: Subscriber) => call('GET', `/v0/events/${id}/explain`, undefined, { key })

/** The explanation for an endpoint, once it has the expected code. */
const told = (code: string, eventId: string, endpointId: string, subscriber: Subscriber) =>
  until(code, async () => {
    const { data } = (await explain(eventId, subscriber)).body
    const found = data.endpoints.find((each: { webhookEndpointId: string }) => each.webhookEndpointId === endpointId)
    return found?.code === code && { ...found, verdict: data.verdict }
  })

test('200 delivered, filtered, made later and subscribed later, side by side', async () => {
  await using subscriber = await world.subscriber()
  await using filtered = await subscriber.endpoint({ eventTypes: ['end_user.*'] })
  await using widened = await subscriber.endpoint({ eventTypes: ['end_user.*'] })
  const id = await posted(subscriber)
  await widened.change({ eventTypes: ['*'] })
  await using newer = await subscriber.endpoint()
  const delivered = await told('delivered', id, await defaultEndpointOf(subscriber), subscriber)
  assert.deepEqual([delivered.verdict, delivered.attemptCount, delivered.lastOutcome], ['delivered', 1, 'http_200'])
  const code = async ({ id: endpointId }: Endpoint, expected: string) =>
    (await told(expected, id, endpointId, subscriber)).message
  assert.match(await code(filtered, 'filtered'), /subscribes to end_user\.\*, and the event is test\.happened/)
  assert.match(await code(widened, 'never_queued'), /did not subscribe/)
  assert.match(await code(newer, 'endpoint_newer'), /after this event/)
  const { data } = (await explain(id, subscriber)).body
  assert.equal(data.processing.code, 'done')
  assert.equal(data.endpoints.length, 4)
})

test('200 a test of one endpoint is not missing at the others', async () => {
  await using subscriber = await world.subscriber()
  await using tested = await subscriber.endpoint()
  for (const body of [undefined, { eventType: 'virtual_account.payment.received' }]) {
    const { eventId } = (await subscriber.call('POST', `/v0/webhook-endpoints/${tested.id}/test`, body)).body.data
    assert.equal((await told('delivered', eventId, tested.id, subscriber)).verdict, 'delivered')
    const { message } = await told('not_addressed', eventId, await defaultEndpointOf(subscriber), subscriber)
    assert.doesNotMatch(message, /subscribe|replay/)
  }
})

test('200 no endpoint at all: what to do instead', async () => {
  await using subscriber = await world.subscriber()
  await subscriber.call('DELETE', '/v0/webhook-url')
  const { data } = (await explain(await posted(subscriber), subscriber)).body
  assert.deepEqual([data.verdict, data.endpoints], ['no_endpoint', []])
  assert.match(data.message, /POST \/v0\/webhook-endpoints/)
})

test('200 paused, then waiting for a time of its own, with the attempt that failed', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const endpointId = await defaultEndpointOf(subscriber)
  const path = `/v0/webhook-endpoints/${endpointId}`
  await subscriber.call('PATCH', path, { status: 'paused' })
  const id = await posted(subscriber)
  const paused = await told('paused', id, endpointId, subscriber)
  assert.equal(paused.verdict, 'under_way')
  assert.ok(paused.since !== null)
  await subscriber.call('PATCH', path, { status: 'enabled' })
  const failed = await told('retry_scheduled', id, endpointId, subscriber)
  assert.match(failed.message, /^Attempt 1 ended with http_500\. The next attempt is at 2/)
  assert.ok(failed.nextAttemptAt > new Date().toISOString())
})

test('200 disabled, with the reason', async () => {
  await using subscriber = await world.subscriber(() => 410)
  const id = await posted(subscriber)
  const disabled = await told('disabled', id, await defaultEndpointOf(subscriber), subscriber)
  assert.match(disabled.message, /disabled: The receiver responded with 410 Gone\./)
})

test('200 with per_end_user ordering: behind which delivery, and when that is tried', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const endpointId = await defaultEndpointOf(subscriber)
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${endpointId}`, { ordering: 'per_end_user' })
  const first = await told('retry_scheduled', await posted(subscriber), endpointId, subscriber)
  const second = await told('held_back', await posted(subscriber), endpointId, subscriber)
  assert.equal(second.heldBy, first.deliveryId)
  assert.ok(second.message.includes(first.deliveryId) && second.message.includes(first.nextAttemptAt), second.message)
})

test('200 an endpoint that only fails is probed: since when, and what waits for its turn behind how many', async () => {
  await using subscriber = await world.subscriber(() => 500)
  const endpointId = await defaultEndpointOf(subscriber)
  for (let failure = 0; failure < 10; failure++) await posted(subscriber)
  const last = await posted(subscriber)
  const probing = await told('probing', last, endpointId, subscriber)
  assert.match(probing.message, /has failed since 2.*one delivery at a time/)
  // The breaker is forgotten by the database, as it is after a success; the receiver's pace is not.
  await world.rows`update endpoint_lanes set open = false, failures = 0 where endpoint_id = ${endpointId}`
  const turn = await told('due', last, endpointId, subscriber)
  assert.equal(turn.aheadCount, 0)
})

test('200 given up: when, after how many attempts, and how to send it again; then how many come before it', async () => {
  await using subscriber = await world.subscriber()
  const endpointId = await defaultEndpointOf(subscriber)
  subscriber.receiver.reply = () => ({ status: 500, headers: { 'svc-retry': 'stop' } })
  const id = await posted(subscriber)
  const stopped = await told('exhausted', id, endpointId, subscriber)
  assert.match(
    stopped.message,
    /after 1 attempt; .*http_500\. The receiver asked for no further attempt \(svc-retry: stop\)\. Resend it with/,
  )
  assert.equal(stopped.verdict, 'stopped')
  // Nobody sends while the lane is closed behind the API's back: the turns can be counted.
  await world.inside.db.transaction(async (tx) => {
    await tx`update endpoint_lanes set open = false, owner = 'nobody', fence = fence + 1 where endpoint_id = ${endpointId}`
    await tx`insert into relay_owners (id, lease_until) values ('nobody', 'infinity') on conflict do nothing`
  })
  await posted(subscriber)
  const second = await told('waiting_turn', await posted(subscriber), endpointId, subscriber)
  assert.equal(second.aheadCount, 1)
  assert.match(second.message, /: 1 delivery of this endpoint/)
})

test('200 an endpoint that was deleted before it got the event is still told of', async () => {
  await using subscriber = await world.subscriber()
  await using dropped = await subscriber.endpoint()
  await dropped.change({ status: 'paused' })
  const id = await posted(subscriber)
  await subscriber.call('DELETE', `/v0/webhook-endpoints/${dropped.id}`)
  const { webhookUrl, message } = await told('endpoint_deleted', id, dropped.id, subscriber)
  assert.equal(webhookUrl, null)
  assert.match(message, /deleted before the event was delivered, after 0 attempts/)
})

test('200 what our own state has still to take from it: held back, and set aside', async () => {
  await using subscriber = await world.subscriber()
  const id = await posted(subscriber)
  const work = ({ state = 'pending', attempts = 0, error }: { state?: string; attempts?: number; error: string }) =>
    world.rows`
        insert into event_work (event_id, due_at, state, attempts, error)
        values (${id}, now() + interval '1 minute', ${state}, ${attempts}, ${error})
        on conflict (event_id) do update set state = excluded.state, attempts = excluded.attempts, error = excluded.error`
  const processing = async () => (await explain(id, subscriber)).body.data.processing
  await work({ error: 'account not known yet' })
  assert.equal((await processing()).code, 'held_back')
  assert.ok((await processing()).nextAttemptAt !== null)
  await work({ state: 'quarantined', attempts: 5, error: 'TypeError' })
  const { code, message } = await processing()
  assert.equal(code, 'quarantined')
  assert.ok(!message.includes('TypeError'), 'what went wrong inside is not told')
})

test('404 another business’s event, and one whose owner is not known, read exactly as one that is not there', async () => {
  await using subscriber = await world.subscriber()
  await using stranger = await world.subscriber()
  const absent = await explain('evt_absent', stranger)
  assertError(absent, 404, 'event_not_found')
  assertSameAnswer(await explain(await posted(subscriber), stranger), absent)
  await world.post({ event_id: `wh_${Date.now()}`, event_type: 'test.happened', external_user_id: 'nobody-we-know' })
  const [unowned] = await world.rows<{ id: string }>`
    select id from events where business_id is null order by id desc limit 1`
  assert.ok(unowned)
  assertSameAnswer(await explain(unowned.id, stranger), absent)
})
