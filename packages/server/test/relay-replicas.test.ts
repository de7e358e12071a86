// Two servers on one database: each event once, a lost lease settles nothing, and the database becomes unavailable
// between the receiver's response and storing it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeEndpoint, lockEndpoint } from '../src/webhooks/endpoints/store.ts'
import { until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { activityEvent, freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_TIMEOUT_MS: '1000' } })
after(() => world.stop())

test('two servers send every event exactly once when nothing fails', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  const { receiver } = subscriber
  const events = Array.from({ length: 60 }, () => subscriber.event())
  await Promise.all(events.map((event, index) => world.post(event, { at: index % 2 ? replica.url : world.url })))
  await until('all events', () => receiver.seen.length >= events.length)
  await until('all records', async () => {
    const rows =
      await world.rows`select 1 from finished_deliveries where business_id = ${subscriber.id} and status = 'delivered'`
    return rows.length === events.length
  })
  assert.equal(receiver.seen.length, events.length)
  assert.equal(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size, events.length)
  assert.ok(receiver.seen.every(({ headers }) => headers['svc-attempt'] === '1'))
})

test('an event that two servers receive at once is stored and sent once', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  const event = subscriber.event()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => world.post(event, { at: index % 2 ? replica.url : world.url })),
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
  await using replica = await world.replica()
  const account = await world.business.account(await world.business.user('approved'))
  const ids = await world.providerIdsOf(account['id'] ?? '')
  const deposit = `dep-${freshEventId()}`
  const steps = ['funds_received', 'payment_submitted', 'payment_processed'].map((type, index) =>
    activityEvent(ids, { deposit, type, at: `2026-03-01T10:0${index}:00.000Z` }),
  )
  await Promise.all(
    [...steps, ...steps].map((event, index) => world.post(event, { at: index % 2 ? replica.url : world.url })),
  )
  const told = await until('all steps', async () => {
    const waiting = await world.rows`select 1 from event_work where state = 'pending'`
    const list = await world.business.call('GET', `/v0/events?eventType=virtual_account.payment.received`)
    return waiting.length === 0 && list.body.data.length > 0 && list.body.data
  })
  assert.equal(told.length, 1)
  const { data } = await world.business.call('GET', `/v0/deposits/${told[0].payload.data.id}`).then(({ body }) => body)
  assert.equal(data.status, 'completed')
  assert.equal(data.timeline.length, 3)
})

test('a database that goes away after the receiver has answered does not make the receiver get it twice', async () => {
  await using subscriber = await world.subscriber()
  const { receiver } = subscriber
  await using link = await databaseLink(world.database)
  const endpointId: string = (await subscriber.call('GET', '/v0/webhook-url')).body.data.id
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${endpointId}`, { status: 'paused' })
  await world.post(subscriber.event())
  await world.server.stop()
  receiver.reply = () => {
    link.cut()
    return 200
  }
  await using replica = await world.replica({ config: { webhookTimeoutMs: 2_000 }, database: link.connection })
  await replica.inside.db.transaction(async (tx) => {
    const known = await lockEndpoint(tx, subscriber.id, endpointId)
    if (!known) throw new Error('the endpoint is gone')
    await changeEndpoint(tx, known, { status: 'enabled' })
  })
  await until('the event', () => receiver.seen.length > 0)
  link.restore()
  await until('the record', async () => {
    const rows = await replica.inside.db
      .read(
        (query) =>
          query`select 1 from finished_deliveries where business_id = ${subscriber.id} and status = 'delivered'`,
      )
      .catch(() => [])
    return rows.length === 1
  })
  assert.equal(receiver.seen.length, 1)
})
