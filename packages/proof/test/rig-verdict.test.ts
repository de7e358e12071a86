// The verdict of the rig, tried on a ledger that is correct except for one entry: each change must produce the one finding.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readObserved, saveObserved } from '../src/rig/evidence/saved.ts'
import { type Acknowledged, type Answer, type Attempt, type Notes, openLedger } from '../src/rig/ledger.ts'
import { isFit } from '../src/rig/verdict/answers.ts'
import type { Expectation } from '../src/rig/verdict/expectation.ts'
import { firstAfterMs, longestGapMs, servingAfterMs } from '../src/rig/verdict/gaps.ts'
import type { Kind } from '../src/rig/verdict/observed.ts'
import { judge } from '../src/rig/verdict/verdict.ts'

type Json = Record<string, unknown>
type Business = ReturnType<typeof businessOf>
type World = {
  ledger: Omit<Notes, 'attempts'> & { attempts: Attempt[] }
  evidence: { businesses: Business[]; provider: { customers: Json[]; accounts: Json[]; events: Json[] } }
  stuck: string[]
  unexpected: string[]
}

const mark = (index: number): string => `mark${String(index).repeat(16)}`
const customerId = '0b5bb8d8-3d0c-4b6a-9b0a-111111111111'
const usd = (value: string): Json => ({ value, currency: 'usd' })

const answer = (change: Partial<Answer> = {}): Answer => ({
  what: 'event',
  call: 'POST /v0/webhooks/provider',
  replica: 'replica 1',
  atMs: 500,
  tookMs: 5,
  status: 200,
  code: null,
  hasRetryAfter: false,
  isRetryable: false,
  ...change,
})
const busy = { status: 503, code: 'database_unavailable', hasRetryAfter: true, isRetryable: true }

function businessOf(index: number) {
  const endpoints = (['best_effort', 'per_end_user'] as const).map((ordering) => {
    return { name: `${ordering}-${index}`, ordering, conduct: 'healthy' as const }
  })
  const rows = { users: [] as Json[], accounts: [] as Json[], deposits: [] as Json[], events: [] as Json[] }
  return { business: { index, id: `biz_${index}`, mark: mark(index), endpoints }, ...rows }
}

const own = (id: string, eventType: string, about: string): Json => {
  return { id, eventType, source: 'causeway', providerEventId: null, payload: { data: { id: about } } }
}
const told = (id: string): Json => {
  return { id, eventType: 'told', source: 'provider', providerEventId: `wh_${id}`, payload: {} }
}

