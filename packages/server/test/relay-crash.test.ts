// A server that dies at any instruction loses nothing that it acknowledged, and repeats at most what it had in flight.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isNightly } from '../../../scripts/test-needs.ts'
import { until } from './caller.ts'
import { startServe } from './serve-process.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

const eventsPerRound = 6
const kills = isNightly ? 3 : 1

test('kill -9 with a delivery in flight: every acknowledged event arrives, with at most one duplicate a kill', async () => {
  await using subscriber = await world.subscriber()
  const { receiver } = subscriber
  await world.server.stop()
  const acknowledged: string[] = []
  const answered: string[] = []
  // Long enough that nothing in flight runs into it before the kill; the lease is 3 s.
  const env = { WEBHOOK_TIMEOUT_MS: '1000', WEBHOOK_RETRY_SECONDS: '0.1,0.1,0.1' }
  for (let round = 0; round <= kills; round++) {
    await using server = await startServe(world, env)
    const killed = round < kills
    const seenBefore = receiver.seen.length
    // One lane: exactly one delivery is in flight, and it hangs when the server dies.
    const hangsAt = seenBefore + 2
    receiver.reply = (received) => {
      if (killed && receiver.seen.length >= hangsAt) return () => {}
      answered.push(idOf(received))
      return 200
    }
    for (let index = 0; index < eventsPerRound; index++) {
      const event = subscriber.event()
      const answer = await world.post(event, { at: server.url })
      if (answer.status === 200) acknowledged.push(event.event_id)
    }
    if (killed) {
      await until('a delivery in flight', () => receiver.seen.length >= hangsAt)
      await server.kill()
      continue
    }
    await until('every event', () => new Set(answered).size === acknowledged.length)
  }
  assert.equal(acknowledged.length, eventsPerRound * (kills + 1))
  assert.deepEqual(new Set(answered), new Set(acknowledged))
  const duplicates = answered.length - acknowledged.length
  assert.ok(duplicates <= kills, `${duplicates} duplicates after ${kills} kills`)
})

function idOf({ body }: { body: Buffer }): string {
  return JSON.parse(body.toString()).event_id
}
