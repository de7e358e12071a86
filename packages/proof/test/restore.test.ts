// The verdict of a restore, tried on records that are wrong in one way each: it must see it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiverLine } from '../src/chaos-relay/receivers.ts'
import type { HandedOut } from '../src/restore/record.ts'
import { faultsOf, judgeRestore, type RestoreReport, type Seen } from '../src/restore/verdict.ts'

const skip = 1_000

function handedOut(change: Partial<HandedOut>): HandedOut {
  return {
    positions: new Map([[1, 'evt_1']]),
    eventIds: new Set(['evt_1']),
    sequences: new Map([['whe_1', 1]]),
    lastPosition: 1,
    providerEventIds: new Set(['wh_1']),
    wireIds: new Set(['wh_1']),
    externalUserIds: new Set(['ada']),
    customers: new Map([['eu_1', 'cust_1']]),
    accounts: new Map([['va_1', { fee: '1.10', status: 'active' }]]),
    deposits: new Set(['dep_1']),
    held: 0,
    ...change,
  }
}

const line = (sequence: number, eventId: string): ReceiverLine => ({
  ...{ what: 'answered', endpoint: 'quick', eventId, endUser: 'ada', place: null, sequence, atMs: 0 },
})

/** The event `wh_2` came in the gap, and is read again afterwards. */
function seenWith(change: Partial<Seen> = {}, settled: Partial<HandedOut> = {}): Seen {
  const deposit = { deposit_id: 'dep_1', virtual_account_id: 'va_1' }
  return {
    acknowledgedBefore: ['wh_1'],
    lost: handedOut({
      positions: new Map([
        [1, 'evt_1'],
        [2, 'evt_2'],
      ]),
      eventIds: new Set(['evt_1', 'evt_2']),
      sequences: new Map([['whe_1', 2]]),
      lastPosition: 2,
      externalUserIds: new Set(['ada', 'grace']),
    }),
    restored: handedOut({}),
    settled: handedOut({
      positions: new Map([
        [1, 'evt_1'],
        [1 + skip + 1, 'evt_3'],
      ]),
      eventIds: new Set(['evt_1', 'evt_3']),
      sequences: new Map([['whe_1', 1 + skip + 1]]),
      lastPosition: 1 + skip + 1,
      providerEventIds: new Set(['wh_1', 'wh_2']),
      wireIds: new Set(['wh_1', 'wh_2']),
      ...settled,
    }),
    provider: {
      customers: [{ id: 'cust_1', client_reference_id: 'eu_1' }],
      accounts: [{ id: 'va_1', status: 'activated', developer_fee_percent: '1.1' }],
      events: [
        { event_id: 'wh_1', event_category: 'virtual_account.activity', event_object: deposit },
        { event_id: 'wh_2', event_category: 'customer', event_object: {} },
      ],
    },
    lines: [line(1, 'wh_1'), line(2, 'wh_2'), line(1 + skip + 1, 'wh_2')],
    ...change,
  }
}

const told: Omit<RestoreReport, keyof ReturnType<typeof judgeRestore>> = {
  ...{ firstDeliveryMs: 900, settledMs: 2_000, stuck: 0, readersTold: 1, keysEnded: 2, keysStillOpen: 0 },
  ...{ auditFaults: 0, auditGapNamed: 1, dumpRowsDiffering: 0, dumpRequestsServed: 4, dumpRefusedToOwner: 1 },
}
const clean: RestoreReport = { ...judgeRestore(seenWith()), ...told }

test('a run in which every promise held has no fault, and tells what the gap took', () => {
  assert.deepEqual(faultsOf(clean), [])
  const { eventsOfGap, endUsersOfGap, skipped, deliveredAgain } = clean
  assert.deepEqual([eventsOfGap, endUsersOfGap, skipped, deliveredAgain], [1, 1, skip, 1])
})

const wrong: readonly [name: keyof RestoreReport, seen: Seen][] = [
  ['lostBefore', seenWith({ restored: handedOut({ providerEventIds: new Set() }) })],
  ['missingOfRecord', seenWith({}, { providerEventIds: new Set(['wh_1']), wireIds: new Set(['wh_1']) })],
  ['sequencesReused', seenWith({ lines: [line(1, 'wh_1'), line(2, 'wh_2'), line(2, 'wh_3')] })],
  [
    'positionsReused',
    seenWith(
      {},
      {
        positions: new Map([
          [1, 'evt_1'],
          [2, 'evt_3'],
        ]),
      },
    ),
  ],
  ['idsReused', seenWith({}, { eventIds: new Set(['evt_1', 'evt_2']) })],
  ['accountsDiffering', seenWith({}, { accounts: new Map([['va_1', { fee: '1.2', status: 'active' }]]) })],
  ['accountsDiffering', seenWith({}, { accounts: new Map([['va_1', { fee: '1.1', status: 'deactivated' }]]) })],
  ['customersNotAdopted', seenWith({}, { customers: new Map([['eu_1', null]]) })],
  ['depositsMissing', seenWith({}, { deposits: new Set() })],
  ['undelivered', seenWith({ lines: [line(1, 'wh_1')] })],
]

for (const [name, seen] of wrong) {
  test(`a record that is wrong is one fault: ${name}`, () => {
    const figures = judgeRestore(seen)
    assert.equal(figures[name as keyof typeof figures], 1)
    assert.equal(faultsOf({ ...figures, ...told }).length, 1)
  })
}

const broken: readonly Partial<RestoreReport>[] = [
  { acknowledgedBefore: 0 },
  { eventsOfGap: 0 },
  { endUsersOfGap: 0 },
  { skipped: -1 },
  { readersTold: 0 },
  { keysEnded: 0 },
  { keysStillOpen: 1 },
  { stuck: 1 },
  { firstDeliveryMs: 30_001 },
  { auditFaults: 1 },
  { auditGapNamed: 0 },
  { dumpRowsDiffering: 1 },
  { dumpRequestsServed: 0 },
  { dumpRefusedToOwner: 0 },
]

for (const fault of broken) {
  test(`one fault is named for ${JSON.stringify(fault)}`, () => {
    assert.equal(faultsOf({ ...clean, ...fault }).length, 1)
  })
}
