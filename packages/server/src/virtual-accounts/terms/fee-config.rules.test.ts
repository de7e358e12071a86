// Checks of a fee configuration: its size, its depth, and each percentage against the operator's cap.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../platform/values/json.ts'
import { feeConfigFaults } from './fee-config.rules.ts'

const faults = (config: JsonObject, percentMax?: string): string[] =>
  feeConfigFaults(percentMax, config).map(({ code, param }) => `${code} ${param}`)

test('a percentage is a decimal string from 0 to less than 100, at any depth', () => {
  for (const percent of ['0', '0.8', '99.9999'])
    assert.deepEqual(faults({ source: { ach: { fee_percent: percent } } }), [], percent)
  for (const percent of ['-0.1', '100', '1e1', 'x', 0.8, null])
    assert.deepEqual(
      faults({ source: { ach: { fee_percent: percent } } }),
      ['invalid_developer_fee_percent fee_config.source.ach.fee_percent'],
      String(percent),
    )
})

test('under a cap a percentage may reach the cap, and of amounts only an upper bound is taken', () => {
  const config = { source: { fee_percent: '0.5', maximum_fee: '9', fixed_fee: '1' } }
  assert.deepEqual(faults(config), [])
  assert.deepEqual(faults(config, '0.5'), ['invalid_developer_fee_percent fee_config.source.fixed_fee'])
  assert.deepEqual(faults({ fee_percent: '0.51' }, '0.5'), ['invalid_developer_fee_percent fee_config.fee_percent'])
})

test('a configuration has 4,096 bytes and three levels at most', () => {
  const sized = (bytes: number) => ({ note: 'x'.repeat(bytes - '{"note":""}'.length) })
  assert.deepEqual(faults(sized(4_096)), [])
  assert.deepEqual(faults(sized(4_097)), ['invalid_length fee_config'])
  assert.deepEqual(faults({ source: { ach: { fee_percent: '1' } } }), [])
  assert.deepEqual(faults({ source: { ach: { tier: { fee_percent: '1' } } } }), ['invalid_length fee_config'])
})
