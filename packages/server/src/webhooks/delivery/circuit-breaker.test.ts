// How fast a receiver is sent to, by the clock of the test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakerFailures } from './breaker.rules.ts'
import { Pace, windowMax } from './circuit-breaker.ts'

const healthy = () => new Pace({ failures: 0 })

/** How many sends the ramp lets through in each second from `startMs`, when as many are tried as can be. */
function startsPerSecond(pace: Pace, startMs: number, seconds: number): number[] {
  return Array.from({ length: seconds }, (_, second) => {
    let starts = 0
    for (let ms = 0; ms < 1_000; ms++) {
      while (pace.waitMs(startMs + second * 1_000 + ms) === 0 && starts < 10_000) {
        pace.started()
        starts += 1
      }
    }
    return starts
  })
}

test('the window opens by one with each success, up to its maximum, and halves with each failure', () => {
  const pace = healthy()
  const before = pace.window
  pace.succeeded(0)
  assert.equal(pace.window, before + 1)
  for (let count = 0; count < 100; count++) pace.succeeded(0)
  assert.equal(pace.window, windowMax)
  pace.failed(0)
  assert.equal(pace.window, windowMax / 2)
  for (let count = 0; count < breakerFailures - 2; count++) pace.failed(0)
  assert.equal(pace.window, 1)
  assert.equal(pace.waitMs(0), 0, 'a single failing event does not stop the others')
})

test('after so many failures in a row it is probed one at a time, ever more rarely, and after a success sent to again', () => {
  const pace = healthy()
  for (let count = 0; count < breakerFailures - 1; count++) pace.failed(0)
  assert.equal(pace.state, 'open')
  pace.failed(0)
  assert.equal(pace.state, 'probing')
  assert.equal(pace.window, 1)
  const waits: number[] = []
  let nowMs = 0
  for (let probe = 0; probe < 7; probe++) {
    waits.push(pace.waitMs(nowMs))
    nowMs += pace.waitMs(nowMs)
    assert.equal(pace.waitMs(nowMs), 0)
    pace.failed(nowMs)
  }
  assert.deepEqual(waits, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  pace.succeeded(nowMs)
  assert.equal(pace.state, 'open')
  assert.equal(pace.failures, 0)
})

test('an endpoint that was failing when it was taken over begins with a single send', () => {
  assert.equal(new Pace({ failures: 3 }).window, 1)
  const broken = new Pace({ failures: breakerFailures })
  assert.equal(broken.state, 'probing')
  assert.equal(broken.waitMs(0), 0, 'its first probe is due at once')
})

test('after a pause or a breaker the rate doubles every second, from ten a second on, then is free', () => {
  const pace = healthy()
  pace.beginRamp(1_000)
  const starts = startsPerSecond(pace, 1_000, 9)
  for (const [second, count] of starts.slice(0, 8).entries()) {
    const expected = 10 * 2 ** second
    assert.ok(
      Math.abs(count - expected) <= Math.max(2, expected * 0.15),
      `${count} in second ${second}, not ${expected}`,
    )
  }
  assert.equal(starts[8], 10_000)
})
