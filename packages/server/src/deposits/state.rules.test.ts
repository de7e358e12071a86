// Tests that a deposit depends on its activities and never on the order or number of reports.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DepositActivity } from '../provider/activity.ts'
import {
  advance,
  type DepositState,
  type DepositStatus,
  depositTimeline,
  isDepositActivity,
  referencesAndHashes,
  shownDeposit,
} from './state.rules.ts'

const knownTypes = [
  'funds_scheduled',
  'funds_received',
  'in_review',
  'payment_submitted',
  'payment_processed',
  'microdeposit',
  'refund_in_flight',
  'refund_failed',
  'refund',
]
const noReferences = {
  traceNumber: null,
  trackingNumber: null,
  imad: null,
  endToEndId: null,
  uetr: null,
  omad: null,
}
const noReceipt: DepositActivity['receipt'] = {
  initial: null,
  developerFee: null,
  exchangeFee: null,
  preConversionSubtotal: null,
  converted: null,
  subtotal: null,
  gasFee: null,
  final: null,
  exchangeRate: null,
}
const noDollars = { developerFee: null, exchangeFee: null, subtotal: null, gasFee: null }
const route = { sourceCurrency: 'usd', destinationCurrency: 'usdc' }

function activity(type: string, minute: number, told: Partial<DepositActivity> = {}): DepositActivity {
  const occurredAtMs = Date.UTC(2026, 0, 5, 12, minute)
  return {
    id: `${type}-${minute}`,
    type,
    occurredAtMs,
    reportedAtMs: occurredAtMs,
    amount: null,
    currency: null,
    dollars: noDollars,
    receipt: noReceipt,
    destinationTxHash: null,
    destinationPaymentRail: null,
    paymentRail: null,
    senderName: null,
    senderBic: null,
    senderBankCode: null,
    recipientName: null,
    chargeBearer: null,
    references: noReferences,
    refund: null,
    ...told,
  }
}

