// Secrets that count as random enough, and secrets that do not.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { isGuessable } from './secret-strength.ts'

test('what is random is taken, in any usual spelling', () => {
  for (let turn = 0; turn < 2_000; turn++) {
    const random = createHash('sha256').update(String(turn)).digest()
    for (const secret of [random.toString('base64'), random.toString('base64url'), random.toString('hex')])
      assert.equal(isGuessable(secret), false, secret)
  }
})

test('one letter, a pattern, a row of the keyboard or a common word are not, however long', () => {
  for (const secret of [
    'a'.repeat(40),
    'a'.repeat(4_000),
    'ab'.repeat(20),
    'Abcd1234'.repeat(4),
    '0123456789'.repeat(4),
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'change-me-please-before-you-go-live-now',
    'correct-password-of-the-admin',
    '',
  ])
    assert.equal(isGuessable(secret), true, secret)
})
