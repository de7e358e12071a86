// The fit of a soak, tried on values that grow, that swing, and that do neither.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOfTrends, type Series, trendOf } from '../src/soak/trend.ts'

const minuteMs = 60_000
const minutes = 120
const fromMs = 30 * minuteMs
const fittedFromMs = 60 * minuteMs

function seriesOf(valueAt: (minute: number) => number, leastPerHour = 0): Series {
  const points = Array.from({ length: minutes * 4 }, (_, at) => ({ atMs: (at * minuteMs) / 4, value: valueAt(at / 4) }))
  return { name: 'RSS', unit: 'MB', leastPerHour, points }
}
const faultsOf = (series: Series): string => faultsOfTrends([series], fromMs, fittedFromMs).join('; ')

test('a value that stays, and one that swings, are no trend', () => {
  assert.equal(faultsOf(seriesOf(() => 400)), '')
  assert.equal(faultsOf(seriesOf((minute) => 400 + 30 * Math.abs(Math.sin(minute * 1.7)))), '')
})

test('a value that grows in the warm-up and then stays is no trend', () => {
  assert.equal(faultsOf(seriesOf((minute) => Math.min(400, 300 + 4 * minute))), '')
})

test('ten percent a day is allowed, and a little more is a fault that names the slope', () => {
  const growing = (percent: number): Series => seriesOf((minute) => 400 + (400 * percent * minute) / 100 / 1_440)
  assert.equal(faultsOf(growing(9)), '')
  assert.match(faultsOf(growing(12)), /^RSS grows by 11\.\d+ % a day: 2 ± 0 MB an hour from 401/)
})

test('a leak below a swing of garbage collection is found', () => {
  assert.match(faultsOf(seriesOf((minute) => 400 + minute / 5 + 40 * Math.abs(Math.sin(minute * 1.7)))), /grows by/)
})

test('a step that is smaller than the least growth is no trend', () => {
  const step = (minute: number): number => (minute < 90 ? 20 : 21)
  assert.equal(faultsOf(seriesOf(step, 3)), '')
  assert.match(faultsOf(seriesOf((minute) => 20 + minute / 10, 3)), /grows by/)
})

test('too few samples for a line are a fault', () => {
  const short: Series = { ...seriesOf(() => 400), points: [{ atMs: fittedFromMs, value: 1 }] }
  assert.match(faultsOf(short), /too few for a line/)
})

test('the figures name base, last value and slope', () => {
  const { base, last, perHour, percentPerDay } = trendOf(
    seriesOf((minute) => 100 + minute),
    fromMs,
    fittedFromMs,
  )
  assert.deepEqual(
    { base, last, perHour, percentPerDay },
    { base: 130, last: 215, perHour: 60, percentPerDay: 1107.69 },
  )
})
