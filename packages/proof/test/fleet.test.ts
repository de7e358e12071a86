// The verdict on a fleet, tried on runs in which something is wrong: it must see each fault, and none where there is none.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../../server/src/platform/values/json.ts'
import type { Heard } from '../src/chaos/caller.ts'
import type { Evidence } from '../src/chaos/verdict/evidence.ts'
import type { ReceiverLine } from '../src/chaos-relay/receivers.ts'
import { answerFigures, firstAfterMs, isFit, longestGapMs } from '../src/fleet/answers.ts'
import { faultsOf, verdictOf } from '../src/fleet/judge.ts'
import type { Endpoint } from '../src/relay-world/deployment.ts'
import { MissingProgram, requireProgram, runProgram } from '../src/rig/programs.ts'

const answer = (change: Partial<Heard> = {}): Heard => ({
  what: 'event',
  atMs: 100,
  tookMs: 5,
  status: 200,
  code: null,
  hasRetryAfter: false,
  isRetryable: false,
  ...change,
})
const busy = { status: 503, code: 'database_unavailable', hasRetryAfter: true, isRetryable: true }

test('an answer is fit when it is the result, a final refusal, or says when to come back', () => {
  assert.equal(isFit(answer()), true)
  assert.equal(isFit(answer(busy)), true)
  assert.equal(isFit(answer({ what: 'write', status: 409 })), true)
  for (const unfit of [
    { ...busy, hasRetryAfter: false },
    { ...busy, isRetryable: false },
    { status: 500, hasRetryAfter: true, isRetryable: true },
    { status: 302 },
    { what: 'event', status: 400 } as const,
    { status: null },
  ])
    assert.equal(isFit(answer(unfit)), false, JSON.stringify(unfit))
})

test('the longest gap counts the ends of the span, and nothing outside of it', () => {
  const span = { fromMs: 0, toMs: 100 }
  assert.equal(longestGapMs([], span), 100)
  assert.equal(longestGapMs([90, 10, 50], span), 40)
  assert.equal(longestGapMs([60], span), 60)
  assert.equal(longestGapMs([10, 20], span), 80)
  assert.equal(longestGapMs([-5, 50, 500], span), 50)
  assert.equal(firstAfterMs([10, 90, 40], 30), 10)
  assert.equal(firstAfterMs([10], 30), null)
})

test('figures tell answers that are unfit from calls that got none', () => {
  const heard = [
    answer({ atMs: 10 }),
    answer(busy),
    answer({ status: 500, code: 'internal_error' }),
    answer({ status: null, tookMs: 9 }),
  ]
  const { examples, ...figures } = answerFigures(heard, { fromMs: 0, toMs: 100 })
  assert.deepEqual(figures, {
    unfitAnswers: 1,
    unanswered: 1,
    repeated: { 'event 503 database_unavailable': 1, 'event 500 internal_error': 1, 'event unanswered': 1 },
    longestGapMs: { event: 90, write: 100, read: 100 },
    slowestAnswerMs: 9,
  })
  assert.equal(examples.length, 2)
})

const business = { index: 0, id: 'biz_1', apiKey: '', mark: 'mark', endpointId: '', secret: '' }
const endpoints = new Map<string, Endpoint>([
  ['quick', { id: 'whe_1', businessId: 'biz_1', ordering: 'best_effort' }],
  ['ordered', { id: 'whe_2', businessId: 'biz_1', ordering: 'per_end_user' }],
])

/** One end-user whose creation was told, and two events of the provider about another. */
function soundRun() {
  const own: JsonObject = {
    ...{ id: 'evt_0', eventType: 'end_user.created', source: 'causeway', providerEventId: null },
    payload: { data: { id: 'eu_1' } },
  }
  const sent = (place: number): JsonObject => ({
    ...{ id: `evt_${place + 1}`, eventType: 'test.happened', source: 'provider', providerEventId: `wh_${place}` },
    payload: {},
  })
  const lines = ['quick', 'ordered'].flatMap((endpoint) =>
    [null, 0, 1].flatMap((place, at) =>
      (['arrived', 'answered'] as const).map((what): ReceiverLine => {
        const eventId = place === null ? 'evt_0' : `wh_${place}`
        return { what, endpoint, eventId, endUser: 'ada', place, sequence: at + 1, atMs: at * 10 }
      }),
    ),
  )
  const user = { id: 'eu_1', externalUserId: 'bob', kycStatus: 'not_started', metadata: { mark: 'mark' } }
  const events = [own, sent(0), sent(1)]
  const evidence: Evidence = {
    businesses: [{ business, users: [user], accounts: [], deposits: [], events, deliveries: [] }],
    provider: { customers: [{ id: 'c1', client_reference_id: 'eu_1' }], accounts: [], events: [] },
  }
  return {
    fleet: { business, endpoints, lines },
    evidence,
    stuck: [] as string[],
    load: {
      heard: [answer(), answer({ what: 'write' })],
      acknowledgedEvents: ['wh_0', 'wh_1'],
      tally: { acknowledged: 1, repeated: new Map(), violations: [] as string[] },
      ledger: {
        users: [{ business: 0, id: 'eu_1', externalUserId: 'bob', isSubmitted: false }],
        accounts: [],
        asked: new Map(),
        pulled: new Map([[0, events.map(({ id }, at) => ({ id: String(id), position: at + 1 }))]]),
      },
      span: () => ({ fromMs: 0, toMs: 1_000 }),
    },
  }
}

