// A server that dies at any instruction loses nothing that it acknowledged, and repeats at most what it had in flight.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { relayWorld, subscribe } from './relay-world.ts'
import { startServe } from './serve-process.ts'
import { until } from './test-world.ts'

const world = await relayWorld()
after(() => world.stop())

const eventsPerRound = 6
const kills = 3

test('kill -9 with a delivery in flight: every acknowledged event arrives, with at most one duplicate a kill', async () => {
  await using subscriber = await subscribe(world)
  const { receiver } = subscriber
  await world.server.stop()
  const acknowledged: string[] = []
  // The lease of what was in flight at a kill runs out after four time-outs.
  const env = { WEBHOOK_TIMEOUT_MS: '250', WEBHOOK_RETRY_SECONDS: '0.1,0.1,0.1' }
  for (let round = 0; round <= kills; round++) {
    await using server = await startServe(world, env)
    const killed = round < kills
    const seenBefore = receiver.seen.length
    // One lane: exactly one delivery is in flight, and it hangs when the server dies.
    const hangsAt = seenBefore + 2
    receiver.reply = () => (killed && receiver.seen.length >= hangsAt ? () => {} : 200)
    for (let index = 0; index < eventsPerRound; index++) {
      const event = subscriber.event()
      const answer = await world.post(event, { baseUrl: server.url })
      if (answer.status === 200) acknowledged.push(event.event_id)
    }
    if (killed) {
      await until('a delivery in flight', () => receiver.seen.length >= hangsAt)
      await server.kill()
      continue
    }
    await until('every event', () => new Set(receiver.seen.map(idOf)).size === acknowledged.length, 10_000)
  }
  assert.equal(acknowledged.length, eventsPerRound * (kills + 1))
  assert.deepEqual(new Set(receiver.seen.map(idOf)), new Set(acknowledged))
  const duplicates = receiver.seen.length - acknowledged.length
  assert.ok(duplicates <= kills, `${duplicates} duplicates after ${kills} kills`)
})

function idOf({ body }: { body: Buffer }): string {
  return JSON.parse(body.toString()).event_id
}
