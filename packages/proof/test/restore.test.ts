// The verdict of a restore, tried on a run that is correct except for one fact: the verdict must name it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOneRun, judgeRestore, restoreFigures, type Seen } from '../src/faults/restore/verdict.ts'
import { type Attempt, openLedger } from '../src/rig/ledger.ts'
import type { Observed } from '../src/rig/verdict/observed.ts'
import { judge } from '../src/rig/verdict/verdict.ts'

const skip = 1_000
const endpoint = 'b0-e0-best_effort'
const pointMs = Date.parse('2026-01-01T00:00:00Z')

const attempt = (sequence: number, eventId: string): Attempt => ({
  ...{ endpoint, eventId, webhookId: `${eventId} ${sequence}`, sequence, endUser: '', place: null, accepted: true },
  ...{ isVerified: true, isSigned: true, bodyHash: eventId, signedAtMs: 0, atMs: 0, tookMs: 0, names: [] },
})
const customerEvent = (id: string) => ({ event_id: id, event_category: 'customer', event_object: { id: 'cust_1' } })
const stored = (position: number, id: string, providerEventId: string) => ({ id, position, providerEventId })

function observedWith(
  events: readonly ReturnType<typeof stored>[],
  users: readonly object[],
  attempts: readonly Attempt[],
): Observed {
  const endpoints = [{ name: endpoint, ordering: 'best_effort', conduct: 'healthy' }] as const
  const business = { index: 0, id: 'biz_1', mark: 'mark', endpoints }
  const customers = [{ id: 'cust_1', client_reference_id: 'eu_1' }]
  const provider = { customers, accounts: [], events: [customerEvent('wh_1'), customerEvent('wh_2')] }
  const created = {
    id: 'evt_0',
    position: 0,
    source: 'causeway',
    eventType: 'end_user.created',
    payload: { data: { id: 'eu_1' } },
  }
  return {
    ledger: { ...openLedger(attempts), pulled: new Map() },
    evidence: {
      businesses: [{ business, users: users as never, accounts: [], deposits: [], events: [created, ...events] }],
      provider,
    },
    stuck: [],
    unexpected: [],
  }
}

const ada = { id: 'eu_1', externalUserId: 'ada', providerCustomerId: 'cust_1' }
const grace = { id: 'eu_2', externalUserId: 'grace', providerCustomerId: null }

/** `wh_2` and grace came in the gap; `wh_2` is read again and delivered under a new number. */
function seenWith(
  change: Partial<Seen> = {},
  after: Partial<{ second: ReturnType<typeof stored>; delivered: Attempt }> = {},
): Seen {
  const first = stored(1, 'evt_1', 'wh_1')
  const second = after.second ?? stored(2 + skip, 'evt_3', 'wh_2')
  const numbers = (sequence: number, position: number) => ({ sequences: new Map([[endpoint, sequence]]), position })
  return {
    before: observedWith(
      [first, stored(2, 'evt_2', 'wh_2')],
      [ada, grace],
      [attempt(1, 'evt_0'), attempt(2, 'wh_1'), attempt(3, 'wh_2')],
    ),
    acknowledgedBefore: 0,
    pointMs,
    restored: numbers(2, 1),
    moved: numbers(2 + skip, 1 + skip),
    after: observedWith([first, second], [ada], [after.delivered ?? attempt(3 + skip, 'wh_2')]),
    held: [],
    ...change,
  }
}

/** An account was asked for before the point in time, and the provider opened these. */
function withAccounts(...opened: readonly { id: string; address: string }[]): Seen {
  const seen = seenWith()
  const request = {
    kind: 'request for an account',
    business: 0,
    externalUserId: 'ada',
    address: 'asked before',
  } as const
  const { evidence, ledger } = seen.after
  const [business] = evidence.businesses
  if (!business || !evidence.provider) throw new Error('the run has no business')
  const accounts = opened.map(({ id, address }) => {
    return { id, destination: { address }, created_at: new Date(pointMs).toISOString() }
  })
  const known = { ...business, accounts: [{ id: 'va_1', destinationAddress: 'asked before' }] }
  const after = {
    ...seen.after,
    ledger: { ...ledger, acknowledged: [request] },
    evidence: { businesses: [known], provider: { ...evidence.provider, accounts } },
  }
  const load = { fromMs: pointMs, toMs: pointMs }
  return { ...seen, before: { ...seen.before, ledger: { ...seen.before.ledger, load } }, after }
}

const findingsOf = (seen: Seen): string[] =>
  judge(asOneRun(seen), { also: () => judgeRestore(seen) }).findings.map(({ kind }) => kind)

test('a run in which every promise held has no finding, and shows what the gap took', () => {
  assert.deepEqual(findingsOf(seenWith()), [])
  const { eventsOfGap, endUsersOfGap, skipped, deliveredAgain } = restoreFigures(seenWith())
  assert.deepEqual([eventsOfGap, endUsersOfGap, skipped, deliveredAgain], [1, 1, skip, 1])
})

test('an account opened in the gap is unknown, and one asked for before is found again', () => {
  const seen = withAccounts({ id: 'a', address: 'asked before' }, { id: 'b', address: 'asked since' })
  assert.deepEqual(findingsOf(seen), [])
  const { accountsFoundAgain, accountsUnknown } = restoreFigures(seen)
  assert.deepEqual([accountsFoundAgain, accountsUnknown], [1, 1])
})

const wrong: readonly [name: string, seen: Seen, kind: string][] = [
  ['a number given to two events', seenWith({}, { delivered: attempt(2, 'wh_2') }), 'doubled'],
  ['a position given to two events', seenWith({}, { second: stored(2, 'evt_3', 'wh_2') }), 'doubled'],
  ['an ID given to two events', seenWith({}, { second: stored(2 + skip, 'evt_2', 'wh_9') }), 'doubled'],
  ['an event that never arrived', seenWith({}, { delivered: attempt(3 + skip, 'wh_1') }), 'lost'],
  [
    'an account opened a second time',
    withAccounts({ id: 'a', address: 'asked before' }, { id: 'b', address: 'asked before' }),
    'doubled',
  ],
  ['a held event about a known end-user', seenWith({ held: ['wh_2'] }), 'stuck'],
  [
    'an event delivered before the point in time and again',
    seenWith({}, { delivered: attempt(3 + skip, 'wh_1') }),
    'broken',
  ],
]

for (const [name, seen, kind] of wrong) {
  test(`${name} is found`, () => {
    assert.ok(findingsOf(seen).includes(kind), JSON.stringify(findingsOf(seen)))
  })
}
