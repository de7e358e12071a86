// The verdict of a chaos run, tried on evidence in which something is wrong: it must see each fault, and none where there is
// none. And its schedule: the same for the same seed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../server/src/platform/values/json.ts'
import type { Ledger } from '../src/chaos/ledger.ts'
import { scheduleOf } from '../src/chaos/schedule.ts'
import type { BusinessEvidence, Delivery, Evidence } from '../src/chaos/verdict/evidence.ts'
import { faultsOf, judge } from '../src/chaos/verdict/verdict.ts'

const mark = (index: number): string => `mark${String(index).repeat(16)}`
const customerId = '0b5bb8d8-3d0c-4b6a-9b0a-111111111111'

const tenCents = { value: '0.10', currency: 'usd' }

type World = { evidence: Evidence; ledger: Ledger }

/** One business with a user, an account, a completed deposit; another with nothing. */
function soundWorld(): World {
  const user = { id: 'eu_1', externalUserId: 'ada', kycStatus: 'approved', metadata: { mark: mark(0) } }
  const account = { id: 'va_1', destinationAddress: 'wallet', status: 'active', developerFeePercent: '0.5' }
  const amounts = {
    grossAmount: { value: '100.00', currency: 'usd' },
    developerFee: { value: '0.50', currency: 'usd' },
    exchangeFee: { value: '0.00', currency: 'usd' },
    subtotalAmount: { value: '99.50', currency: 'usd' },
    gasFee: { value: '0.00', currency: 'usdc' },
    netAmount: { value: '99.50', currency: 'usdc' },
  }
  const deposit = { id: 'dep_1', providerDepositId: 'd1', status: 'completed', ...amounts }
  const own = (id: string, type: string, about: string): JsonObject => ({
    id,
    eventType: type,
    source: 'causeway',
    providerEventId: null,
    payload: { data: { id: about } },
  })
  const told = (id: string, type: string): JsonObject => ({
    id,
    eventType: type,
    source: 'provider',
    providerEventId: `wh_${id}`,
    payload: {},
  })
  const events = [
    own('evt_1', 'end_user.created', 'eu_1'),
    own('evt_2', 'virtual_account.created', 'va_1'),
    told('evt_3', 'virtual_account.activity.created'),
    told('evt_4', 'virtual_account.activity.created'),
    own('evt_5', 'virtual_account.payment.received', 'dep_1'),
  ]
  const deliveries = events.map((event, at): Delivery => {
    const eventId = String(event['providerEventId'] ?? event['id'])
    return {
      eventId,
      sequence: at + 1,
      webhookId: `msg_${at}`,
      body: `{"event_id":"${eventId}"}`,
      answered: true,
      isVerified: true,
    }
  })
  const receipt = {
    initial_amount: '100.00',
    developer_fee: '0.5',
    exchange_fee: '0.0',
    subtotal_amount: '99.50',
    gas_fee: '0.0',
    final_amount: '99.50',
  }
  const step = (id: string, type: string, more: JsonObject): JsonObject => ({
    event_id: `wh_${id}`,
    event_category: 'virtual_account.activity',
    event_object: { customer_id: customerId, deposit_id: 'd1', type, ...more },
  })
  const business = (index: number) => ({ index, id: `biz_${index}`, mark: mark(index), endpointId: `whe_${index}` })
  const nothing = { users: [], accounts: [], deposits: [], events: [], deliveries: [] }
  return {
    evidence: {
      businesses: [
        { business: business(0), users: [user], accounts: [account], deposits: [deposit], events, deliveries },
        { business: business(1), ...nothing },
      ],
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
    ledger: {
      users: [{ business: 0, id: 'eu_1', externalUserId: 'ada', isSubmitted: true }],
      accounts: [{ business: 0, id: 'va_1', address: 'wallet', fee: '0.5', status: 'active' }],
      asked: new Map([['wallet', { business: 0, externalUserId: 'ada' }]]),
      pulled: new Map([[0, events.map(({ id }, at) => ({ id: String(id), position: at + 1 }))]]),
    },
  }
}

type Counts = { lost: number; doubled: number; duplicates: number; broken: number }

/** What is found once this has been done to the sound world. */
function foundAfter(change: (world: World, first: BusinessEvidence) => void): Counts {
  const world = structuredClone(soundWorld())
  const first = world.evidence.businesses[0]
  assert.ok(first)
  change(world, first)
  const { lost, doubled, duplicates, broken } = judge(world.evidence, world.ledger).findings
  return { lost: lost.length, doubled: doubled.length, duplicates, broken: broken.length }
}

const clean: Counts = { lost: 0, doubled: 0, duplicates: 0, broken: 0 }
const edit = (row: JsonObject | undefined, change: JsonObject) => Object.assign(row ?? {}, change)
const last = <T>(rows: readonly T[]): T[] => rows as T[]

const harm: Record<string, [(world: World, first: BusinessEvidence) => void, Partial<Counts>]> = {
  'nothing is wrong': [() => {}, {}],
  'an end-user is gone': [
    ({ ledger }) => ledger.users.push({ business: 0, id: 'eu_2', externalUserId: 'bob', isSubmitted: false }),
    { lost: 1 },
  ],
  'an end-user has another id': [(_, { users }) => edit(last(users)[0], { id: 'eu_9' }), { lost: 2, broken: 4 }],
  'a submission led nowhere': [(_, { users }) => edit(last(users)[0], { kycStatus: 'not_started' }), { lost: 1 }],
  'an end-user has two customers': [
    ({ evidence }) => last(evidence.provider.customers).push({ id: 'c2', client_reference_id: 'eu_1' }),
    { doubled: 1 },
  ],
  'a request made two accounts upstream': [
    ({ evidence }) => last(evidence.provider.accounts).push({ ...evidence.provider.accounts[0], id: 'pva_2' }),
    { doubled: 1 },
  ],
  'an account says something else than it did': [
    (_, { accounts }) => edit(last(accounts)[0], { developerFeePercent: '0.7' }),
    { lost: 1, broken: 1 },
  ],
  'an account is not open upstream': [({ evidence }) => last(evidence.provider.accounts).pop(), { lost: 1 }],
  'an account is stopped here only': [
    ({ ledger }, { accounts }) => {
      edit(last(accounts)[0], { status: 'deactivated' })
      edit(ledger.accounts[0], { status: 'deactivated' })
    },
    { broken: 1 },
  ],
  'an event of the provider is not here': [
    ({ ledger }, { events, deliveries }) => {
      last(events).splice(2, 1)
      ledger.pulled.get(0)?.splice(2, 3)
      last(deliveries).splice(2, 1)
    },
    { lost: 3, broken: 1 },
  ],
  'an event was never delivered': [(_, { deliveries }) => last(deliveries).pop(), { lost: 1 }],
  'a number was left out': [(_, { deliveries }) => last(deliveries).splice(1, 1), { lost: 1, broken: 1 }],
  'a delivery came twice': [
    (_, { deliveries }) => {
      const [one] = deliveries
      if (one) last(deliveries).push(one)
    },
    { duplicates: 1 },
  ],
  'a delivery does not verify': [
    (_, { deliveries }) => {
      const [one] = deliveries
      if (one) one.isVerified = false
    },
    { lost: 1, broken: 1 },
  ],
  'an event of ours was not told': [
    ({ ledger }, { events, deliveries }) => {
      last(events).pop()
      last(deliveries).pop()
      ledger.pulled.get(0)?.pop()
    },
    { lost: 1 },
  ],
  'an event was not pulled': [({ ledger }) => ledger.pulled.get(0)?.pop(), { lost: 1 }],
  'a deposit is not here': [(_, { deposits }) => last(deposits).pop(), { lost: 1 }],
  'a deposit does not add up': [(_, { deposits }) => edit(last(deposits)[0], { exchangeFee: tenCents }), { broken: 2 }],
  'a deposit has another amount': [
    (_, { deposits }) => edit(last(deposits)[0], { netAmount: tenCents }),
    { broken: 2 },
  ],
  'a business sees the mark of another': [
    (_, { deliveries }) => {
      const [one] = deliveries
      if (one) one.body += mark(1)
    },
    { broken: 1 },
  ],
}

for (const [what, [change, expected]] of Object.entries(harm))
  test(`found when ${what}`, () => assert.deepEqual(foundAfter(change), { ...clean, ...expected }))

test('each figure that may fail a run does', () => {
  const figures = {
    kills: 2,
    faults: 1,
    acknowledged: 9,
    lost: 0,
    doubledUpstream: 0,
    stuck: 0,
    duplicates: 12,
    broken: 0,
    endUsers: 1,
    accounts: 1,
    deposits: 1,
    events: 1,
  }
  assert.deepEqual(faultsOf(figures), [])
  const wrong = [
    { lost: 1 },
    { doubledUpstream: 1 },
    { stuck: 1 },
    { duplicates: 13 },
    { kills: 50, duplicates: 51 },
    { broken: 1 },
    { acknowledged: 0 },
    { deposits: 0 },
  ]
  for (const one of wrong) assert.equal(faultsOf({ ...figures, ...one }).length, 1, JSON.stringify(one))
})

test('the same seed is the same schedule, with as many kills as were asked for', () => {
  const plan = { kills: 50, replicas: 3, seed: 4, gapMs: 1_000 }
  assert.deepEqual(scheduleOf(plan), scheduleOf(plan))
  assert.notDeepEqual(scheduleOf(plan), scheduleOf({ ...plan, seed: 5 }))
  assert.equal(scheduleOf(plan).filter(({ what }) => what === 'kill').length, 50)
})