function fold(activities: DepositActivity[]): DepositState | null {
  return activities.reduce<DepositState | null>((state, step) => advance(state, step, route).state, null)
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const amount = maybe(fc.nat(9_999).map((cents) => (cents / 100).toFixed(2)))
const plain = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(fields, { noNullPrototype: true })
const someActivity: fc.Arbitrary<DepositActivity> = fc
  .record({
    type: fc.constantFrom(...knownTypes, 'a_step_of_the_account', 'constructor', 'a_word_of_next_year'),
    minute: fc.nat(5),
    copy: fc.nat(2),
    told: fc.record({
      reportedAtMs: fc.nat(3),
      amount,
      currency: maybe(fc.constantFrom('usd', 'usdc')),
      dollars: plain({ developerFee: amount, exchangeFee: amount, subtotal: amount, gasFee: amount }),
      receipt: plain({
        initial: amount,
        developerFee: amount,
        exchangeFee: amount,
        preConversionSubtotal: amount,
        converted: amount,
        subtotal: amount,
        gasFee: amount,
        final: amount,
        exchangeRate: amount,
      }),
      destinationTxHash: maybe(fc.constantFrom('0xaa', '0xbb')),
      senderName: maybe(fc.constantFrom('Ada', 'Bob')),
      references: plain({
        traceNumber: maybe(fc.constantFrom('1', '2')),
        imad: maybe(fc.constant('imad')),
        trackingNumber: fc.constant(null),
        endToEndId: fc.constant(null),
        uetr: fc.constant(null),
        omad: fc.constant(null),
      }),
    }),
  })
  // Few IDs on purpose: the same ID comes with other types, times and facts, like a corrected activity.
  .map(({ type, minute, copy, told }) => activity(type, minute, { ...told, id: `${minute}-${copy}` }))

const story = fc.array(someActivity, { minLength: 1, maxLength: 14 })
const shuffledTwice = story.chain((steps) => {
  const repeated = fc.shuffledSubarray([...steps, ...steps, ...steps], { minLength: steps.length * 2 })
  return fc.tuple(fc.constant(steps), repeated)
})

test('any order of the same activities, with any repeats, ends in the same deposit: status, facts and timeline', () => {
  fc.assert(
    fc.property(shuffledTwice, ([steps, shuffled]) => {
      // A shuffle may leave a step out; the step is reported in the end.
      const early = fold([...shuffled, ...steps])
      const plain = fold(steps)
      assert.deepEqual(early, plain)
      if (early !== null && plain !== null) {
        assert.deepEqual(shownDeposit(early), shownDeposit(plain))
        assert.deepEqual(depositTimeline(early), depositTimeline(plain))
      }
    }),
    { numRuns: 1_000 },
  )
})

test('hearing of everything a second time changes nothing', () => {
  fc.assert(
    fc.property(story, (steps) => {
      const state = fold(steps)
      for (const step of steps) {
        const again = advance(state, step, route)
        assert.ok(again.outcome === 'unchanged' || again.outcome === 'unknown_type')
        assert.equal(again.state, state)
      }
    }),
  )
})

test('the outcome is `added` exactly when the deposit did not have the activity', () => {
  fc.assert(
    fc.property(story, someActivity, (steps, step) => {
      const before = fold(steps)
      const isNew = isDepositActivity(step.type) && !before?.activities.some(({ id }) => id === step.id)
      assert.equal(advance(before, step, route).outcome === 'added', isNew)
    }),
  )
})

test('the status is the last that could follow: the table of stories', () => {
  const stories: [string, DepositStatus][] = [
    ['funds_scheduled', 'scheduled'],
    ['funds_scheduled funds_received', 'received'],
    ['funds_received in_review', 'in_review'],
    ['funds_received in_review funds_received', 'received'],
    ['funds_received in_review payment_submitted', 'payout_submitted'],
    ['funds_received payment_submitted payment_processed', 'completed'],
    ['funds_received payment_processed', 'completed'],
    ['microdeposit', 'microdeposit'],
    ['funds_received microdeposit', 'microdeposit'],
    ['funds_received in_review refund_in_flight', 'refund_pending'],
    ['funds_received refund_in_flight refund', 'refunded'],
    ['funds_received refund', 'refunded'],
    ['funds_received refund_in_flight refund_failed', 'failed'],
    ['funds_received refund_in_flight refund_failed refund_in_flight', 'refund_pending'],
    ['funds_received refund_in_flight refund_failed refund_in_flight refund', 'refunded'],
    ['funds_received payment_submitted refund_in_flight', 'refund_pending'],
    ['funds_received refund_failed payment_submitted', 'payout_submitted'],
    ['funds_received payment_submitted payment_processed refund_in_flight', 'completed'],
    ['funds_received payment_submitted payment_processed refund_failed', 'completed'],
    ['funds_received payment_submitted payment_processed refund', 'refunded'],
  ]
  for (const [types, status] of stories) {
    const steps = types.split(' ').map((type, minute) => activity(type, minute))
    assert.equal(fold(steps)?.status, status, types)
    assert.equal(fold(steps.toReversed())?.status, status, `${types}, heard backwards`)
  }
})

test('a step of an earlier phase never moves a deposit back, whatever its clock says', () => {
  const phases = [
    ['funds_scheduled'],
    ['funds_received', 'in_review'],
    ['payment_submitted', 'refund_in_flight', 'refund_failed'],
    ['payment_processed', 'refund'],
  ]
  for (const [phase, types] of phases.entries()) {
    for (const type of types) {
      const state = fold([activity(type, 0)])
      for (const earlier of phases.slice(0, phase).flat()) {
        const answer = advance(state, activity(earlier, 30), route)
        assert.deepEqual([answer.outcome, answer.state?.status], ['added', state?.status], `${earlier} after ${type}`)
        assert.equal(answer.state?.activities.length, 2, 'its facts are kept')
      }
    }
  }
})

test('at the same instant the activity that usually comes later decides', () => {
  const [received, review] = [activity('funds_received', 1), activity('in_review', 1)]
  assert.equal(fold([received, review])?.status, 'in_review')
  assert.equal(fold([review, received])?.status, 'in_review')
})

test('a type that is new to us touches nothing, on a new deposit and on a known one', () => {
  for (const type of ['a_step_of_the_account', 'toString', '__proto__', '']) {
    assert.equal(isDepositActivity(type), false)
    assert.deepEqual(advance(null, activity(type, 1), route), { state: null, outcome: 'unknown_type' })
    const state = fold([activity('funds_received', 0)])
    assert.equal(advance(state, activity(type, 1), route).state, state)
  }
})

test('a known activity told again with more facts is taken over; told earlier with fewer it is not', () => {
  const bare = activity('payment_submitted', 3, { reportedAtMs: 1 })
  const told = { ...bare, reportedAtMs: 2, destinationTxHash: '0xaa' }
  const first = advance(fold([bare]), told, route)
  assert.equal(first.outcome, 'corrected')
  assert.ok(first.state)
  assert.equal(shownDeposit(first.state).destinationTxHash, '0xaa')
  assert.equal(advance(first.state, bare, route).state, first.state)
})

test('the same text told again later is no change, and still decides against a text from in between', () => {
  const first = activity('funds_received', 1, { reportedAtMs: 1, amount: '10.0' })
  const read = advance(fold([first]), { ...first, reportedAtMs: 3 }, route)
  assert.equal(read.outcome, 'corrected')
  const between = advance(read.state, { ...first, reportedAtMs: 2, amount: '20.0' }, route)
  assert.equal(between.state, read.state)
  assert.equal(between.state?.activities[0]?.amount, '10.0')
})

test('the sample deposit of 2,000 shows gross, fees, net, both currencies, sender, references and the final hash', () => {
  const dollars = { developerFee: '20.0', exchangeFee: '10.0', subtotal: '1970.0', gasFee: '0.0' }
  const steps = [
    activity('payment_processed', 4, {
      dollars,
      amount: '1970.0',
      currency: 'usdc',
      receipt: {
        ...noReceipt,
        initial: '2000.0',
        developerFee: '20.0',
        exchangeFee: '10.0',
        subtotal: '1970.0',
        gasFee: '0.0',
        final: '1970.0',
        exchangeRate: '1.0',
      },
      destinationTxHash: '0xfinal',
      destinationPaymentRail: 'base',
    }),
    activity('payment_submitted', 3, {
      dollars,
      amount: '1970.0',
      currency: 'usd',
      destinationTxHash: '0xpreliminary',
    }),
    activity('funds_received', 1, {
      amount: '2000.0',
      currency: 'usd',
      dollars: { ...noDollars, developerFee: '0.0' },
      paymentRail: 'wire',
      senderName: 'Ada Lovelace',
      references: { ...noReferences, imad: '20260105B1QGC01C000001' },
    }),
  ]
  const state = fold(steps)
  assert.ok(state)
  assert.deepEqual(shownDeposit(state), {
    sourceCurrency: 'usd',
    destinationCurrency: 'usdc',
    grossAmount: { value: '2000.00', currency: 'usd' },
    developerFee: { value: '20.00', currency: 'usd' },
    exchangeFee: { value: '10.00', currency: 'usd' },
    subtotalAmount: { value: '1970.00', currency: 'usd' },
    exchangeRate: '1.00',
    exchangeRateSource: 'provider',
    destinationExchangeFee: { value: '0.00', currency: 'usdc' },
    gasFee: { value: '0.00', currency: 'usdc' },
    netAmount: { value: '1970.00', currency: 'usdc' },
    refundedAmount: null,
    paymentRail: 'wire',
    senderName: 'Ada Lovelace',
    senderBic: null,
    senderBankCode: null,
    recipientName: null,
    chargeBearer: null,
    references: { ...noReferences, imad: '20260105B1QGC01C000001' },
    destinationPaymentRail: 'base',
    destinationTxHash: '0xfinal',
    destinationTxFinal: true,
    refund: null,
    refundedAt: null,
    completedAt: '2026-01-05T12:04:00.000Z',
  })
  assert.deepEqual(
    depositTimeline(state).map((entry) => [entry.type, entry.status, entry.occurredAt]),
    [
      ['funds_received', 'received', '2026-01-05T12:01:00.000Z'],
      ['payment_submitted', 'payout_submitted', '2026-01-05T12:03:00.000Z'],
      ['payment_processed', 'completed', '2026-01-05T12:04:00.000Z'],
    ],
  )
})

test('a hash is preliminary until the payout is confirmed, and a refund tells its reason', () => {
  const submitted = fold([activity('payment_submitted', 3, { destinationTxHash: '0xpreliminary' })])
  assert.ok(submitted)
  assert.equal(shownDeposit(submitted).destinationTxHash, '0xpreliminary')
  assert.equal(shownDeposit(submitted).destinationTxFinal, false)
  const refund = { code: 'name_mismatch', reason: 'The sender is not the account holder.', refundedAt: null }
  const refunded = advance(submitted, activity('refund', 5, { refund }), route).state
  assert.ok(refunded)
  assert.deepEqual(shownDeposit(refunded).refund, refund)
})

test('a deposit stays bounded, and still the same in any order, however many activities there are', () => {
  const many = Array.from({ length: 400 }, (_, minute) => activity('in_review', minute))
  const steps = [...many, activity('payment_processed', 1)]
  const state = fold(steps)
  assert.equal(state?.status, 'completed')
  assert.equal(state?.activities.length, 256)
  assert.deepEqual(fold(steps.toReversed()), state)
})

test('a deposit survives storage as JSON', () => {
  fc.assert(
    fc.property(story, someActivity, (steps, step) => {
      const state = fold(steps)
      const stored: DepositState | null = JSON.parse(JSON.stringify(state))
      assert.deepEqual(advance(stored, step, route), advance(state, step, route))
    }),
  )
})

test('a transaction is final once a processed payout names it, and each reference is shown', () => {
  const submitted = activity('payment_submitted', 1, { destinationTxHash: '0xaa' })
  const isFinal = (...steps: DepositActivity[]) => shownDeposit(fold(steps) as DepositState).destinationTxFinal
  assert.equal(isFinal(submitted), false)
  assert.equal(isFinal(submitted, activity('payment_processed', 2)), false)
  assert.equal(isFinal(activity('payment_processed', 2, { destinationTxHash: '0xbb' })), true)
  const references = { traceNumber: '1', trackingNumber: '2', imad: '3', endToEndId: '4', uetr: '5', omad: '6' }
  const state = fold([activity('funds_received', 0, { references })]) as DepositState
  assert.deepEqual(shownDeposit(state).references, references)
  const names = {
    senderName: 'Ada',
    senderBic: 'BIC',
    senderBankCode: '1',
    recipientName: 'Bob',
    chargeBearer: 'shared',
  }
  const told = { ...names, paymentRail: 'wire' } as const
  const shown = shownDeposit(fold([activity('funds_received', 0, told)]) as DepositState)
  for (const [name, value] of Object.entries(told)) assert.equal(shown[name as keyof typeof told], value, name)
})

test('a deposit is completed when its payout is processed, and its references are listed in one order', () => {
  const processed = activity('payment_processed', 2, { destinationTxHash: '0xbb' })
  const received = activity('funds_received', 1, { references: { ...noReferences, uetr: '9', imad: '3' } })
  const completedAt = (...steps: DepositActivity[]) => shownDeposit(fold(steps) as DepositState).completedAt
  assert.equal(completedAt(received, activity('payment_submitted', 2)), null)
  assert.equal(completedAt(received, processed, activity('refund_failed', 3)), '2026-01-05T12:02:00.000Z')
  assert.deepEqual(referencesAndHashes(fold([received, processed]) as DepositState), ['0xbb', '3', '9'])
})

test('the timeline is in the order of the clock, and of one instant in the usual order', () => {
  const steps = [
    activity('payment_submitted', 1),
    activity('funds_received', 2),
    activity('in_review', 2),
    activity('in_review', 2, { id: 'a' }),
    activity('funds_scheduled', 3),
  ]
  assert.deepEqual(
    depositTimeline(fold(steps) as DepositState).map(({ activityId }) => activityId),
    ['payment_submitted-1', 'funds_received-2', 'a', 'in_review-2', 'funds_scheduled-3'],
  )
})

test('a payout that names another coin than the account agreed to is shown in that coin', () => {
  const coinOf = (currency: string | null) =>
    shownDeposit(fold([activity('payment_submitted', 1, { currency })]) as DepositState).destinationCurrency
  for (const [named, shown] of [
    ['usdt', 'usdt'],
    ['usd', 'usdc'],
    [null, 'usdc'],
  ] as const)
    assert.equal(coinOf(named), shown, String(named))
})
