// Notifications about a delivery that was just stored: only the holder of its lane is notified, and nobody if the
// holder stored it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emit } from '../src/events/emit.ts'
import { LocalRelay } from '../src/events/local-relay.ts'
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

test('an event of our own is notified in the same way, and never before its commit', async () => {
  await using subscriber = await world.subscriber()
  const [endpoint] = await world.rows<{ id: string }>`
    select id from webhook_endpoints where business_id = ${subscriber.id}`
  assert.ok(endpoint)
  const servers = [
    { url: world.url, deps: world.inside },
    { url: replica.url, deps: replica.inside },
  ]
  const heard: string[] = []
  const channels = [deliveriesChannel, ...servers.map(({ deps }) => deliveriesChannelOf(deps.instanceId))]
  const note = (channel: string) => (endpointIds: string) => {
    if (endpointIds.split(',').includes(endpoint.id)) heard.push(channel)
  }
  const marker = 'causeway_own_marker'
  await db.listen({
    ...Object.fromEntries(channels.map((channel) => [channel, note(channel)])),
    [marker]: () => heard.push(marker),
  })
  const sequences = () => subscriber.receiver.seen.map(({ headers }) => Number(headers['svc-sequence']))
  let events = 0
  const storeAt = async (store: () => Promise<unknown>): Promise<string[]> => {
    heard.length = 0
    await store()
    events += 1
    // Sooner than the loop looks for deliveries in an empty lane: its `idleMs`.
    await until('the delivery', () => sequences().length === events, 4_000)
    await db.statement((query) => query`select pg_notify(${marker}, '')`)
    await until('the marker', () => heard.includes(marker))
    return heard.filter((channel) => channel !== marker)
  }
  const headers = { authorization: `Bearer ${subscriber.apiKey}` }
  const create = (url: string) => request('POST', `${url}/v0/end-users`, { externalUserId: freshUserId() }, { headers })
  const [first] = servers
  assert.ok(first)
  assert.deepEqual(await storeAt(() => create(first.url)), [deliveriesChannel], 'nobody holds the lane')
  const { owner } = only(
    await world.rows<{ owner: string }>`select owner from endpoint_lanes where endpoint_id = ${endpoint.id}`,
  )
  const [holder, other] = first.deps.instanceId === owner ? servers : servers.toReversed()
  assert.ok(holder && other)
  assert.deepEqual(await storeAt(() => create(holder.url)), [], 'the holder has stored it')
  assert.deepEqual(
    await storeAt(() => create(other.url)),
    [deliveriesChannelOf(owner)],
    'another replica has stored it',
  )
  const owned = { businessId: subscriber.id, endUserId: null, virtualAccountId: null, externalUserId: null }
  const emitting = (tested: string | null, fails: boolean) =>
    holder.deps.db.transaction(async (tx) => {
      await emit(holder.deps, tx, 'webhook_endpoint.test', owned, { n: events }, tested)
      if (fails) throw new Error('rolled back')
    })
  await assert.rejects(emitting(null, true), /rolled back/)
  assert.deepEqual(await storeAt(() => emitting(endpoint.id, false)), [], 'a test event')
  assert.deepEqual(sequences(), [1, 2, 3, 4])
})

test('an event that a process without a send loop stores is notified to everybody while nobody holds the lane', async () => {
  await using subscriber = await world.subscriber()
  const [endpoint] = await world.rows<{ id: string }>`
    select id from webhook_endpoints where business_id = ${subscriber.id}`
  const heard: string[] = []
  await db.listen({ [deliveriesChannel]: (endpointIds) => heard.push(...endpointIds.split(',')) })
  const deps = { ...world.inside, localRelay: new LocalRelay('sends nothing') }
  const owner = { businessId: subscriber.id, endUserId: null, virtualAccountId: null, externalUserId: null }
  await deps.db.transaction((tx) => emit(deps, tx, 'webhook_endpoint.test', owner, {}))
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
