// Replays during normal traffic: exactly once through a crash, bounded in the queue, after events that arrive in the
// meantime.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitingMax } from '../src/webhooks/replay/service.ts'
import type { Subscriber } from './business.ts'
import { request, until } from './caller.ts'
import { sequencesOf } from './receiver.ts'
import { beginReplay, endOf, fillStream, lastHour } from './replay.ts'
import { startServe } from './serve-process.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

const idOf = ({ body }: { body: Buffer }): string => JSON.parse(body.toString()).event_id
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const eventTypes = ['test.happened']

async function waitingOf(replayId: string): Promise<number> {
  const [row] = await world.rows<{ count: number }>`
    select count(*)::int as count from deliveries where replay_id = ${replayId}`
  return row?.count ?? 0
}

test('a replay of more than may wait at once: never more than so many do, and all arrive, in order', async () => {
  await using subscriber = await world.subscriber()
  const sent = await fillStream(world, subscriber, waitingMax + 200)
  await using endpoint = await subscriber.endpoint()
  await endpoint.change({ status: 'paused' })
  const { id } = await beginReplay(subscriber, endpoint.id, { eventTypes })
  await until('as many as may wait', async () => (await waitingOf(id)) === waitingMax)
  await delay(500) // two more looks of the loop
  assert.equal(await waitingOf(id), waitingMax)
  await endpoint.change({ status: 'enabled' })
  let most = 0
  await until(
    'all',
    async () => {
      most = Math.max(most, await waitingOf(id))
      return endpoint.receiver.seen.length >= sent.length
    },
    60_000,
  )
  assert.ok(most <= waitingMax, `${most} waited at once`)
  const { state, matchedCount, queuedCount } = await endOf(subscriber, id)
  assert.deepEqual([state, matchedCount, queuedCount], ['done', sent.length, sent.length])
  assert.deepEqual(new Set(endpoint.receiver.seen.map(idOf)), new Set(sent))
  assert.deepEqual(
    sequencesOf(endpoint.receiver).toSorted((a, b) => a - b),
    upTo(sent.length),
  )
  // Several are in flight at once: each arrives within a window of its place.
  const places = new Map(sent.map((eventId, place) => [eventId, place]))
  for (const [at, seen] of endpoint.receiver.seen.entries())
    assert.ok(Math.abs((places.get(idOf(seen)) ?? -1) - at) <= 64, `place ${places.get(idOf(seen))} came as ${at}`)
})

test('what is to be sent lies behind more than a step looks up: all of it is found and counted', async () => {
  await using subscriber = await world.subscriber()
  const sent = await fillStream(world, subscriber, 700)
  await using endpoint = await subscriber.endpoint()
  await world.rows`
      insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, status, attempts, created_at)
      select 'dlv_' || substr(id, 5) || right(${endpoint.id}, 6), ${endpoint.id}, position, business_id, id, 'delivered', 1, now()
      from events where business_id = ${subscriber.id} and provider_event_id = any(${sent.slice(0, 680)}::text[])`
  const { id } = await beginReplay(subscriber, endpoint.id, { eventTypes })
  const { matchedCount, queuedCount, skippedCount } = await endOf(subscriber, id)
  assert.deepEqual([matchedCount, queuedCount, skippedCount], [700, 20, 680])
  await until('the rest', () => endpoint.receiver.seen.length === 20)
  assert.deepEqual(new Set(endpoint.receiver.seen.map(idOf)), new Set(sent.slice(680)))
})

test('events that come meanwhile go before what a replay has queued', async () => {
  await using subscriber = await world.subscriber()
  await fillStream(world, subscriber, 400)
  const gate = Promise.withResolvers<void>()
  const openFirst = 40
  await using endpoint = await subscriber.endpoint({}, () => async (_request, response) => {
    if (endpoint.receiver.seen.length > openFirst) await gate.promise
    response.writeHead(200).end()
  })
  const { id } = await beginReplay(subscriber, endpoint.id, { eventTypes })
  await until('a replay in full swing', () => endpoint.receiver.seen.length > openFirst)
  const live = subscriber.event()
  await world.post(live)
  // Deliveries in flight, or already read, go before the live one: a page of the lane at most.
  const before = endpoint.receiver.seen.length
  gate.resolve()
  const at = await until(
    'the live one',
    () => endpoint.receiver.seen.findIndex((seen) => idOf(seen) === live.event_id) + 1,
  )
  assert.ok((await waitingOf(id)) > 0 || (await endOf(subscriber, id)).state === 'done')
  assert.ok(at - before < 100, `${at - before} of the replay came before it`)
  await until('the rest', () => endpoint.receiver.seen.length === 401, 30_000)
})

test('two replicas: a replay is worked off once', async () => {
  await using _replica = await world.replica()
  await using subscriber = await world.subscriber()
  const sent = await fillStream(world, subscriber, 250)
  await using endpoint = await subscriber.endpoint()
  const { id } = await beginReplay(subscriber, endpoint.id, { eventTypes })
  await until('all', () => endpoint.receiver.seen.length >= sent.length)
  assert.equal((await endOf(subscriber, id)).queuedCount, sent.length)
  assert.deepEqual(
    sequencesOf(endpoint.receiver).toSorted((a, b) => a - b),
    upTo(sent.length),
  )
})

test('kill -9 in the middle of a replay: another server goes on where it was, and queues nothing twice', async () => {
  await using subscriber = await world.subscriber()
  const sent = await fillStream(world, subscriber, waitingMax + 300)
  await using endpoint = await subscriber.endpoint({}, () => (_request, response) => {
    setTimeout(() => response.writeHead(200).end(), 5)
  })
  await world.server.stop()
  const env = { WEBHOOK_TIMEOUT_MS: '250' }
  const callAt = (url: string, method: string, path: string, body?: object) =>
    request(method, `${url}${path}`, body, { headers: { authorization: `Bearer ${subscriber.apiKey}` } })
  let id: string
  {
    await using server = await startServe(world, env)
    const path = `/v0/webhook-endpoints/${endpoint.id}/replay`
    const begun = await callAt(server.url, 'POST', path, { ...lastHour(), eventTypes })
    id = begun.body.data.id
    await until('some of it', () => endpoint.receiver.seen.length > 50)
    await server.kill()
  }
  const seenAtKill = endpoint.receiver.seen.length
  assert.ok(seenAtKill < sent.length)
  await using server = await startServe(world, env)
  const ofServer: Subscriber = {
    ...subscriber,
    call: (method, path, body) => callAt(server.url, method, path, body as object),
  }
  const { state, queuedCount, matchedCount } = await endOf(ofServer, id, 60_000)
  assert.deepEqual([state, matchedCount, queuedCount], ['done', sent.length, sent.length])
  await until('all', () => new Set(endpoint.receiver.seen.map(idOf)).size === sent.length, 60_000)
  assert.deepEqual(new Set(sequencesOf(endpoint.receiver)), new Set(upTo(sent.length)))
  const doubled = endpoint.receiver.seen.length - sent.length
  assert.ok(doubled <= 32, `${doubled} were sent twice, more than were in flight`)
})
