// Values that are masked in a log line, and values that are kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { hideFromLogs, redact } from './redaction.ts'

const lines: string[] = []
const log = createLog('trace', (line) => lines.push(line))

/** Returns the log output for this value in every position. */
function logged(value: string): string {
  lines.length = 0
  log.info({ at: { deep: [value, { [value]: value }] }, url: `/v0/x?y=${encodeURI(value)}` }, `said: ${value}.`)
  log.error({ err: new Error(value) }, 'failed')
  return lines.join('')
}

const credentials: readonly (readonly [text: string, secret: string])[] = [
  ['svc_test_0123456789abcdefghijABCDEFGHIJ01aaaaaa', '0123456789abcdefghij'],
  ['svc_live_0123456789abcdefghijABCDEFGHIJ01aaaaaa', '0123456789abcdefghij'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'MfKQ9r8GKY'],
  ['sk-test-0123456789abcdef', '0123456789abcdef'],
  ['sk-live-0123456789abcdef', '0123456789abcdef'],
  ['sk-0123456789abcdef', '0123456789abcdef'],
  ['Bearer 0123.456~789_abc', '0123.456'],
  ['authorization: bearer 0123456789abcdef', '0123456789abcdef'],
  ['postgres://causeway:hunter2@db.internal:5432/causeway', 'hunter2'],
  ['postgresql://:hun%2Fter2@db.internal/causeway', 'hun%2Fter2'],
]
for (const [text, secret] of credentials) {
  test(`masked wherever it stands: ${text.slice(0, 12)}…`, () => {
    assert.ok(!logged(text).replaceAll('%20', ' ').includes(secret), lines.join(''))
  })
}

test('what the deployment itself must keep is masked by its text, also where it needs escapes', () => {
  const secret = 'an operator’s "secret" with \\ and / and spaces'
  assert.ok(logged(secret).includes('operator'))
  hideFromLogs([secret, 'short'])
  const text = logged(secret)
  assert.ok(!text.includes('operator'), text)
  assert.ok(logged('short').includes('short'), 'a text of a few letters is not taken out of every word')
})

test('a masked line is still JSON, and what is no credential stays', () => {
  for (const [text] of credentials) for (const line of logged(text).trim().split('\n')) JSON.parse(line)
  const harmless = 'a task-list at https://example.com:8443/v0/webhooks?x=1, risk-free, mail to a@b.example'
  assert.equal(redact(harmless), harmless)
})

test('a long line costs little, whatever it holds', () => {
  for (const piece of ['a.', 'http://', 'x://y:', 'Bearer ', 'sk-', 'svc_test_']) {
    const line = piece.repeat(50_000)
    const startedAt = performance.now()
    redact(line)
    assert.ok(performance.now() - startedAt < 2_000, piece)
  }
})
