// Delays between attempts, and which outcomes end a message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptOf, retryInSeconds } from './retry.rules.ts'

const hourMs = 3_600_000

test('the delays grow from ten seconds to an hour, for 24 hours', () => {
  const delays = Array.from({ length: 9 }, (_, at) => retryInSeconds(at + 1, 0))
  assert.deepEqual(delays, [10, 30, 60, 300, 900, 1_800, 3_600, 3_600, 3_600])
  assert.equal(retryInSeconds(30, 24 * hourMs - 1), 3_600)
  assert.equal(retryInSeconds(1, 24 * hourMs), null)
})

const response = { kind: 'response', responseBody: '', responseHeaders: null, retryAfterMs: null } as const
const rest = { isGone: false, stopsRetries: false, durationMs: 1 }

test('2xx is sent, 410 is final, and everything else is tried again', () => {
  assert.deepEqual(attemptOf({ ...response, ...rest, status: 204 }), {
    ...{ result: 'sent', said: 'The receiver responded with 204.' },
  })
  for (const status of [302, 404, 500])
    assert.deepEqual(attemptOf({ ...response, ...rest, status }), {
      ...{ result: 'failed', said: `The receiver responded with ${status}.`, isFinal: false },
    })
  const gone = attemptOf({ ...response, ...rest, status: 410, isGone: true })
  assert.ok(gone.result === 'failed' && gone.isFinal)
  assert.deepEqual(attemptOf({ kind: 'timeout', detail: 'The receiver did not respond in time.', durationMs: 1 }), {
    ...{ result: 'failed', said: 'The receiver did not respond in time.', isFinal: false },
  })
  assert.deepEqual(attemptOf({ kind: 'aborted', durationMs: 1 }), { result: 'aborted' })
})
