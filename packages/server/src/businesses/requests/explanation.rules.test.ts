// Every error of the catalog has a complete explanation.

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
  assert.match(
    explanationOf('webhook_endpoint_limit_reached')?.resolution ?? '',
    /^Change one of the existing endpoints /,
  )
  assert.match(explanationOf('api_key_limit_reached')?.resolution ?? '', /^Revoke one of the active keys /)
})

test('a code that this version does not know has no explanation', () => {
  for (const code of ['gone_since', 'toString', '']) assert.equal(explanationOf(code), null)
})
