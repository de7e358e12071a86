// Proves that businesses take turns, whatever the number of their due events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DueEvent, DueEvents } from './due-events.rules.ts'

const event = (businessId: string | null, at: number): DueEvent => ({
  eventId: `${businessId} ${at}`,
  businessId,
  dueAt: new Date(at),
})

function takeAll(due: DueEvents): string[] {
  const taken: string[] = []
  for (let next = due.next(); next !== undefined; next = due.next()) taken.push(next)
  return taken
}

test('businesses take turns, and each gets its events in the order of time', () => {
  const due = new DueEvents()
  due.add([event('a', 1), event('a', 2), event('a', 3), event('b', 4), event(null, 5)])
  assert.deepEqual(takeAll(due), ['a 1', 'b 4', 'null 5', 'a 2', 'a 3'])
  assert.equal(due.next(), undefined)
})

test('an event that is read twice is taken once', () => {
  const due = new DueEvents()
  due.add([event('a', 1)])
  due.add([event('a', 1), event('a', 2)])
  assert.deepEqual(takeAll(due), ['a 1', 'a 2'])
})

test('reading continues before the last event seen, and from the front once nothing waits', () => {
  const due = new DueEvents()
  const front = new Date(10_000)
  assert.deepEqual(due.readFrom(front), front)
  due.add([event('a', 60_000)])
  assert.deepEqual(due.readFrom(front), new Date(58_000))
  takeAll(due)
  assert.deepEqual(due.readFrom(front), front)
  due.add(Array.from({ length: 50_000 }, (_, at) => event('a', at)))
  assert.equal(due.readFrom(front), null)
})
