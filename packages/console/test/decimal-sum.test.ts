// Sums keep every digit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumOfDecimals } from '../src/components/chart/decimal-sum.ts'

test('amounts are added to the last digit, however long they are', () => {
  assert.equal(sumOfDecimals([]), '0')
  assert.equal(sumOfDecimals(['10.00', '0.5']), '10.50')
  assert.equal(sumOfDecimals(['0.1', '0.2']), '0.3')
  assert.equal(sumOfDecimals(['9007199254740993.000001', '1']), '9007199254740994.000001')
  assert.equal(sumOfDecimals(['-0.75', '0.5']), '-0.25')
  assert.equal(sumOfDecimals(['7', '0']), '7')
})