function judgedAfter(change: (run: ReturnType<typeof soundRun>) => void) {
  const run = soundRun()
  change(run)
  const { examples: _, ...figures } = verdictOf(run.fleet, run.load, run.evidence, run.stuck)
  return figures
}

test('a run in which all is well has no fault', () => {
  const judged = judgedAfter(() => {})
  assert.deepEqual(faultsOf(judged), [])
  assert.equal(judged.acknowledged, 3)
  assert.deepEqual(judged.longestGapMs, { event: 900, write: 900, read: 1_000, delivery: 980 })
})

test('each kind of fault is seen, once', () => {
  const without = (wanted: (line: ReceiverLine) => boolean) => (run: ReturnType<typeof soundRun>) => {
    run.fleet.lines = run.fleet.lines.filter((line) => !wanted(line))
  }
  const copyOf = (run: ReturnType<typeof soundRun>, at: number): ReceiverLine => {
    const line = run.fleet.lines[at]
    assert.ok(line)
    return { ...line }
  }
  const user = { id: 'c2', client_reference_id: 'eu_1' }
  const faults: Record<string, [(run: ReturnType<typeof soundRun>) => void, Partial<ReturnType<typeof judgedAfter>>]> =
    {
      'an acknowledged event was never taken': [
        without(({ what, endpoint, eventId }) => what === 'answered' && endpoint === 'quick' && eventId === 'wh_1'),
        { lost: 1 },
      ],
      'an event of our own was never taken': [
        without(({ what, endpoint, eventId }) => what === 'answered' && endpoint === 'ordered' && eventId === 'evt_0'),
        { lost: 1 },
      ],
      'an acknowledged event is nowhere': [(run) => void run.load.acknowledgedEvents.push('wh_2'), { lost: 2 }],
      'an acknowledged end-user is not there': [
        (run) =>
          void run.load.ledger.users.push({ business: 0, id: 'eu_9', externalUserId: 'eve', isSubmitted: false }),
        { lost: 1 },
      ],
      'two customers upstream': [
        (run) => Object.assign(run.evidence.provider, { customers: [...run.evidence.provider.customers, user] }),
        { doubledUpstream: 1 },
      ],
      'taken twice': [(run) => void run.fleet.lines.push(copyOf(run, 3)), { duplicates: 1 }],
      'a number that two events bear': [
        (run) => void run.fleet.lines.push({ ...copyOf(run, 2), sequence: 1 }),
        { sequenceGaps: 1 },
      ],
      'overtaken where order is promised': [
        (run) => {
          const [first, second] = [run.fleet.lines.slice(8, 10), run.fleet.lines.slice(10, 12)]
          run.fleet.lines = [...run.fleet.lines.slice(0, 8), ...second, ...first]
        },
        { reordered: 1 },
      ],
      'work that never ended': [(run) => void run.stuck.push('operation op_1'), { stuck: 1 }],
      'a refusal nobody should get': [(run) => void run.load.tally.violations.push('422'), { broken: 1 }],
      'an event told twice': [
        (run) =>
          run.load.ledger.pulled.set(0, [...(run.load.ledger.pulled.get(0) ?? []), { id: 'evt_0', position: 1 }]),
        { broken: 1 },
      ],
      'an answer that says nothing': [(run) => void run.load.heard.push(answer({ status: 500 })), { unfitAnswers: 1 }],
      'no answer': [(run) => void run.load.heard.push(answer({ status: null })), { unanswered: 1 }],
      'nothing acknowledged': [
        (run) => {
          run.load.acknowledgedEvents = []
          run.load.tally.acknowledged = 0
        },
        { acknowledged: 0 },
      ],
    }
  for (const [name, [change, expected]] of Object.entries(faults)) {
    const judged = judgedAfter(change)
    assert.partialDeepStrictEqual(judged, expected, name)
    assert.equal(faultsOf(judged).length, 1, name)
  }
  const twice = judgedAfter((run) => void run.fleet.lines.push(copyOf(run, 3)))
  assert.deepEqual(faultsOf(twice, { duplicates: 1 }), [])
})

test('a program that lacks is named with its package; one that fails tells what it said', async () => {
  assert.throws(
    () => requireProgram('no-such-program', 'some-package'),
    (error) => {
      assert.ok(error instanceof MissingProgram)
      assert.equal(error.message, 'no-such-program is missing: apt-get install some-package')
      return true
    },
  )
  const file = process.execPath
  const complaint = { file, args: ['-e', 'console.error("it broke"); process.exit(3)'], asOurselves: true }
  await assert.rejects(runProgram(complaint), /it broke/)
})

test('a proof that a signal ends removes its files, though what it waited for breaks first', async () => {
  const programs = new URL('../src/rig/programs.ts', import.meta.url).href
  const proof = `
    import { mkdtempSync, rmSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    import { setTimeout as delay } from 'node:timers/promises'
    import { endOnSignals, runProof } from '${programs}'
    await runProof('proof', async () => {
      await using stack = new AsyncDisposableStack()
      endOnSignals(stack)
      const home = mkdtempSync(join(tmpdir(), 'causeway-proof-'))
      stack.defer(() => rmSync(home, { recursive: true }))
      const broken = Promise.withResolvers()
      stack.defer(async () => {
        broken.reject(new Error('the database went away'))
        await delay(100)
      })
      setTimeout(() => {}, 60_000)
      console.log(home)
      await broken.promise
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', proof], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const [said] = await once(child.stdout, 'data')
  const path = String(said).trim()
  assert.equal(existsSync(path), true)
  child.kill('SIGTERM')
  const [code] = await exited
  assert.equal(code, 143)
  assert.equal(existsSync(path), false)
})
