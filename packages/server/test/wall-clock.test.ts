// Nothing that waits, expires or is limited depends on the wall clock of a process: durations are measured by
// `performance.now()`, and stored times are compared by the database. Here are the uses of the wall clock that remain.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const source = new URL('../src/', import.meta.url)

/** By file: for what the clock is read. */
const uses: Readonly<Record<string, string>> = {
  'main.ts': 'the clock itself',
  'businesses/requests/service.ts': 'the time in the ID of a request',
  'platform/http/client-error.ts': 'the time in the ID of a request',
  'events/emit.ts': 'the time in the ID and the envelope of an event',
  'events/ingest/ingest.ts': 'the time in the ID of an event',
  'provider/connection/event-keys.ts': 'the age of a signature: the provider writes its wall clock into the header',
  'provider/connection/connection.ts': 'the day in the key of a registration',
  'app/operator/provider.ts': 'shown: when the status was read',
  'end-users/service.ts': 'shown: by when a review is expected',
  'end-users/kyc/submit.ts': 'the age of a person on this day',
  'onboarding/page.ts': 'shown: the time for the page',
  'webhooks/delivery/attempt.ts': 'shown: when an attempt began; and the time that is signed',
  'alerts/watch/full-database.ts': 'shown: since when the database, which knows the time, does not write',
  'alerts/watch/rounds.ts': 'shown: since when a cause holds',
  'sign-in/sign-in.ts': 'the time in the cookie of a sign-in, which any server may finish, ten minutes later at most',
}

test('the wall clock is read where a time is shown, signed or part of an ID, and nowhere else', () => {
  const files = globSync('**/*.ts', { cwd: source.pathname }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.filter((file) => {
    const text = readFileSync(new URL(file, source), 'utf8')
    return /(?<!performance)\.now\(\)|new Date\(\)/.test(text)
  })
  assert.deepEqual(found.sort(), Object.keys(uses).sort())
})
