// Two servers on one database: each event once, a lost lease settles nothing, and a database that goes away between the
// receiver's answer and our record of it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { claimDeliveries, settleDelivery } from '../src/store/deliveries.ts'
import { databaseLink } from './database-link.ts'
import { activityEvent, providerIdsOf } from './relay-provider.ts'
import { freshEventId, relayWorld, startReplica, subscribe } from './relay-world.ts'
import { approvedUser, openAccount, until } from './test-world.ts'

const world = await relayWorld({ WEBHOOK_TIMEOUT_MS: '1000' })
after(() => world.stop())

test('two servers send every event exactly once when nothing fails', async () => {
  await using replica = await startReplica(world)
  await using subscriber = await subscribe(world)
  const { receiver } = subscriber
  const events = Array.from({ length: 60 }, () => subscriber.event())
  await Promise.all(
    events.map((event, index) => world.post(event, { baseUrl: index % 2 ? replica.url : world.facts.baseUrl })),
  )
  await until('all events', () => receiver.seen.length >= events.length)
  await until('all records', async () => {
    const rows = await world.rows(
      (query) => query`select 1 from deliveries where business_id = ${subscriber.customerId} and status = 'delivered'`,
    )
    return rows.length === events.length
  })
  assert.equal(receiver.seen.length, events.length)
  assert.equal(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size, events.length)
  assert.ok(receiver.seen.every(({ headers }) => headers['svc-attempt'] === '1'))
})

test('an event that two servers receive at once is stored and sent once', async () => {
  await using replica = await startReplica(world)
  await using subscriber = await subscribe(world)
  const event = subscriber.event()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      world.post(event, { baseUrl: index % 2 ? replica.url : world.facts.baseUrl }),
    ),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal(answers.filter(({ body }) => body.data.message.includes('queued for')).length, 1)
  assert.equal(answers.filter(({ body }) => body.data.message.includes('received before')).length, 7)
  const last = subscriber.event()
  await world.post(last)
  await until('the last event', () => subscriber.receiver.seen.some(({ body }) => body.includes(last.event_id)))
  assert.equal(subscriber.receiver.seen.length, 2)
})

test('two servers that apply the steps of one deposit tell the business of each state once', async () => {
  await using replica = await startReplica(world)
  const account = await openAccount(world, await approvedUser(world))
  const ids = await providerIdsOf(world, account['id'] ?? '')
  const deposit = `dep-${freshEventId()}`
  const steps = ['funds_received', 'payment_submitted', 'payment_processed'].map((type, index) =>
    activityEvent(ids, { deposit, type, at: `2026-03-01T10:0${index}:00.000Z` }),
  )
  await Promise.all(
    [...steps, ...steps].map((event, index) =>
      world.post(event, { baseUrl: index % 2 ? replica.url : world.facts.baseUrl }),
    ),
  )
  const told = await until('all steps', async () => {
    const waiting = await world.rows((query) => query`select 1 from events where apply_state = 'pending'`)
    const list = await world.call('GET', `/v0/events?type=virtual_account.payment.received`)
    return waiting.length === 0 && list.body.data.length > 0 && list.body.data
  })
  assert.equal(told.length, 1)
  const { data } = await world.call('GET', `/v0/deposits/${told[0].payload.data.id}`).then(({ body }) => body)
  assert.equal(data.status, 'completed')
  assert.equal(data.timeline.length, 3)
})

test('a delivery whose lease expired is settled by at most one of two servers', async () => {
  const { db } = world.server.deps
  await using subscriber = await subscribe(world)
  // Kept from the running server, so that the two holders are ours alone.
  const setEndpoint = (status: string) =>
    db.transaction(
      (tx) => tx`update webhook_endpoints set status = ${status} where business_id = ${subscriber.customerId}`,
    )
  await setEndpoint('paused')
  await until('the end of all other deliveries', async () => {
    const waiting = await world.rows((query) => query`select 1 from deliveries where status = 'pending'`)
    return waiting.length === 0
  })
  await world.post(subscriber.event())
  const claim = (owner: string, leaseMs: number) =>
    db.transaction(async (tx) => {
      await tx`update webhook_endpoints set status = 'enabled' where business_id = ${subscriber.customerId}`
      const [claimed] = await claimDeliveries(tx, { owner, leaseMs, limit: 1 })
      await tx`update webhook_endpoints set status = 'paused' where business_id = ${subscriber.customerId}`
      return claimed
    })
  const first = await claim('one', -1)
  const second = await claim('two', 60_000)
  assert.ok(first && second)
  assert.equal(first.id, second.id)
  assert.equal(await claim('three', 60_000), undefined, 'a running lease is nobody else’s')
  const attempt = { httpStatus: 200, responseBody: '', detail: null, durationMs: 1, startedAt: new Date() }
  const settle = (owner: string, outcome: string) =>
    db.transaction((tx) => settleDelivery(tx, first, owner, { status: 'delivered' }, { ...attempt, outcome }))
  assert.equal(await settle('one', 'http_500'), false)
  assert.equal(await settle('two', 'http_200'), true)
  assert.equal(await settle('two', 'http_200'), false)
  const rows = await world.rows(
    (query) => query`select outcome, attempt from delivery_attempts where delivery_id = ${first.id}`,
  )
  assert.deepEqual(rows, [{ outcome: 'http_200', attempt: 1 }])
})

test('a database that goes away after the receiver has answered does not make the receiver get it twice', async () => {
  await using subscriber = await subscribe(world)
  const { receiver } = subscriber
  await using link = await databaseLink(world.database)
  await world.server.deps.db.transaction(
    (tx) => tx`update webhook_endpoints set status = 'paused' where business_id = ${subscriber.customerId}`,
  )
  await world.post(subscriber.event())
  await world.server.stop()
  receiver.reply = () => {
    link.cut()
    return 200
  }
  await using replica = await startReplica(world, { webhookTimeoutMs: 2_000 }, link.connection)
  await replica.deps.db.transaction(
    (tx) => tx`update webhook_endpoints set status = 'enabled' where business_id = ${subscriber.customerId}`,
  )
  replica.deps.wake('send')
  await until('the event', () => receiver.seen.length > 0)
  link.restore()
  await until('the record', async () => {
    const rows = await replica.deps.db
      .read(
        (query) =>
          query`select 1 from deliveries where business_id = ${subscriber.customerId} and status = 'delivered'`,
      )
      .catch(() => [])
    return rows.length === 1
  })
  assert.equal(receiver.seen.length, 1)
})
