// The attempt in the cookie of the browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecretBox } from '../platform/secrets/secret-box.ts'
import { type Attempt, openAttempt, sealAttempt } from './attempt.ts'

const [old, newest] = ['an older deployment secret of the tests', 'the newest deployment secret of the tests']
const box = (...secrets: string[]) => createSecretBox(secrets)
const attempt: Attempt = {
  businessId: 'biz_1',
  state: 'state',
  nonce: 'nonce',
  verifier: 'verifier',
  maxAgeSeconds: null,
  next: '/console',
  previous: null,
  expiresAtMs: 1_000,
}

test('an attempt is read until it expires, also while the deployment secret is rotated', () => {
  const sealed = sealAttempt({ secrets: box(old) }, attempt)
  assert.deepEqual(openAttempt({ secrets: box(newest, old), now: () => 999 }, sealed), attempt)
  assert.equal(openAttempt({ secrets: box(newest, old), now: () => 1_000 }, sealed), null)
})

test('an attempt of another secret, a changed one, a sealed value of another kind and any other text are none', () => {
  const [secrets, now] = [box(newest), () => 0]
  const sealed = sealAttempt({ secrets }, attempt)
  assert.ok(!Buffer.from(sealed, 'base64url').includes('verifier'), 'it is encrypted')
  const bytes = Buffer.from(sealed, 'base64url')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  const foreign = secrets.seal(JSON.stringify(attempt), 'another kind').toString('base64url')
  for (const text of [bytes.toString('base64url'), foreign, '', 'x', sealed.slice(0, 40)])
    assert.equal(openAttempt({ secrets, now }, text), null)
  assert.equal(openAttempt({ secrets: box(old), now }, sealed), null)
})