/** One business with a user, an account, a completed deposit, and two events of the load; another with nothing. */
function soundWorld(): World {
  const first = businessOf(0)
  first.users.push({ id: 'eu_1', externalUserId: 'ada', kycStatus: 'approved', metadata: { mark: mark(0) } })
  first.accounts.push({ id: 'va_1', destinationAddress: 'wallet', status: 'active', developerFeePercent: '0.5' })
  first.deposits.push({
    ...{ id: 'dep_1', providerDepositId: 'd1', status: 'completed', grossAmount: usd('100.00') },
    ...{ developerFee: usd('0.50'), exchangeFee: usd('0.00'), subtotalAmount: usd('99.50') },
    ...{ gasFee: usd('0.00'), netAmount: usd('99.50') },
  })
  first.events.push(
    own('evt_1', 'end_user.created', 'eu_1'),
    own('evt_2', 'virtual_account.created', 'va_1'),
    told('evt_3'),
    told('evt_4'),
    own('evt_5', 'virtual_account.payment.received', 'dep_1'),
    told('evt_6'),
    told('evt_7'),
  )
  const attempts = first.business.endpoints.flatMap(({ name }) =>
    first.events.map((event, at): Attempt => {
      const eventId = String(event['providerEventId'] ?? event['id'])
      const place = at >= 5 ? at - 5 : null
      return {
        ...{ endpoint: name, eventId, webhookId: `${name} ${at}`, sequence: at + 1, endUser: 'ada', place },
        ...{ accepted: true, isVerified: true, isSigned: true, bodyHash: eventId },
        ...{ signedAtMs: 0, atMs: 100 + at * 100, tookMs: 10, names: [mark(0), 'eu_1'] },
      }
    }),
  )
  const paid = { initial_amount: '100.00', developer_fee: '0.5', exchange_fee: '0.0', subtotal_amount: '99.50' }
  const receipt = { ...paid, gas_fee: '0.0', final_amount: '99.50' }
  const step = (id: string, type: string, more: Json): Json => ({
    event_id: `wh_${id}`,
    event_category: 'virtual_account.activity',
    event_object: { customer_id: customerId, deposit_id: 'd1', type, ...more },
  })
  const event = (place: number): Acknowledged => {
    const eventId = `wh_evt_${place + 6}`
    return { kind: 'event', business: 0, eventId, endUser: 'ada', place, bodyHash: eventId }
  }
  return {
    ledger: {
      ...openLedger(),
      load: { fromMs: 0, toMs: 1_000 },
      answers: [answer(), answer({ what: 'write' }), answer({ what: 'read' }), answer(busy)],
      acknowledged: [
        { kind: 'end-user', business: 0, externalUserId: 'ada', id: 'eu_1', isSubmitted: true },
        { kind: 'request for an account', business: 0, externalUserId: 'ada', address: 'wallet' },
        { kind: 'account', business: 0, id: 'va_1', address: 'wallet', fee: '0.5', status: 'active' },
        event(0),
        event(1),
        { kind: 'repeat', key: 'k1', body: '{}' },
        { kind: 'repeat', key: 'k1', body: '{}' },
      ],
      attempts,
      pulled: new Map([[0, first.events.map(({ id }, at) => ({ id: String(id), position: at + 1 }))]]),
      checks: [100, 600].map((atMs) => ({ replica: 'replica 1', atMs, tookMs: 5, status: 200 })),
      recoveries: [{ name: 'room', tookMs: 100 }],
      counts: new Map([['replaced', 3]]),
    },
    evidence: {
      businesses: [first, businessOf(1)],
      provider: {
        customers: [{ id: customerId, client_reference_id: 'eu_1' }],
        accounts: [
          { id: 'pva_1', destination: { address: 'wallet' }, status: 'activated', developer_fee_percent: '0.50' },
        ],
        events: [
          step('evt_3', 'funds_received', { amount: '100.00' }),
          step('evt_4', 'payment_processed', { receipt }),
        ],
      },
    },
    stuck: [],
    unexpected: [],
  }
}

const bounds: Expectation = {
  gapMsMax: { event: 600, write: 600, read: 600, delivery: 400, ready: 600 },
  recoveryMsMax: 1_000,
  none: ['bad exits', 'readyz unanswered'],
  atLeast: { replaced: 3, refused: 1, deposits: 1 },
}

type Change = (world: World, first: Business, quick: Attempt[], ordered: Attempt[]) => void

function judgedAfter(change: Change, expect = bounds) {
  const world = structuredClone(soundWorld())
  const [first] = world.evidence.businesses
  assert.ok(first)
  const at = (name: string): Attempt[] => world.ledger.attempts.filter(({ endpoint }) => endpoint === name)
  change(world, first, at('best_effort-0'), at('per_end_user-0'))
  return judge(world, expect)
}

/** @returns the one that is there */
function only<T>(row: T | undefined): T {
  assert.ok(row)
  return row
}
const edit = (row: object | undefined, change: object): void => void Object.assign(only(row), change)
const without = ({ ledger }: World, attempt: Attempt | undefined): void => {
  ledger.attempts = ledger.attempts.filter((one) => one !== attempt)
}
const again = ({ ledger }: World, attempt: Attempt | undefined, change: Partial<Attempt> = {}): void =>
  void ledger.attempts.push({ ...only(attempt), ...change })

