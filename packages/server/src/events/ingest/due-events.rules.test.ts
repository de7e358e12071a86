// Businesses take turns, whatever the number of their due events.

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
  due.add([event('a', 1), event('a', 2), event('a', 3), event('b', 4), event(null, 5)], false)
  assert.deepEqual(takeAll(due), ['a 1', 'b 4', 'null 5', 'a 2', 'a 3'])
  assert.equal(due.next(), undefined)
})

test('an event that is read twice is taken once', () => {
  const due = new DueEvents()
  due.add([event('a', 1)], false)
  due.add([event('a', 1), event('a', 2)], false)
  assert.deepEqual(takeAll(due), ['a 1', 'a 2'])
})

const start = (at: number) => ({ dueAt: new Date(at), eventId: '' })

test('reading continues before the last event seen, and from the front once nothing waits', () => {
  const due = new DueEvents()
  const front = new Date(10_000)
  assert.deepEqual(due.readBehind(front), start(10_000))
  due.add([event('a', 60_000)], false)
  assert.deepEqual(due.readBehind(front), start(58_000))
  due.add([], false)
  assert.deepEqual(due.readBehind(front), start(58_000))
  takeAll(due)
  assert.deepEqual(due.readBehind(front), start(10_000))
  due.add(
    Array.from({ length: 50_000 }, (_, at) => event('a', at)),
    true,
  )
  assert.equal(due.readBehind(front), null)
})

test('more events of one moment than fit on a page are read to their end, where a quiet business waits, and then once more', () => {
  const pageMax = 3
  const due = new DueEvents()
  const heap: DueEvent[] = ['1', '2', '3', '4', '5', '6', '7'].map((id) => ({ ...event('loud', 60_000), eventId: id }))
  const ordered = [...heap, event('quiet', 60_001)]
  const front = new Date(10_000)
  const look = () => {
    const place = due.readBehind(front) ?? assert.fail('nothing is wanted')
    const page = ordered
      .filter(({ dueAt, eventId }) => dueAt > place.dueAt || (+dueAt === +place.dueAt && eventId > place.eventId))
      .slice(0, pageMax)
    due.add(page, page.length === pageMax)
    return page.map(({ eventId }) => eventId)
  }
  assert.deepEqual(
    [look(), look(), look()],
    [
      ['1', '2', '3'],
      ['4', '5', '6'],
      ['7', 'quiet 60001'],
    ],
  )
  assert.deepEqual(look(), ['1', '2', '3'], 'a transaction that took long may have added one')
  assert.deepEqual([due.next(), due.next()], ['1', 'quiet 60001'])
})
