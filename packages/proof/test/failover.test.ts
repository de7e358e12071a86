// The example files of deploy/patroni/, filled in for hosts on one machine.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filledIn } from '../src/rig/databases/patroni/example-files.ts'

test('an example is filled in at once, and one that lacks a text is refused', () => {
  assert.equal(filledIn('a: 1.1:8\nb: 1.1\n', { '1.1': '2.2', '1.1:8': '1.1:9' }), 'a: 1.1:9\nb: 2.2\n')
  assert.equal(filledIn('1x1', { '1x1': '$&' }), '$&')
  assert.throws(() => filledIn('1x1', { '1.1': '2' }), /the example has no "1\.1"/)
})