const harm: Record<string, [Kind, Change]> = {
  'an end-user is gone': [
    'lost',
    ({ ledger }) =>
      ledger.acknowledged.push({ kind: 'end-user', business: 0, id: null, externalUserId: 'bob', isSubmitted: false }),
  ],
  'an end-user has another ID than was told': ['lost', ({ ledger }) => edit(ledger.acknowledged[0], { id: 'eu_9' })],
  'an end-user has the metadata of another': [
    'broken',
    (_, { users }) => edit(users[0], { metadata: { mark: 'nobody' } }),
  ],
  'a submission led nowhere': ['lost', (_, { users }) => edit(users[0], { kycStatus: 'not_started' })],
  'an end-user has two customers': [
    'doubled',
    ({ evidence }) => evidence.provider.customers.push({ id: 'c2', client_reference_id: 'eu_1' }),
  ],
  'a request made two accounts upstream': [
    'doubled',
    ({ evidence }) => evidence.provider.accounts.push({ ...evidence.provider.accounts[0], id: 'pva_2' }),
  ],
  'an account has another status than was told': [
    'lost',
    ({ ledger }) => edit(ledger.acknowledged[2], { status: 'deactivated' }),
  ],
  'an account is not open upstream': ['lost', ({ evidence }) => evidence.provider.accounts.pop()],
  'an account is stopped upstream only': [
    'broken',
    ({ evidence }) => edit(evidence.provider.accounts[0], { status: 'deactivated' }),
  ],
  'nobody asked for an account': [
    'broken',
    ({ evidence }) => evidence.provider.accounts.push({ id: 'pva_2', destination: { address: 'other' } }),
  ],
  'a deposit has another amount': ['broken', (_, { deposits }) => edit(deposits[0], { netAmount: usd('0.10') })],
  'a deposit is here twice': [
    'doubled',
    (_, { deposits }) => deposits.push({ ...deposits[0], id: 'dep_2', status: 'received' }),
  ],
  'a deposit is not at the bank': [
    'broken',
    (_, { deposits }) => deposits.push({ id: 'dep_2', providerDepositId: 'd2', status: 'received' }),
  ],
  'an acknowledged event is nowhere': [
    'lost',
    ({ ledger }) => ledger.acknowledged.push({ ...only(ledger.acknowledged[3]), eventId: 'wh_evt_9' } as Acknowledged),
  ],
  'an event is about nobody': [
    'broken',
    ({ evidence }) => evidence.provider.events.push({ event_id: 'wh_evt_9', event_object: { id: 'c9' } }),
  ],
  'an event of Causeway was never told': [
    'lost',
    (_, { events }) => edit(events[0], { eventType: 'end_user.updated' }),
  ],
  'an event of Causeway was told twice': [
    'doubled',
    (_, { events }) =>
      edit(events[5], { source: 'causeway', eventType: 'end_user.created', payload: { data: { id: 'eu_1' } } }),
  ],
  'an event was not pulled': ['lost', ({ ledger }) => ledger.pulled.get(0)?.pop()],
  'an event was pulled twice': ['broken', ({ ledger }) => ledger.pulled.get(0)?.push({ id: 'evt_7', position: 7 })],
  'an event was never accepted': ['lost', (_, __, quick) => edit(quick[6], { accepted: false })],
  'an event was accepted twice': ['duplicate', (world, _, quick) => again(world, quick[0])],
  'a delivery does not verify': ['broken', (_, __, quick) => edit(quick[0], { isSigned: false, isVerified: false })],
  'a delivery was signed for another time': ['broken', (_, __, quick) => edit(quick[0], { isVerified: false })],
  'an event was delivered with two bodies': [
    'broken',
    (world, _, quick) => again(world, quick[0], { accepted: false, bodyHash: 'other' }),
  ],
  'an event was not forwarded as it was sent': ['broken', (_, __, quick) => edit(quick[5], { bodyHash: 'other' })],
  'an event has two webhook-ids': [
    'broken',
    (world, _, quick) => again(world, quick[0], { accepted: false, webhookId: 'other' }),
  ],
  'a number was left out': ['gap', (_, __, quick) => edit(quick[6], { sequence: 8 })],
  'two events have one number': ['gap', (_, __, quick) => edit(quick[6], { sequence: 6 })],
  'a business got an event that it cannot read': [
    'foreign',
    (world, _, quick) => again(world, quick[6], { eventId: 'wh_x', webhookId: 'x', sequence: 8 }),
  ],
  'a delivery went where nobody expects one': [
    'foreign',
    (world, _, quick) => again(world, quick[0], { endpoint: 'x' }),
  ],
  'an event overtook an earlier one of the load': [
    'reordered',
    (_, __, ___, ordered) => edit(ordered[6], { atMs: 605 }),
  ],
  'an event overtook an earlier one of Causeway': [
    'reordered',
    (_, __, ___, ordered) => edit(ordered[1], { atMs: 105 }),
  ],
  'an event overtook a failed attempt': [
    'reordered',
    (world, _, __, ordered) => {
      again(world, ordered[2], { atMs: 299, accepted: false })
      edit(ordered[2], { atMs: 350, tookMs: 60 })
    },
  ],
  'numbers do not follow the order of acknowledgement': [
    'reordered',
    (_, __, ___, ordered) => {
      edit(ordered[5], { place: 1 })
      edit(ordered[6], { place: 0 })
    },
  ],
  'a repeat got another response': [
    'broken',
    ({ ledger }) => ledger.acknowledged.push({ kind: 'repeat', key: 'k1', body: '{"id":"eu_2"}' }),
  ],
  'a response says nothing': ['unfit', ({ ledger }) => ledger.answers.push(answer({ status: 500 }))],
  'an event was refused': ['unfit', ({ ledger }) => ledger.answers.push(answer({ status: 401 }))],
  'a request got no response': ['unanswered', ({ ledger }) => ledger.answers.push(answer({ status: null }))],
  'a caller got a refusal that nobody should get': [
    'broken',
    ({ ledger }) => ledger.complaints.push({ kind: 'broken', text: '422' }),
  ],
  'work never ended': ['stuck', ({ stuck }) => stuck.push('operation op_1')],
  'a replica logged an unexpected error': ['broken', ({ unexpected }) => unexpected.push('TypeError')],
  'there were no events for too long': ['too slow', ({ ledger }) => edit(ledger.answers[0], { atMs: 300 })],
  'a replica was not ready for too long': ['too slow', ({ ledger }) => edit(ledger.checks[1], { status: 503 })],
  'nothing was delivered for too long': [
    'too slow',
    ({ ledger }) => {
      ledger.load.toMs = 1_050
      for (const attempt of ledger.attempts) attempt.atMs -= 51
    },
  ],
  'a recovery took too long': ['too slow', ({ ledger }) => ledger.recoveries.push({ name: 'room', tookMs: 1_001 })],
  'a recovery never came': ['too slow', ({ ledger }) => ledger.recoveries.push({ name: 'room', tookMs: null })],
  'a delivery names another business': ['foreign', (_, __, quick) => edit(quick[0], { names: [mark(1)] })],
  'a delivery has identity data': ['foreign', (_, __, quick) => edit(quick[0], { names: ['ZqCanary'] })],
  'a row names another business': ['foreign', (_, { users }) => edit(users[0], { note: mark(1) })],
}

