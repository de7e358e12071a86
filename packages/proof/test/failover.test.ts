// The judging parts of the proof of failovers, tried on runs in which something is wrong; and the example that it fills in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Failover, faultsOfFailovers, outageOf } from '../src/failover/outage.ts'
import { readinessOf } from '../src/failover/readiness.ts'
import { filledIn } from '../src/rig/databases/patroni/example-files.ts'
import type { Heard } from '../src/rig/load/caller.ts'

const answer = (what: Heard['what'], atMs: number, status: number | null = 200): Heard => ({
  ...{ what, atMs, status, tookMs: atMs / 10, code: null },
  ...{ hasRetryAfter: false, isRetryable: false },
})

test('an outage is the longest time without success after the death, whatever else was answered', () => {
  const heard = [
    ...[answer('event', 90), answer('event', 110), answer('event', 150, 503), answer('event', 180)],
    ...[answer('write', 95), answer('write', 120, null), answer('write', 900)],
  ]
  assert.deepEqual(outageOf(heard, { fromMs: 100, toMs: 200 }), {
    ...{ eventsAwayMs: 70, writesAwayMs: 100, readsAwayMs: 100 },
    slowestAnswerMs: 18,
  })
})

test('each failover has to end in time, for each kind of work, and all of them have to happen', () => {
  const sound: Failover = {
    accident: 'primary dies',
    ...{ promotedMs: 1, eventsAwayMs: 30_000, writesAwayMs: 1, readsAwayMs: 99_000, deliveriesAwayMs: 1 },
    ...{ slowestAnswerMs: 1, notReadyMs: 99_000, slowestCheckMs: 1, uncheckedTimes: 0 },
  }
  assert.deepEqual(faultsOfFailovers([sound, sound], 2), [])
  assert.equal(faultsOfFailovers([sound], 2).length, 1)
  const faults = [
    { eventsAwayMs: 30_001 },
    { writesAwayMs: 30_001 },
    { deliveriesAwayMs: 30_001 },
    { uncheckedTimes: 1 },
  ]
  for (const fault of faults) assert.equal(faultsOfFailovers([sound, { ...sound, ...fault }], 2).length, 1)
})

test('a replica is not ready from its last good answer to the next; one that was always ready never', () => {
  const check = (url: string, atMs: number, status: number | null = 200) => ({ url, atMs, tookMs: atMs, status })
  const steady = [check('a', 110), check('a', 190)]
  const span = { fromMs: 100, toMs: 200 }
  assert.deepEqual(readinessOf(steady, span), { notReadyMs: 0, slowestCheckMs: 190, uncheckedTimes: 0 })
  const away = [check('b', 105), check('b', 120, 503), check('b', 130, null), check('b', 160), check('b', 250, null)]
  assert.deepEqual(readinessOf([...steady, ...away], span), { notReadyMs: 55, slowestCheckMs: 190, uncheckedTimes: 1 })
})

test('an example is filled in at once, and one that lacks a text is refused', () => {
  assert.equal(filledIn('a: 1.1:8\nb: 1.1\n', { '1.1': '2.2', '1.1:8': '1.1:9' }), 'a: 1.1:9\nb: 2.2\n')
  assert.equal(filledIn('1x1', { '1x1': '$&' }), '$&')
  assert.throws(() => filledIn('1x1', { '1.1': '2' }), /the example has no "1\.1"/)
})
