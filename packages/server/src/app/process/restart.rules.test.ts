// When workers are started again, by the numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failuresAfter, isHopeless, pauseMsAfter } from './restart.rules.ts'

test('a worker that dies after a long service is back within a moment, one that dies again and again ever later', () => {
  assert.equal(failuresAfter(7, { servedMs: 60_000 }), 0)
  assert.equal(pauseMsAfter(0), 100)
  let failures = 0
  const pauses = Array.from({ length: 9 }, (_, at) => {
    failures = failuresAfter(failures, { servedMs: at % 2 === 0 ? null : 50 })
    return pauseMsAfter(failures)
  })
  assert.deepEqual(pauses, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
})

test('the supervisor gives up after five starts in vain, and never while a worker serves', () => {
  assert.equal(isHopeless(4, 0), false)
  assert.equal(isHopeless(5, 0), true)
  assert.equal(isHopeless(500, 1), false)
})
