// Ranges of numbers against plain sets of the same numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  closeGapsUpTo,
  joinRanges,
  lastNumber,
  lowestGap,
  rangesMax,
  type SequenceRange,
  type SequenceRanges,
} from './sequence-ranges.rules.ts'

const numbers = fc.array(fc.nat(60), { maxLength: 40 })
const rangesOf = (list: readonly number[]): SequenceRanges =>
  list.reduce<SequenceRanges>((ranges, number) => joinRanges(ranges, [[number, number]]), [])
const numbersIn = (ranges: SequenceRanges) =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
const ascending = (list: Iterable<number>) => [...new Set(list)].toSorted((one, other) => one - other)

test('ranges hold the numbers that came, in whatever order and however often, and nothing else', () => {
  fc.assert(
    fc.property(numbers, numbers, (some, more) => {
      assert.deepEqual(numbersIn(rangesOf(some)), ascending(some))
      assert.deepEqual(joinRanges(rangesOf(some), rangesOf(more)), rangesOf([...more, ...some]))
    }),
  )
})

test('the lowest gap is after the first number whose successor is missing while a later one came', () => {
  fc.assert(
    fc.property(numbers, (some) => {
      const set = new Set(some)
      const before = ascending(some).find((number) => !set.has(number + 1))
      const expected = before === undefined || before === Math.max(...some) ? null : before
      assert.equal(lowestGap(rangesOf(some)), expected)
      assert.equal(lastNumber(rangesOf(some)), some.length === 0 ? null : Math.max(...some))
    }),
  )
})

test('a closed gap stays closed, and gaps above stay open', () => {
  assert.deepEqual(
    closeGapsUpTo(
      [
        [3, 4],
        [7, 7],
        [9, 9],
      ],
      7,
    ),
    [
      [3, 7],
      [9, 9],
    ],
  )
  assert.deepEqual(closeGapsUpTo([[5, 6]], 2), [[5, 6]])
  assert.deepEqual(closeGapsUpTo([], 9), [])
})

test('ranges without end do not grow without end, and the lowest gap is still known', () => {
  const everySecond = Array.from({ length: rangesMax + 1 }, (_, index): SequenceRange => [index * 2, index * 2])
  const joined = joinRanges(everySecond, [])
  assert.deepEqual(joined, [
    [0, 0],
    [2, rangesMax * 2],
  ])
  assert.equal(joinRanges(everySecond.slice(1), []).length, rangesMax)
})
