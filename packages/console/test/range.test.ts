// The hours and days of the charts are those of the statistics.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginningOf, rangeOf, ranges, spansOf } from '../src/features/home/range.ts'

const now = Date.parse('2026-11-23T19:30:00Z')

test('a range has its hours or days, and the last one is not over yet', () => {
  for (const range of ['day', 'week', 'month', 'quarter'] as const) {
    const { interval, spans } = ranges[range]
    const end = interval === 'hour' ? '2026-11-23T20:00:00.000Z' : '2026-11-24T00:00:00.000Z'
    const all = spansOf(beginningOf(range, now), end, interval)
    assert.equal(all.length, spans)
    assert.equal(all[0], beginningOf(range, now))
    assert.ok(Date.parse(all.at(-1) ?? '') <= now)
  }
})

test('an address that names no range, or the usual one, says nothing', () => {
  assert.deepEqual(['day', 'month', 'century', 'toString', 7, undefined].map(rangeOf), [
    'day',
    ...Array(5).fill(undefined),
  ])
})