test('a ledger in which all is well has no finding and no fault', () => {
  const { findings, faults, figures } = judgedAfter(() => {})
  assert.deepEqual([findings, faults], [[], []])
  assert.partialDeepStrictEqual(figures, { answers: 4, acknowledged: 2, refused: 1, lost: 0, deliveries: 14 })
})

for (const [what, [kind, change]] of Object.entries(harm))
  test(`found when ${what}`, () => {
    const { findings, faults } = judgedAfter(change)
    assert.deepEqual(
      findings.map((finding) => finding.kind),
      [kind],
      JSON.stringify(findings),
    )
    assert.equal(faults.length, 1)
  })

test('counts that must stay zero, and counts without which a run proves nothing, fail it', () => {
  const faultsAfter = (change: Change): number => judgedAfter(change).faults.length
  assert.equal(
    faultsAfter(({ ledger }) => ledger.counts.set('bad exits', 1)),
    1,
  )
  assert.equal(
    faultsAfter(({ ledger }) => ledger.counts.set('replaced', 2)),
    1,
  )
  assert.equal(
    faultsAfter(({ ledger }) => void ledger.answers.pop()),
    1,
  )
  assert.equal(
    faultsAfter(({ ledger }) => ledger.checks.push({ replica: 'r', atMs: 500, tookMs: 9, status: null })),
    2,
  )
  assert.equal(judgedAfter(({ ledger }) => void ledger.answers.splice(0), {}).faults.length, 1)
})

