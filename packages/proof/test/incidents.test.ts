// The verdicts on a Redis that is away and on clocks that step, tried on runs in which something is wrong.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isExplained, judgeClock, stepPrefix } from '../src/faults/clock/verdict.ts'
import { type Call, faultsOfPhase, phaseOf } from '../src/faults/redis/calls.ts'
import { type Answer, type Attempt, type Ledger, openLedger } from '../src/rig/ledger.ts'

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

const at = (seconds: number): number => seconds * 1_000
const step = (whose: string, offset: number, from: number, to: number) => ({
  name: `${stepPrefix}${whose} ${offset}`,
  fromMs: at(from),
  toMs: at(to),
})
const spans = [step('replica', 600, 100, 200), step('replica', 0, 200, 300), step('database', -600, 300, 400)]
const answer = (change: Partial<Answer>): Answer => ({
  what: 'event',
  call: 'POST /v0/webhooks/provider',
  replica: 'replica 1',
  atMs: at(150),
  tookMs: 5,
  status: 400,
  code: 'webhook_signature_stale',
  hasRetryAfter: false,
  isRetryable: false,
  ...change,
})
const attempt = (seconds: number, accepted: boolean): Attempt => ({
  endpoint: 'forgetful',
  eventId: 'evt_1',
  webhookId: 'evt_1_whe_1',
  sequence: 1,
  endUser: 'user',
  place: 0,
  accepted,
  isVerified: true,
  isSigned: true,
  bodyHash: '',
  signedAtMs: at(seconds),
  atMs: at(seconds),
  tookMs: 1,
  names: [],
})
const clockFindings = (change: Partial<Ledger>): string => {
  const ledger = { ...openLedger(), spans, ...change }
  const observed = { ledger, evidence: { businesses: [], provider: null }, stuck: [], unexpected: [] }
  return judgeClock(observed, 600)
    .map(({ kind, text }) => `${kind}: ${text}`)
    .join('; ')
}

test('clock: a replica refuses events as stale while its clock is off, and at no other time', () => {
  const ledger = { ...openLedger(), spans }
  for (const seconds of [150, 200.5]) assert.equal(isExplained(answer({ atMs: at(seconds) }), ledger), true)
  for (const seconds of [50, 250, 350]) assert.equal(isExplained(answer({ atMs: at(seconds) }), ledger), false)
  assert.equal(isExplained(answer({ what: 'write' }), ledger), false)
  assert.equal(isExplained(answer({ status: 429, code: 'rate_limited' }), ledger), true)
})

test('clock: a good key that is refused, and retries that are early, late or missing, are findings', () => {
  assert.equal(clockFindings({}), '')
  assert.match(
    clockFindings({ answers: [answer({ what: 'read', status: 401, code: null })] }),
    /a good key was refused/,
  )
  const retry = (seconds: number) => clockFindings({ attempts: [attempt(120, false), attempt(seconds, true)] })
  assert.equal(retry(126), '')
  assert.match(retry(121), /came after 1000 ms/)
  assert.match(retry(160), /too slow: .* came after 40000 ms/)
  assert.match(clockFindings({ attempts: [attempt(120, false)] }), /lost: the retry .* never came/)
})

test('clock: over a step of the database a retry may come as much later as the step', () => {
  const retry = (seconds: number) => clockFindings({ attempts: [attempt(299, false), attempt(seconds, true)] })
  assert.equal(retry(900), '')
  assert.match(retry(1_000), /too slow: .* came after 701000 ms/)
})
