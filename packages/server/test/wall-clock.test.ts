// Nothing that waits, expires or is limited depends on the wall clock of a process: durations are measured by
// `performance.now()`, and stored times are compared by the database. Here are the uses of the wall clock that remain.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const source = new URL('../src/', import.meta.url)

/** By file: how often the clock is read, and for what. */
const uses: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'main.ts': [2, 'the clock itself'],
  'businesses/requests/service.ts': [1, 'the time in the ID of a request'],
  'platform/http/client-error.ts': [1, 'the time in the ID of a request'],
  'events/emit.ts': [1, 'the time in the ID and the envelope of an event'],
  'events/ingest/ingest.ts': [1, 'the time in the ID of an event'],
  'provider/signature.ts': [1, 'the age of a signature: the provider writes its wall clock into the header'],
  'provider/reconcile/pull.ts': [1, "the provider's clock, where its response has no Date header"],
  'provider/connection/connection.ts': [1, 'the day in the key of a registration'],
  'app/operator/provider.ts': [1, 'shown: when the status was read'],
  'end-users/service.ts': [3, 'shown: by when a review is expected'],
  'end-users/routes.ts': [1, 'shown: by when a review is expected'],
  'end-users/kyc/links.ts': [1, 'shown: by when a review is expected'],
  'end-users/kyc/apply-verdict.ts': [3, 'shown: by when a review is expected'],
  'end-users/kyc/submit.ts': [3, 'shown: by when a review is expected; and the age of a person on this day'],
  'virtual-accounts/service.ts': [1, 'shown: by when a review is expected'],
  'onboarding/page.ts': [2, 'shown: by when a review is expected; and the time for the page'],
  'onboarding/links.ts': [2, 'shown: by when a review is expected'],
  'webhooks/delivery/attempt.ts': [2, 'shown: when an attempt began; and the time that is signed'],
}

test('the wall clock is read where a time is shown, signed or part of an ID, and nowhere else', () => {
  const found: Record<string, number> = {}
  for (const file of globSync('**/*.ts', { cwd: source.pathname })) {
    if (file.endsWith('.test.ts')) continue
    const text = readFileSync(new URL(file, source), 'utf8')
    const count = [...text.matchAll(/(?<!performance)\.now\(\)|new Date\(\)/g)].length
    if (count > 0) found[file] = count
  }
  const counts = Object.fromEntries(Object.entries(uses).map(([file, [count]]) => [file, count]))
  assert.deepEqual(found, counts)
})