test('what an expectation allows or explains is no fault', () => {
  const faultsAfter = (change: Change, expect: Expectation): number => judgedAfter(change, expect).faults.length
  assert.equal(
    faultsAfter((world, _, quick) => again(world, quick[0]), { allow: { duplicate: 1 } }),
    0,
  )
  assert.equal(
    faultsAfter(({ ledger }) => ledger.answers.push(answer({ status: null })), { allow: { unanswered: 1 } }),
    0,
  )
  const stale: Change = ({ ledger }) => ledger.answers.push(answer({ status: 400 }))
  assert.equal(faultsAfter(stale, { explains: ({ status }) => status === 400 }), 0)
  const late: Change = (_, __, quick) => edit(quick[0], { isVerified: false, signedAtMs: 600_000 })
  assert.deepEqual(
    [faultsAfter(late, { signedOffMsMax: 600_000 }), faultsAfter(late, { signedOffMsMax: 1_000 })],
    [0, 1],
  )
  const silent: Change = ({ evidence }) => void Object.assign(evidence, { provider: null })
  assert.equal(faultsAfter(silent, {}), 0)
})

test('a receiver that never accepts need not get anything', () => {
  const hostile: Change = (world, { business }, quick) => {
    edit(business.endpoints[0], { conduct: 'never-read' })
    for (const attempt of quick) without(world, attempt)
  }
  assert.deepEqual(judgedAfter(hostile).faults, [])
})

test('what could not be read is stuck, and nothing of it is called lost or foreign', () => {
  const unread: Change = ({ stuck }, first) => {
    Object.assign(first, { unread: true, users: [], accounts: [], deposits: [], events: [] })
    stuck.push('GET /v0/end-users had no final response')
  }
  assert.deepEqual(
    judgedAfter(unread).findings.map(({ kind }) => kind),
    ['stuck'],
  )
})

test('a saved run is judged as it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-judge-'))
  try {
    const world = soundWorld()
    world.stuck.push('operation op_1')
    const file = join(folder, 'run.jsonl')
    await saveObserved(file, world, bounds)
    const { observed, expect } = await readObserved(file)
    assert.deepEqual(judge(observed, expect), judge(world, bounds))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an answer is fit when it is the result, a final refusal, or says when to come back', () => {
  for (const fit of [{}, busy, { what: 'write', status: 409 } as const]) assert.equal(isFit(answer(fit)), true)
  for (const unfit of [
    { ...busy, hasRetryAfter: false },
    { ...busy, isRetryable: false },
    { status: 500, hasRetryAfter: true, isRetryable: true },
    { status: 302 },
    { status: 400 },
    { status: null },
  ])
    assert.equal(isFit(answer(unfit)), false, JSON.stringify(unfit))
})

test('the longest gap counts the ends of the span, and nothing outside of it', () => {
  const span = { fromMs: 0, toMs: 100 }
  const gaps = [[], [90, 10, 50], [60], [10, 20], [-5, 50, 500]].map((times) => longestGapMs(times, span))
  assert.deepEqual(gaps, [100, 40, 60, 80, 50])
  assert.deepEqual([firstAfterMs([10, 90, 40], 30), firstAfterMs([10], 30)], [10, null])
})

test('a load serves again once each kind of call that began afterwards succeeded', () => {
  const ledger = { ...openLedger(), answers: [answer({ atMs: 110, tookMs: 5 }), answer({ what: 'write', atMs: 150 })] }
  assert.equal(servingAfterMs(ledger, 100), 50)
  assert.equal(servingAfterMs(ledger, 108), null)
})
