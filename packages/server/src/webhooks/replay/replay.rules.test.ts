// Which candidates a replay takes, and where it continues: nothing is counted twice or skipped, whatever the room.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DeliveryState, fill, isChosen, type ReplayStatus, replayStatuses } from './replay.rules.ts'

const states: readonly DeliveryState[] = [
  'pending',
  'retrying',
  'delivered',
  'exhausted',
  'cancelled',
  'missing',
  'not_addressed',
]

test('each status means its deliveries, and what waits or was meant for another is never sent', () => {
  const of = (status: ReplayStatus) => states.filter((state) => isChosen(status, state))
  assert.deepEqual(of('undelivered'), ['retrying', 'exhausted', 'cancelled', 'missing'])
  assert.deepEqual(of('failed'), ['retrying', 'exhausted', 'cancelled'])
  assert.deepEqual(of('missing'), ['missing'])
  assert.deepEqual(of('delivered'), ['delivered'])
  assert.deepEqual(of('all'), ['retrying', 'delivered', 'exhausted', 'cancelled', 'missing'])
})

test('step by step, with whatever room, every candidate is counted once and all that are chosen are taken in order', () => {
  const stream = fc
    .uniqueArray(fc.record({ position: fc.integer({ min: 1, max: 60 }), delivery: fc.constantFrom(...states) }), {
      selector: ({ position }) => position,
    })
    .map((events) => events.toSorted((one, other) => one.position - other.position))
  const rooms = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 })
  fc.assert(
    fc.property(stream, fc.constantFrom(...replayStatuses), rooms, (events, status, sizes) => {
      const taken: number[] = []
      let matched = 0
      let position = 0
      for (let step = 0; position < 60; step++) {
        const through = Math.min(60, position + 20)
        const window = events.filter((event) => event.position > position && event.position <= through)
        const room = sizes[step % sizes.length] ?? 1
        const found = fill(window, status, room, through)
        assert.ok(found.chosen.length <= room, 'no more is taken than there is room')
        assert.ok(found.position > position, 'it comes further')
        taken.push(...found.chosen.map((event) => event.position))
        matched += found.matched
        position = found.position
      }
      assert.equal(matched, events.length)
      const chosen = events.filter(({ delivery }) => isChosen(status, delivery))
      assert.deepEqual(
        taken,
        chosen.map((event) => event.position),
      )
    }),
  )
})
