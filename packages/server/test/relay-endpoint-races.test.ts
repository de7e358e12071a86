// Endpoints that are made, paused, resumed, reordered, disabled and deleted while events come in at two servers.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { wakeOnCommit } from '../src/platform/postgres/notify.ts'
import type { Tx } from '../src/platform/postgres/query.ts'
import { finishDeletions } from '../src/webhooks/endpoints/service.ts'
import { changeEndpoint, deleteEndpoint, lockEndpoint } from '../src/webhooks/endpoints/store.ts'
import type { Endpoint, Subscriber } from './business.ts'
import { until } from './caller.ts'
import { openReceiver, type Receiver, sequencesOf } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.1,0.1,60' } })
after(() => world.stop())

const posters = 8
const eventsEach = 25
const postingMsMax = 20_000

type Accepted = { id: string; begunAt: number }

async function postAll(subscriber: Subscriber, users: readonly string[], urls: readonly string[]): Promise<Accepted[]> {
  const accepted: Accepted[] = []
  const endsAt = performance.now() + postingMsMax
  await Promise.all(
    Array.from({ length: posters }, async (_, poster) => {
      for (let index = 0; index < eventsEach && performance.now() < endsAt; index++) {
        const event = subscriber.event({ external_user_id: users[(poster + index) % users.length] })
        const begunAt = performance.now()
        const answer = await world.post(event, { at: urls[(poster + index) % urls.length] ?? '' })
        assert.equal(answer.status, 200, answer.text)
        accepted.push({ id: event.event_id, begunAt })
      }
    }),
  )
  return accepted
}

/** Runs `step` again and again until the events are posted. */
async function meanwhile(isOver: () => boolean, step: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; !isOver(); round++) await step(round)
}

