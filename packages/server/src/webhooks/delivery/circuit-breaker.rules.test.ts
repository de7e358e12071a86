// Send rate to one receiver, with the clock of the test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakerFailures, CircuitBreaker, windowMaxByDefault } from './circuit-breaker.rules.ts'

const healthy = () => new CircuitBreaker({ failures: 0 })

/** How many sends the ramp allows in each second from `startMs`, under constant demand. */
function startsPerSecond(breaker: CircuitBreaker, startMs: number, seconds: number): number[] {
  return Array.from({ length: seconds }, (_, second) => {
    let starts = 0
    for (let ms = 0; ms < 1_000; ms++) {
      while (breaker.waitMs(startMs + second * 1_000 + ms) === 0 && starts < 10_000) {
        breaker.started()
        starts += 1
      }
    }
    return starts
  })
}

test('the window opens by one with each success, up to its maximum, and halves with each failure', () => {
  const breaker = healthy()
  const before = breaker.window
  breaker.succeeded(0)
  assert.equal(breaker.window, before + 1)
  for (let count = 0; count < 100; count++) breaker.succeeded(0)
  assert.equal(breaker.window, windowMaxByDefault)
  breaker.failed(0)
  assert.equal(breaker.window, windowMaxByDefault / 2)
  for (let count = 0; count < breakerFailures - 2; count++) breaker.failed(0)
  assert.equal(breaker.window, 1)
  assert.equal(breaker.waitMs(0), 0, 'a single failing event does not stop the others')
})

for (const windowMax of [1, 5, 256])
  test(`a window of ${windowMax} at most is kept to from the first send on, and reached`, () => {
    const breaker = new CircuitBreaker({ failures: 0 }, windowMax)
    for (let count = 0; count < 300; count++) {
      assert.ok(breaker.window <= windowMax)
      breaker.succeeded(0)
    }
    assert.equal(breaker.window, windowMax)
  })

test('after so many failures in a row it is probed one at a time, ever more rarely, and after a success sent to again', () => {
  const breaker = healthy()
  for (let count = 0; count < breakerFailures - 1; count++) breaker.failed(0)
  assert.deepEqual([breaker.state, breaker.hasJustTripped], ['sending', false])
  breaker.failed(0)
  assert.deepEqual([breaker.state, breaker.hasJustTripped], ['probing', true])
  assert.equal(breaker.window, 1)
  const waits: number[] = []
  let nowMs = 0
  for (let probe = 0; probe < 7; probe++) {
    waits.push(breaker.waitMs(nowMs))
    nowMs += breaker.waitMs(nowMs)
    assert.equal(breaker.waitMs(nowMs), 0)
    breaker.failed(nowMs)
    assert.equal(breaker.hasJustTripped, false)
  }
  assert.deepEqual(waits, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  breaker.succeeded(nowMs)
  assert.equal(breaker.state, 'sending')
  assert.equal(breaker.failures, 0)
})

test('after a success the next outage is probed as soon as the first one was', () => {
  const breaker = healthy()
  let nowMs = 0
  const trip = (): number => {
    for (let count = 0; count < breakerFailures; count++) breaker.failed(nowMs)
    return breaker.waitMs(nowMs)
  }
  const firstMs = trip()
  for (let probe = 0; probe < 5; probe++) {
    nowMs += breaker.waitMs(nowMs)
    breaker.failed(nowMs)
  }
  assert.ok(breaker.waitMs(nowMs) > firstMs)
  nowMs += breaker.waitMs(nowMs)
  breaker.succeeded(nowMs)
  assert.equal(trip(), firstMs)
})

test('sends that were in flight when the breaker tripped do not put off its first probe', () => {
  const breaker = healthy()
  for (let count = 0; count < breakerFailures + windowMaxByDefault; count++) breaker.failed(0)
  assert.equal(breaker.waitMs(0), 5_000)
})

test('an endpoint that was failing when it was taken over begins with a single send', () => {
  assert.ok(healthy().window > 1)
  for (const failures of [1, 3]) assert.equal(new CircuitBreaker({ failures }).window, 1)
  const broken = new CircuitBreaker({ failures: breakerFailures })
  assert.equal(broken.state, 'probing')
  assert.equal(broken.waitMs(0), 0, 'its first probe is due at once')
})

test('after a pause or a breaker the rate doubles every second, from ten a second on, then is free', () => {
  const breaker = healthy()
  breaker.beginRamp(1_000)
  const starts = startsPerSecond(breaker, 1_000, 9)
  for (const [second, count] of starts.slice(0, 8).entries()) {
    const expected = 10 * 2 ** second
    assert.ok(
      Math.abs(count - expected) <= Math.max(2, expected * 0.15),
      `${count} in second ${second}, not ${expected}`,
    )
  }
  assert.equal(starts[8], 10_000)
})

test('a restart forgets the failures and begins with a single send and a ramp', () => {
  const breaker = healthy()
  for (let count = 0; count < breakerFailures + 3; count++) breaker.failed(0)
  breaker.restart(1_000)
  assert.deepEqual([breaker.state, breaker.failures, breaker.window], ['sending', 0, 1])
  const [first = 0] = startsPerSecond(breaker, 1_000, 1)
  assert.ok(first > 0 && first <= 12, `${first} in the first second`)
})

test('failures that are far apart probe as soon as others, and the success of a probe begins a ramp', () => {
  const breaker = healthy()
  let nowMs = 0
  for (let count = 0; count < breakerFailures; count++) {
    nowMs += 60_000
    breaker.failed(nowMs)
  }
  assert.equal(breaker.waitMs(nowMs), 5_000)
  breaker.succeeded(nowMs + 5_000)
  const [first = 0] = startsPerSecond(breaker, nowMs + 5_000, 1)
  assert.ok(first > 0 && first <= 12, `${first} in the first second`)
})

test('in the first second of a ramp the next send is due after a tenth of a second, and a pause saves up one send', () => {
  const breaker = healthy()
  breaker.beginRamp(0)
  assert.equal(breaker.waitMs(0), 0)
  breaker.started()
  for (const [nowMs, waitMs] of [
    [0, 100],
    [60, 40],
    [100, 0],
    [900, 0],
  ] as const)
    assert.equal(Math.round(breaker.waitMs(nowMs)), waitMs)
  breaker.started()
  assert.equal(Math.round(breaker.waitMs(900)), 100)
})
