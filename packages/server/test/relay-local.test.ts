// Notifications about a delivery that was just stored: only the holder of its lane is notified, and nobody if the
// holder stored it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { only } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { deliveriesChannel, deliveriesChannelOf } from '../src/platform/postgres/notify.ts'
import { request, until } from './caller.ts'
import { freshUserId } from './people.ts'
import { openReceiver } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
const replica = await world.replica()
const db = openDatabase(world.database, { poolMax: 1 })
after(async () => {
  await db.close()
  await replica.stop()
  await world.stop()
})

test('a delivery is notified to everybody, to the holder of its lane, or to nobody', async () => {
  await using subscriber = await world.subscriber()
  const servers = [
    { url: world.url, owner: world.inside.instanceId },
    { url: replica.url, owner: replica.inside.instanceId },
  ]
  const heard: string[] = []
  const marker = 'causeway_marker'
  const channels = [deliveriesChannel, marker, ...servers.map(({ owner }) => deliveriesChannelOf(owner))]
  await db.listen(Object.fromEntries(channels.map((channel) => [channel, () => heard.push(channel)])))
  let events = 0
  const postTo = async (url: string): Promise<string[]> => {
    heard.length = 0
    await world.post(subscriber.event(), { at: url })
    events += 1
    await until('the delivery', () => subscriber.receiver.seen.length === events)
    // Notifications come in the order of their commits.
    await db.statement((query) => query`select pg_notify(${marker}, '')`)
    await until('the marker', () => heard.includes(marker))
    return heard.filter((channel) => channel !== marker)
  }
  const [first] = servers
  assert.ok(first)
  assert.deepEqual(await postTo(first.url), [deliveriesChannel], 'nobody holds the lane')
  const [lane] = await world.rows<{ owner: string }>`
    select owner from endpoint_lanes where business_id = ${subscriber.id}`
  const [holder, other] = servers[0]?.owner === lane?.owner ? servers : servers.toReversed()
  assert.ok(holder && other && holder.owner === lane?.owner)
  assert.deepEqual(await postTo(holder.url), [], 'the holder has stored it')
  assert.deepEqual(await postTo(other.url), [deliveriesChannelOf(holder.owner)], 'another replica has stored it')
  assert.deepEqual(await postTo(holder.url), [])
  assert.deepEqual(
    subscriber.receiver.seen.map(({ headers }) => headers['svc-sequence']),
    ['1', '2', '3', '4'],
  )
})

test('an event of our own is notified to everybody while nobody holds the lane', async () => {
  await using subscriber = await world.subscriber()
  const heard: string[] = []
  await db.listen({ [deliveriesChannel]: (endpointIds) => heard.push(...endpointIds.split(',')) })
  const created = await request(
    'POST',
    `${world.url}/v0/end-users`,
    { externalUserId: freshUserId() },
    {
      headers: { authorization: `Bearer ${subscriber.apiKey}` },
    },
  )
  assert.equal(created.status, 200)
  const [endpoint] = await world.rows<{ id: string }>`
    select id from webhook_endpoints where business_id = ${subscriber.id}`
  await until('the notification', () => heard.includes(endpoint?.id ?? ''))
  await until('the delivery', () => subscriber.receiver.seen.length === 1)
})

test('an event that is stored after a change of its endpoint is never sent under the old configuration', async () => {
  await using subscriber = await world.subscriber()
  const { receiver, id: customerId } = subscriber
  await using moved = await openReceiver()
  const change = (url: string, status: string) =>
    // Without a notification: as if it came later than the event.
    db.statement(
      (query) => query`
        with lanes as (update endpoint_lanes set open = ${status === 'enabled'} where business_id = ${customerId})
        update webhook_endpoints set url = ${url}, status = ${status}, version = version + 1 where business_id = ${customerId}`,
    )
  await world.post(subscriber.event())
  await until('the first event', () => receiver.seen.length === 1)
  const [endpoint] = await world.rows<{ url: string }>`
    select url from webhook_endpoints where business_id = ${customerId}`
  assert.ok(endpoint)
  const { owner } = only(
    await world.rows<{ owner: string }>`select owner from endpoint_lanes where business_id = ${customerId}`,
  )
  const holder = owner === replica.inside.instanceId ? replica.url : world.url
  await change(moved.url, 'enabled')
  await world.post(subscriber.event(), { at: holder })
  await until('the second event', () => moved.seen.length === 1)
  await change(endpoint.url, 'paused')
  await world.post(subscriber.event(), { at: holder })
  await until('the lane is given back', async () => {
    const held = await world.rows`select 1 from endpoint_lanes where business_id = ${customerId} and owner is not null`
    return held.length === 0
  })
  assert.deepEqual([receiver.seen.length, moved.seen.length], [1, 1])
})
