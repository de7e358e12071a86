// Endpoints that fail: probed instead of flooded, disabled after days of failures, and the requests that a receiver can
// make in its response.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import { sequencesOf } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '120' } })
after(() => world.stop())

async function post(subscriber: Subscriber, count: number, users = [subscriber.externalUserId]): Promise<void> {
  for (let index = 0; index < count; index++)
    await world.post(subscriber.event({ external_user_id: users[index % users.length] }))
}

/** Its deliveries by the number of attempts so far. */
const waitingOf = (endpointId: string) =>
  world.rows<{ attempts: number; count: number }>`
      select attempts, count(*)::int as count from deliveries where endpoint_id = ${endpointId} group by attempts order by 1`

const failingFor = (endpointId: string, days: number) =>
  world.rows`
      update endpoint_lanes set failing_since = now() - make_interval(days => ${days}) - interval '1 minute'
      where endpoint_id = ${endpointId}`

test('an endpoint that only fails is probed one at a time, what waits uses up no attempts, others go on, and it recovers', async () => {
  await using subscriber = await world.subscriber()
  const users = await Promise.all(Array.from({ length: 8 }, () => subscriber.user()))
  await using failing = await subscriber.endpoint({ eventTypes: ['test.*'] }, () => 503)
  const { receiver } = failing
  await post(subscriber, 60, users)
  const healthy = subscriber.receiver.seen.length
  await until('everything at the other endpoint', () => subscriber.receiver.seen.length >= users.length + 60)
  assert.ok(healthy > 0)
  await until('the breaker', async () => (await waitingOf(failing.id)).find(({ attempts }) => attempts === 1)?.count)
  const burst = await until('a probe', () => {
    const last = receiver.seen.at(-1)
    const before = receiver.seen.at(-2)
    return last && before && last.atMs - before.atMs > 3_000 && receiver.seen.length - 1
  })
  // Ten failures in a row trip it; at most eight more were in progress with the last of them.
  assert.ok(burst >= 10 && burst <= 18, `${burst} failures before it was probed`)
  const waiting = await waitingOf(failing.id)
  assert.deepEqual(
    waiting.map(({ attempts }) => attempts),
    [0, 1],
    'no attempt was used up by waiting',
  )
  assert.ok((waiting[1]?.count ?? 0) <= burst + 1)
  receiver.reply = () => 200
  await until('all that was never tried', async () =>
    (await waitingOf(failing.id)).every(({ attempts }) => attempts > 0),
  )
  assert.equal((await failing.read()).failingSince, null)
})

test('5 days of failures alone disable it with a reason; the other endpoints are told, and its events wait', async () => {
  await using subscriber = await world.subscriber()
  await using failing = await subscriber.endpoint({}, () => 500)
  await failingFor(failing.id, 5)
  await post(subscriber, 1)
  const shown = await until('the end of it', async () => {
    const endpoint = await failing.read()
    return endpoint.status === 'disabled' && endpoint
  })
  assert.equal(shown.disabledReason, 'Every attempt has failed for 5 days. Fix the receiver, then enable the endpoint.')
  const told = await until('the event', () =>
    subscriber.receiver.seen.find(({ headers }) => headers['svc-event-type'] === 'webhook_endpoint.disabled'),
  )
  const { data } = JSON.parse(told.body.toString())
  assert.deepEqual([data.id, data.status, data.disabledReason], [failing.id, 'disabled', shown.disabledReason])
  await post(subscriber, 2)
  await until('what the other gets', () => subscriber.receiver.seen.length === 4)
  assert.equal(failing.receiver.seen.length, 1)

  // Switched on again it has five days once more.
  await failing.change({ status: 'enabled' })
  await until('a further failure', () => failing.receiver.seen.length >= 2)
  const again = await until('its record', async () => {
    const endpoint = await failing.read()
    return endpoint.failingSince !== null && endpoint
  })
  assert.deepEqual([again.status, again.disabledReason], ['enabled', null])
  assert.ok(Date.now() - Date.parse(again.failingSince) < 60_000, again.failingSince)
  failing.receiver.reply = () => 200
  await until('everything that was never tried', () => new Set(sequencesOf(failing.receiver)).size === 4)
})

test('an endpoint that has failed for less, or that takes one event in between, stays on', async () => {
  await using subscriber = await world.subscriber()
  await using recent = await subscriber.endpoint({}, () => 500)
  await using recovered = await subscriber.endpoint({}, ({ headers }) => (headers['svc-sequence'] === '1' ? 200 : 500))
  await failingFor(recent.id, 4)
  await failingFor(recovered.id, 6)
  await post(subscriber, 1)
  await until('the success', async () => (await recovered.read()).failingSince === null)
  await post(subscriber, 1)
  await until('both failures', async () => {
    const failures = await Promise.all([recent, recovered].map(({ id }) => waitingOf(id)))
    return failures.every((rows) => rows.every(({ attempts }) => attempts === 1)) && failures.flat().length === 2
  })
  for (const { status } of [await recent.read(), await recovered.read()]) assert.equal(status, 'enabled')
  // The health of a receiver is written after the outcome.
  await until('a count from the first failure after the success', async () => {
    const { failingSince } = await recovered.read()
    return failingSince !== null && Date.now() - Date.parse(failingSince) < 60_000
  })
})

test('svc-retry: stop ends this delivery alone, and its attempt says so; on a success it means nothing', async () => {
  await using subscriber = await world.subscriber(({ headers }) => ({
    status: headers['svc-sequence'] === '2' ? 200 : 422,
    headers: headers['svc-sequence'] === '3' ? {} : { 'svc-retry': ' Stop' },
    body: 'not for us',
  }))
  await post(subscriber, 3)
  const deliveries = await until('all three', async () => {
    const { data: events } = (await subscriber.call('GET', '/v0/events?eventType=test.happened')).body
    const found = await Promise.all(
      events.map(async ({ id }: { id: string }) => {
        const [{ id: deliveryId }] = (await subscriber.call('GET', `/v0/events/${id}/deliveries`)).body.data
        return (await subscriber.call('GET', `/v0/deliveries/${deliveryId}`)).body.data
      }),
    )
    return found.every(({ attempts }) => attempts.length === 1) && found.toReversed()
  })
  const asked = 'The receiver asked for no further attempt (svc-retry: stop).'
  assert.deepEqual(
    deliveries.map(({ status, attempts: [{ httpStatus, detail }] }) => [status, httpStatus, detail]),
    [
      ['exhausted', 422, asked],
      ['delivered', 200, null],
      ['retrying', 422, null],
    ],
  )
})
