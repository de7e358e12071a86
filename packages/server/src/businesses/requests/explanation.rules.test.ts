// Every error of the catalogue has an explanation that reads by itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../../platform/errors.ts'
import { explanationOf } from './explanation.rules.ts'

test('every error of the catalogue is explained in whole sentences, without a place left to fill', () => {
  for (const [code, { message }] of Object.entries(catalogue)) {
    const explanation = explanationOf(code)
    assert.equal(explanation?.message, message)
    assert.match(explanation?.resolution ?? '', /^[^{}]+$/, code)
  }
  assert.equal(explanationOf('insufficient_scope')?.resolution, 'Use a key with the scope of this operation.')
})

test('a code that this version does not know has no explanation', () => {
  for (const code of ['gone_since', 'toString', '']) assert.equal(explanationOf(code), null)
})
