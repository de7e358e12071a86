// Pressure of the event loop: windows shrink while the event loop is busy and grow again afterwards, and only if
// another lane would wait.

import assert from 'node:assert/strict'
import type { EventLoopUtilization } from 'node:perf_hooks'
import { test } from 'node:test'
import { windowMaxByDefault } from './circuit-breaker.rules.ts'
import { LoopPressure } from './loop-pressure.ts'

function pressureOf(windowMax?: number) {
  const loop = { utilization: 0 }
  const told = (): EventLoopUtilization => ({ idle: 0, active: 0, ...loop })
  return { loop, pressure: new LoopPressure(windowMax, told) }
}

test('a busy loop closes the window to one, one look at a time, and a free one opens it again', () => {
  const { loop, pressure } = pressureOf()
  loop.utilization = 0.95
  const closing = Array.from({ length: 7 }, (_, look) => pressure.window(look * 25, true))
  assert.deepEqual(closing, [16, 8, 4, 2, 1, 1, 1])
  loop.utilization = 0.4
  assert.equal(pressure.window(170, true), 1, 'looked at a moment ago')
  assert.deepEqual(
    [175, 200, 225].map((nowMs) => pressure.window(nowMs, true)),
    [2, 3, 4],
  )
  for (let look = 0; look < 100; look++) pressure.window(1_000 + look * 25, true)
  assert.equal(pressure.window(10_000, true), windowMaxByDefault)
})

test('between busy and free it stays as it is', () => {
  const { loop, pressure } = pressureOf()
  loop.utilization = 0.95
  pressure.window(0, true)
  loop.utilization = 0.55
  assert.deepEqual(
    [25, 50, 75].map((nowMs) => pressure.window(nowMs, true)),
    [16, 16, 16],
  )
})

test('who has the process for himself may fill it', () => {
  const { loop, pressure } = pressureOf()
  loop.utilization = 1
  for (let look = 0; look < 5; look++) pressure.window(look * 25, true)
  assert.equal(pressure.window(200, false), windowMaxByDefault)
})

test('the window that is set is where it opens to', () => {
  const { loop, pressure } = pressureOf(6)
  assert.equal(pressure.window(0, false), 6)
  loop.utilization = 0.95
  assert.equal(pressure.window(25, true), 3)
  loop.utilization = 0.4
  for (let look = 0; look < 10; look++) pressure.window(1_000 + look * 25, true)
  assert.equal(pressure.window(10_000, true), 6)
})
