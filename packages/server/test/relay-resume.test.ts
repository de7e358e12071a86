// An endpoint that was enabled again gets its backlog at a growing rate, whichever replica sends.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Endpoint, Subscriber } from './business.ts'
import { request, until } from './caller.ts'
import { type Receiver, sequencesOf } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_TIMEOUT_MS: '20000' } })
after(() => world.stop())

const backlog = 200

/** Events of several end-users, so that order alone does not slow them down. */
async function fill(subscriber: Subscriber, users: readonly string[], baseUrl = world.url): Promise<void> {
  const events = Array.from({ length: backlog }, (_, index) =>
    subscriber.event({ external_user_id: users[index % users.length] }),
  )
  await Promise.all(events.map((event) => world.post(event, { at: baseUrl })))
}

const usersOf = (subscriber: Subscriber) => Promise.all(Array.from({ length: 8 }, () => subscriber.user()))

/** 10 in the first second, doubled every second. */
function rampedBy(seconds: number): number {
  const whole = Math.floor(seconds)
  return 10 * (2 ** whole - 1) + 10 * 2 ** whole * (seconds - whole)
}

/** @param from the first of the requests that count */
function assertRamped({ seen }: Receiver, from: number): void {
  const times = seen.slice(from).map(({ atMs }) => atMs)
  const [first = 0] = times
  for (const [index, atMs] of times.entries()) {
    // Tolerance for timers and the network, and the 100 ms that the rate may save up.
    const mostBy = 2 + rampedBy((atMs - first) / 1_000 + 0.35)
    assert.ok(index + 1 <= mostBy, `${index + 1} had come ${atMs - first} ms after the first`)
  }
  const secondsOf = (begin: number, end: number) => ((times[end] ?? 0) - (times[begin] ?? 0)) / 1_000
  const half = backlog / 2
  assert.ok(secondsOf(0, half) > secondsOf(half, backlog - 1), 'the second half comes faster')
}

async function resumed(endpoint: Endpoint, from: number): Promise<void> {
  await until('the backlog', () => endpoint.receiver.seen.length >= from + backlog, 30_000)
  assertRamped(endpoint.receiver, from)
  const sequence = sequencesOf(endpoint.receiver).toSorted((a, b) => a - b)
  assert.deepEqual(
    sequence,
    Array.from({ length: from + backlog }, (_, at) => at + 1),
  )
}

test('a backlog of a pause goes out at a growing rate, though the pause was too short for anybody to let go of the endpoint', async () => {
  await using subscriber = await world.subscriber()
  const users = await usersOf(subscriber)
  const answering = Promise.withResolvers<void>()
  await using endpoint = await subscriber.endpoint({}, () => (_, response) => {
    void answering.promise.then(() => response.end())
  })
  await world.post(subscriber.event())
  await until('a delivery in flight', () => endpoint.receiver.seen.length === 1)
  await endpoint.change({ status: 'paused' })
  await fill(subscriber, users)
  await endpoint.change({ status: 'enabled' })
  answering.resolve()
  endpoint.receiver.reply = () => 200
  await resumed(endpoint, 1)
})

test('a backlog of a pause goes out at a growing rate, at another replica as well', async () => {
  await using replica = await world.replica()
  await using subscriber = await world.subscriber()
  const users = await usersOf(subscriber)
  await using endpoint = await subscriber.endpoint()
  await endpoint.change({ status: 'paused' })
  await fill(subscriber, users)
  // The other one alone is left to take the lane.
  await world.server.stop()
  await request(
    'PATCH',
    `${replica.url}/v0/webhook-endpoints/${endpoint.id}`,
    { status: 'enabled' },
    {
      headers: { authorization: `Bearer ${subscriber.apiKey}` },
    },
  )
  await resumed(endpoint, 0)
})
