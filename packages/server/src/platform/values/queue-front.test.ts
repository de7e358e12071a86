// The front of a queue moves forward with each read, and is searched again from time to time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueFront } from './queue-front.ts'

const seenAt = new Date('2026-11-21T10:00:00.000Z')

test('what was not looked at yet is looked at from the beginning', () => {
  assert.equal(new QueueFront().from(5_000).getTime(), 0)
})

test('what lies two seconds before the first that was seen is still looked at, and nothing older', () => {
  const front = new QueueFront()
  front.from(5_000)
  front.saw(seenAt)
  assert.equal(front.from(6_000).toISOString(), '2026-11-21T09:59:58.000Z')
})

test('after a minute the front is looked for from the beginning, until something was seen', () => {
  const front = new QueueFront()
  front.from(5_000)
  front.saw(seenAt)
  assert.notEqual(front.from(64_999).getTime(), 0)
  assert.equal(front.from(65_000).getTime(), 0)
  assert.equal(front.from(65_001).getTime(), 0)
  front.saw(seenAt)
  assert.notEqual(front.from(65_002).getTime(), 0)
})