/** Waits until a statement waits for a lock. */
async function untilLocked(what: string): Promise<void> {
  await until(what, async () => {
    const waiting = await world.rows`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0
  })
}

/** Stores an event that meets this change half done and has to wait for it. */
async function storeMeanwhile(subscriber: Subscriber, change: (tx: Tx) => Promise<void>): Promise<void> {
  const changed = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const changing = world.inside.db.transaction(async (tx) => {
    await change(tx)
    changed.resolve()
    await mayEnd.promise
  })
  await changed.promise
  const stored = world.post(subscriber.event())
  await untilLocked('the event waits for the change').finally(() => mayEnd.resolve())
  await changing
  assert.equal((await stored).status, 200)
}

test('a change of the ordering holds for what waits and for an event that is being stored at that moment', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  await endpoint.change({ status: 'paused' })
  await world.post(subscriber.event())
  await storeMeanwhile(subscriber, async (tx) => {
    const known = await lockEndpoint(tx, subscriber.id, endpoint.id)
    assert.ok(known)
    await changeEndpoint(tx, known, { ordering: 'per_end_user' })
  })
  const rows = await world.rows`select ordered from deliveries where endpoint_id = ${endpoint.id}`
  assert.deepEqual(rows, [{ ordered: true }, { ordered: true }])
})

test('an event that is being stored while an endpoint is deleted leaves nothing for it behind', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  await storeMeanwhile(subscriber, async (tx) => {
    assert.ok(await deleteEndpoint(tx, subscriber.id, endpoint.id))
  })
  const rows = await world.rows`select 1 from deliveries where endpoint_id = ${endpoint.id}`
  assert.equal(rows.length, 0)
  await until('the event at the other endpoint', () => subscriber.receiver.seen.length === 1)
  await finishDeletions(world.inside)
})

test('an endpoint that is resumed while its lane is given back is sent what it kept', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const { db } = world.inside
  await world.post(subscriber.event())
  // A sent delivery is settled a little later; the second delivery is a copy of it.
  await until('the first', async () => {
    const [settled] = await db.read(
      (query) => query`select 1 from finished_deliveries where endpoint_id = ${endpoint.id}`,
    )
    return settled !== undefined && endpoint.receiver.seen.length === 1
  })
  // Without a notification, so that one turn of the loop reads the delivery and that the endpoint is paused.
  await db.transaction(async (tx) => {
    await tx`update webhook_endpoints set status = 'paused', version = version + 1 where id = ${endpoint.id}`
    await tx`update endpoint_lanes set open = false where endpoint_id = ${endpoint.id}`
    await tx`update endpoint_sequences set sequence = 2 where endpoint_id = ${endpoint.id}`
    const { count } = await tx`
      insert into deliveries (endpoint_id, sequence, id, business_id, event_id, end_user_id, ordered)
      select endpoint_id, 2, id || '2', business_id, event_id, end_user_id, false from finished_deliveries
      where endpoint_id = ${endpoint.id}`
    assert.equal(count, 1)
  })
  await db.transaction(async (tx) => {
    const known = await lockEndpoint(tx, subscriber.id, endpoint.id)
    assert.ok(known)
    await tx`select 1 from endpoint_lanes where endpoint_id = ${endpoint.id} for no key update`
    await db.transaction((other) => wakeOnCommit(other, 'send', endpoint.id))
    await untilLocked('the release of the lane waits for the change')
    await changeEndpoint(tx, known, { status: 'enabled' })
  })
  await until('the delivery that the paused endpoint kept', () => endpoint.receiver.seen.length === 2, 4_000)
})

/** Sends a 410 after `change`, to an attempt that began before it. */
async function answerGoneAfter(change: (endpoint: Endpoint, elsewhere: Receiver) => Promise<unknown>): Promise<void> {
  await using subscriber = await world.subscriber()
  await using elsewhere = await openReceiver()
  const begun = Promise.withResolvers<ServerResponse>()
  await using endpoint = await subscriber.endpoint({ eventTypes: ['test.*'] }, () => (_request, response) => {
    begun.resolve(response)
  })
  await world.post(subscriber.event())
  const held = await begun.promise
  await change(endpoint, elsewhere)
  endpoint.receiver.reply = () => 200
  held.writeHead(410).end()
  await until('the next attempt', () => endpoint.receiver.seen.length + elsewhere.seen.length === 2)
  assert.equal((await endpoint.read()).status, 'enabled')
  assert.deepEqual((await subscriber.call('GET', '/v0/events?eventType=webhook_endpoint.disabled')).body.data, [])
}

test('a 410 does not switch off an endpoint that was switched on again after this attempt had begun', () =>
  answerGoneAfter(async (endpoint) => {
    await endpoint.change({ status: 'paused' })
    await endpoint.change({ status: 'enabled' })
  }))

test('a 410 does not switch off an endpoint that was moved after this attempt had begun', () =>
  answerGoneAfter((endpoint, elsewhere) => endpoint.change({ webhookUrl: elsewhere.url })))

test('every event that is accepted while an endpoint exists is delivered to it, numbered without a gap, and nothing deadlocks', async () => {
  await using made = new AsyncDisposableStack()
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  const users = await Promise.all(Array.from({ length: 4 }, () => subscriber.user()))
  await using paused = await subscriber.endpoint({ eventTypes: ['test.*'] })
  await using gone = await subscriber.endpoint({ eventTypes: ['test.*'] }, () => 410)
  await using asleep = await subscriber.endpoint({ eventTypes: ['test.*'] })
  await asleep.change({ status: 'paused' })
  const existing = new Map<Endpoint, number>([paused, gone, asleep].map((endpoint) => [endpoint, performance.now()]))
  let isOver = false
  const posting = postAll(subscriber, users, [world.url, replica.url]).finally(() => {
    isOver = true
  })
  await Promise.all([
    posting,
    meanwhile(
      () => isOver,
      async (round) => void (await paused.change({ status: round % 2 ? 'enabled' : 'paused' })),
    ),
    meanwhile(
      () => isOver,
      async () => void (await gone.change({ status: 'enabled' })),
    ),
    meanwhile(
      () => isOver,
      async (round) => void (await asleep.change({ ordering: round % 2 ? 'best_effort' : 'per_end_user' })),
    ),
    meanwhile(
      () => isOver,
      async (round) => {
        const endpoint = made.use(await subscriber.endpoint({ eventTypes: ['test.*'] }))
        if (round % 8 === 0 && existing.size < 9) existing.set(endpoint, performance.now())
        else await subscriber.call('DELETE', `/v0/webhook-endpoints/${endpoint.id}`)
      },
    ),
  ])
  const accepted = await posting
  assert.ok(existing.size > 3, 'some endpoints were made meanwhile')

  gone.receiver.reply = () => 200
  // A 410 to an attempt that began since it was last switched on may switch it off once more.
  const keepEnabled = async () => {
    if ((await gone.read()).status !== 'enabled') await gone.change({ status: 'enabled' })
  }
  for (const endpoint of [paused, asleep]) await endpoint.change({ status: 'enabled' })
  for (const [endpoint, since] of existing) {
    const { seen } = endpoint.receiver
    const due = accepted.filter(({ begunAt }) => begunAt > since).map(({ id }) => id)
    await until(
      'every event',
      async () => {
        await keepEnabled()
        const came = new Set(seen.map(({ body }) => JSON.parse(body.toString()).event_id))
        return due.every((id) => came.has(id))
      },
      30_000,
    )
    const { sequence } = await endpoint.read()
    const numbers = await until('every number', () => {
      const given = [...new Set(sequencesOf(endpoint.receiver))].toSorted((a, b) => a - b)
      return given.length === sequence && given
    })
    assert.deepEqual(
      numbers,
      Array.from({ length: sequence }, (_, at) => at + 1),
    )
  }
  const { seen } = subscriber.receiver
  await until('every event at the endpoint that nobody touched', () => {
    return seen.filter(({ headers }) => headers['svc-event-type'] === 'test.happened').length === accepted.length
  })
  const strays = await world.rows`
      select endpoint_id from deliveries where endpoint_id not in (select id from webhook_endpoints)
      union all select endpoint_id from deleted_endpoints`
  assert.equal(strays.length, 0, 'nothing waits for an endpoint that is gone')

  await replica.stop()
  await world.server.stop() // sessions tell what they met when they end
  const db = openDatabase(world.database, { poolMax: 2 })
  try {
    const [row] = await db.read(
      (query) => query<{ deadlocks: number }[]>`
        select deadlocks::int from pg_stat_database where datname = current_database()`,
    )
    assert.equal(row?.deadlocks, 0)
  } finally {
    await db.close()
  }
})
