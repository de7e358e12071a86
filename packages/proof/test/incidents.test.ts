// The verdicts on a Redis that is away and on clocks that step, tried on runs in which something is wrong.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Heard } from '../src/chaos/caller.ts'
import { type ClockRun, clockFaultsOf, clockFiguresOf } from '../src/clock/verdict.ts'
import type { FleetJudgement } from '../src/fleet/judge.ts'
import { type Call, faultsOfPhase, phaseOf } from '../src/redis/calls.ts'

const quota = { requests: 10, windowSeconds: 5, replicas: 3 }
/** So many of the calls pass, and then as many are refused. */
const calls = (passed: number, refused = 40, tookMs = 5): Call[] => [
  ...Array.from({ length: passed }, () => ({ status: 200, tookMs })),
  ...Array.from({ length: refused }, () => ({ status: 429, tookMs })),
]
const redisFaults = (counting: 'shared' | 'own' | 'either', made: readonly Call[]): string =>
  faultsOfPhase(phaseOf('x', counting, made, quota)).join('; ')

test('Redis: what may pass is the shared quota, or that of each replica', () => {
  assert.equal(redisFaults('shared', calls(20)), '')
  assert.equal(redisFaults('own', calls(60)), '')
  for (const passed of [20, 40, 60]) assert.equal(redisFaults('either', calls(passed)), '')
  assert.match(redisFaults('shared', calls(22)), /22 calls passed, 19 to 21 may/)
  assert.match(redisFaults('shared', calls(18)), /18 calls passed/)
  assert.match(redisFaults('own', calls(20)), /57 to 63 may/)
  assert.match(redisFaults('either', calls(64)), /64 calls passed/)
})

test('Redis: a 5xx, no answer, a refusal below the limit and a wait are faults', () => {
  assert.match(redisFaults('shared', [...calls(20), { status: 503, tookMs: 1 }]), /1 calls were answered otherwise/)
  assert.match(redisFaults('shared', [...calls(20), { status: null, tookMs: 1 }]), /1 calls were answered otherwise/)
  assert.match(
    redisFaults('shared', [{ status: 429, tookMs: 1 }, ...calls(20)]),
    /1 calls were refused below the limit/,
  )
  assert.match(redisFaults('shared', calls(20, 40, 80)), /one call in twenty took over 80 ms/)
  assert.match(redisFaults('shared', [...calls(20), { status: 429, tookMs: 1_001 }]), /a call took 1001 ms/)
})

const judged: FleetJudgement = {
  ...{
    acknowledged: 5,
    lost: 0,
    doubledUpstream: 0,
    duplicates: 0,
    reordered: 0,
    sequenceGaps: 0,
    stuck: 0,
    broken: 0,
  },
  ...{ unfitAnswers: 0, unanswered: 0, repeated: {}, slowestAnswerMs: 5, examples: [] },
  longestGapMs: { event: 0, write: 0, read: 0, delivery: 0 },
}
const heard = (change: Partial<Heard>): Heard => ({
  ...{ what: 'event', atMs: 0, tookMs: 5, status: 200, code: null, hasRetryAfter: false, isRetryable: false },
  ...change,
})
const answeredAt = (atMs: number): Heard[] => [
  heard({ atMs }),
  heard({ atMs, what: 'write' }),
  heard({ atMs, what: 'read' }),
]
const attempt = (atMs: number, isTaken: boolean, offMs = 0) => ({
  ...{ webhookId: 'w', atMs, signedAtMs: atMs + offMs, isTaken },
})
const steps = [
  { whose: 'replica', offset: 600, atMs: 100_000 },
  { whose: 'replica', offset: 0, atMs: 200_000 },
  { whose: 'database', offset: 600, atMs: 300_000 },
] as const
const run: ClockRun = {
  steps,
  heard: steps.flatMap(({ atMs }) => answeredAt(atMs + 300)),
  attempts: [attempt(150_000, false, 600_000), attempt(155_000, true)],
  holds: [
    { whose: 'replica', lastedMs: 90_000, sweptAfterMs: [61_000, 2_000], lapsedNotes: 0, longestDeliveryGapMs: 900 },
  ],
  judged,
}
const clockFaults = (change: Partial<ClockRun>): string =>
  clockFaultsOf(clockFiguresOf({ ...run, ...change }), 600).join('; ')

test('clock: a run in which all goes on has no fault, and tells by how much signed times were off', () => {
  assert.equal(clockFaults({}), '')
  assert.deepEqual(clockFiguresOf(run).signedOffSeconds, { least: 0, most: 600 })
})

test('clock: events are refused as stale by a replica whose clock is wrong, and by no other', () => {
  const stale = (atMs: number) => heard({ atMs, status: 400, code: 'webhook_signature_stale' })
  assert.equal(clockFaults({ heard: [...run.heard, stale(150_000), stale(200_500)] }), '')
  assert.equal(clockFiguresOf({ ...run, heard: [...run.heard, stale(150_000)] }).refusedAsStale, 1)
  assert.match(clockFaults({ heard: [...run.heard, stale(250_000)] }), /1 answers were neither final/)
})

test('clock: a key that is refused, calls that stand, and retries that are early, late or missing are faults', () => {
  assert.match(clockFaults({ heard: [...run.heard, heard({ what: 'read', status: 401 })] }), /1 calls with a good key/)
  assert.match(clockFaults({ heard: answeredAt(100_001) }), /answered again after null ms/)
  const second = (atMs: number) => ({ attempts: [attempt(150_000, false), attempt(atMs, true)] })
  assert.match(clockFaults(second(151_000)), /a retry came after 1000 ms/)
  assert.match(clockFaults(second(190_000)), /a retry came after 40000 ms/)
  assert.match(clockFaults({ attempts: [attempt(150_000, false)] }), /1 retries never came/)
  const overStep = (atMs: number) => ({ attempts: [attempt(299_900, false), attempt(atMs, true)] })
  assert.equal(clockFaults(overStep(300_100)), '')
  assert.equal(clockFaults(overStep(900_000)), '')
  assert.match(clockFaults(overStep(1_000_000)), /over a step of the database a retry came after 700100 ms/)
})

test('clock: housekeeping, notes and deliveries that stop while a clock is behind are faults', () => {
  const held = (change: object): string =>
    clockFaults({ holds: [...run.holds, { ...(run.holds[0] as (typeof run.holds)[0]), ...change }] })
  assert.equal(held({}), '')
  assert.match(held({ sweptAfterMs: [61_000, null] }), /the clock of the replica was behind, nothing was swept/)
  assert.match(held({ sweptAfterMs: [] }), /nothing was swept/)
  assert.match(held({ lapsedNotes: 2 }), /2 looks found a server without a note/)
  assert.match(held({ longestDeliveryGapMs: 60_000 }), /nothing was delivered for 60000 ms/)
})
