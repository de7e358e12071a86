// The verdict on bad receivers and loud businesses, tried on figures: what it passes, and that it sees each fault.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BacklogFigures } from '../src/hostile/backlog-round.ts'
import type { Latencies } from '../src/hostile/measured-load.ts'
import { judge, type Pair } from '../src/hostile/verdict.ts'

const latencies = (p99Ms: number, missing = 0): Latencies => ({ samples: 100, missing, p50Ms: 1, p90Ms: 2, p99Ms })
const pair = (healthyMs: number, hostileMs: number): Pair => ({
  healthy: latencies(healthyMs),
  hostile: latencies(hostileMs),
})
const backlog = (aloneMs: number, besideMs: number, left = 1): BacklogFigures => ({
  alone: latencies(aloneMs),
  beside: latencies(besideMs),
  backlog: 100,
  left,
  drainedPerSecond: 1,
})

const calm = [pair(20, 20), pair(20, 21), pair(20, 19)]
const fair = [backlog(20, 30)]

test('figures within their bounds have no fault, and one noisy round among several is none', () => {
  assert.deepEqual(judge(calm, fair, 300).faults, [])
  assert.deepEqual(judge([...calm, pair(20, 900)], fair, 300).faults, [])
  assert.deepEqual(judge([pair(3, 6)], [backlog(1, 5)], null).faults, [], 'a few milliseconds are the scheduler’s')
})

test('each bound that is passed is a fault', () => {
  assert.equal(judge([pair(20, 40), pair(20, 41), pair(20, 20)], fair, 300).faults.length, 1)
  assert.equal(judge(calm, [backlog(20, 45)], 300).faults.length, 1)
  assert.equal(judge(calm, fair, 5_000).faults.length, 1)
  assert.equal(judge([...calm, { healthy: latencies(20, 1), hostile: latencies(20) }], fair, 300).faults.length, 1)
  assert.equal(judge(calm, [backlog(20, 20, 0)], 300).faults.length, 1)
})
