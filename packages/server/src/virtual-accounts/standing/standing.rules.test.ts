// Which account is payable, over every combination of the provider's facts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deriveKyc } from '../../end-users/kyc/status.rules.ts'
import type { BankNumbers, KnownVerdict, Standing } from '../../provider/port.ts'
import type { DepositInstructions } from '../bank-details.rules.ts'
import {
  changedParts,
  firstDetails,
  firstNumbers,
  nextDetails,
  type ProviderAccountStatus,
  standingOf,
  suspendedReasons,
} from './standing.rules.ts'

const verdict = fc.constantFrom<KnownVerdict | 'unknown' | 'deposits_restricted'>(
  ...([
    'approved',
    'paused',
    'offboarded',
    'rejected',
    'deposits_restricted',
    'under_review',
    'action_required',
  ] as const),
  'unknown',
)
const isRailApproved = fc.boolean()
const activation = fc.constantFrom<ProviderAccountStatus>('activated', 'deactivated')
const facts = fc.record({ verdict, isRailApproved, activation })
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never

function holderStanding({ verdict, isRailApproved }: Facts): Standing {
  const isRestricted = verdict === 'deposits_restricted'
  return {
    ...{ id: 'c1', reference: null, createdAtMs: null, asOfMs: null, status: verdict, hasAcceptedTerms: true },
    ...{ asks: { due: [], review: [], wrong: [] }, people: [], later: [], reasons: [] },
    verdict: isRestricted ? 'paused' : verdict,
    pause: isRestricted ? 'deposits_restricted' : verdict === 'paused' ? 'review' : null,
    rails: (counted) => ({ usd: isRailApproved ? (counted === 'approved' ? 'active' : 'pending') : 'revoked' }),
  }
}

const standing = (given: Facts, heldStatus: 'approved' | 'paused' = 'approved') =>
  standingOf(
    given.activation,
    deriveKyc({ kycStatus: heldStatus, tosStatus: 'approved' }, holderStanding(given)),
    'usd',
  )

test('an account is active exactly when customer, rail and activation allow it; deactivated wins over suspended', () => {
  const property = fc.property(facts, (given) => {
    const { status, suspendedReason } = standing(given)
    const mayReceive = given.verdict === 'approved' && given.isRailApproved
    assert.equal(suspendedReason === null, mayReceive)
    assert.equal(status === 'active', mayReceive && given.activation === 'activated')
    assert.equal(status === 'deactivated', given.activation === 'deactivated')
  })
  fc.assert(property, { numRuns: 500 })
})

test('the reason is the first in the list that holds', () => {
  for (const [verdict, reason] of [
    ['paused', 'end_user_paused'],
    ['offboarded', 'end_user_offboarded'],
    ['rejected', 'end_user_rejected'],
    ['deposits_restricted', 'deposits_restricted'],
    ['action_required', 'rail_inactive'],
    ['unknown', 'rail_inactive'],
  ] as const)
    for (const isRailApproved of [true, false]) {
      const given = { verdict, isRailApproved, activation: 'activated' } as const
      assert.deepEqual(standing(given), { status: 'suspended', suspendedReason: reason })
    }
  const paused = { verdict: 'unknown', isRailApproved: true, activation: 'activated' } as const
  assert.equal(
    standing(paused, 'paused').suspendedReason,
    suspendedReasons[0],
    'a word that is new keeps what was held',
  )
})

const numbers = { accountNumber: '123456789', routingNumber: '101019644' }
const on = (numbersOf: BankNumbers, ...rails: string[]) => rails.map((rail) => ({ rail, numbers: numbersOf }))
const details: DepositInstructions = {
  currency: 'usd',
  rails: on(numbers, 'ach_push', 'wire'),
  bankName: 'Lead Bank',
  bankAddress: null,
  beneficiaryName: 'Ada Lovelace',
  beneficiaryAddress: null,
  depositMessage: null,
}

const partial = { accountNumber: '123456789' }
/** A response that names no rail. */
const told = (numbersOf: BankNumbers) => ({ ...details, bankName: null, rails: [{ rail: null, numbers: numbersOf }] })
const read = told(partial)

test('a response that leaves rails and other parts out, or lists the rails in another order, changes nothing', () => {
  assert.equal(nextDetails(details, read), details)
  assert.equal(nextDetails(details, told({})), details)
  assert.equal(nextDetails(details, { ...details, rails: on(numbers, 'wire', 'ach_push') }), details)
})

test('what a response names takes the place of what was held, and the rest stays', () => {
  const held = { ...details, rails: on(numbers, 'ach_push', 'fednow', 'wire') }
  assert.deepEqual(nextDetails(held, { ...read, bankAddress: '1 Main St' }), { ...held, bankAddress: '1 Main St' })
  for (const rails of [on(partial, 'wire'), on(partial, 'wire', 'rtp')]) {
    const whole = rails.map(({ rail }) => ({ rail, numbers }))
    assert.deepEqual(nextDetails(held, { ...read, rails }), { ...held, rails: whole })
  }
})

test('parts of two bank accounts are never combined', () => {
  const other = { accountNumber: '987654321' }
  assert.deepEqual(nextDetails(details, told(other)), { ...read, rails: on(other, 'ach_push', 'wire') })
})

test('each rail has its own numbers, and one rail changes alone', () => {
  const ofWire = { accountNumber: '555000111', routingNumber: '021000021' }
  const held = { ...details, rails: [...on(numbers, 'ach_push'), ...on(ofWire, 'wire')] }
  assert.equal(nextDetails(held, { ...read, rails: [...on(partial, 'ach_push'), ...on({}, 'wire')] }), held)
  const moved = { accountNumber: '777' }
  const rails = [...on(moved, 'wire'), ...on(partial, 'ach_push')]
  assert.deepEqual(nextDetails(held, { ...details, rails }), {
    ...details,
    rails: [...on(numbers, 'ach_push'), ...on(moved, 'wire')],
  })
  const unnamed = nextDetails(held, { ...details, bankName: null, rails })
  assert.equal(unnamed.bankName, null, 'the bank of other numbers may be another')
  const further = nextDetails(held, { ...details, rails: [...held.rails, ...on({}, 'fednow')] })
  assert.deepEqual(
    further.rails.at(-1),
    { rail: 'fednow', numbers: {} },
    'a rail without numbers gets those of no other',
  )
})

test('a further rail gets the numbers of the others if the response names the same for all, and none if it names none', () => {
  const further = (numbersOf: BankNumbers) =>
    nextDetails(details, { ...details, rails: on(numbersOf, 'ach_push', 'wire', 'rtp') }).rails.at(-1)
  assert.deepEqual(further(partial), { rail: 'rtp', numbers })
  assert.deepEqual(further({}), { rail: 'rtp', numbers: {} })
})

test('a reason is reported as changed only while the account stays suspended', () => {
  type Account = Parameters<typeof changedParts>[0]
  const account: Account = {
    ...{ status: 'suspended', suspendedReason: 'rail_inactive', developerFeePercent: '0', feeConfig: null },
    ...{ metadata: {}, instructions: details, pendingDestination: null, pendingDestinationAt: null },
    ...{
      destinationPaymentRail: 'base',
      destinationCurrency: 'usdc',
      destinationAddress: '0x1',
      destinationMemo: null,
    },
    ...{ destinationWalletId: null, destinationPrefundedAccountId: null },
  }
  const active: Account = { ...account, status: 'active', suspendedReason: null }
  assert.deepEqual(changedParts(account, { ...account, suspendedReason: 'end_user_paused' }), ['suspendedReason'])
  assert.deepEqual(changedParts(account, account), [])
  assert.deepEqual(changedParts(account, active), [])
  assert.deepEqual(changedParts(active, account), [])
})

test('an account shows the numbers of the rail that comes first in the offer', () => {
  const held = { ...details, rails: [...on({ accountNumber: '555' }, 'wire'), ...on(numbers, 'ach_push')] }
  assert.equal(firstNumbers(held, ['ach_push', 'wire']), numbers)
  assert.equal(firstNumbers(held, ['sepa']).accountNumber, '555')
})

test('the first details have the usual rails of the currency, unless the provider names others', () => {
  assert.deepEqual(firstDetails(read, 'usd').rails, on(partial, 'ach_push', 'wire'))
  for (const [currency, rail] of [
    ['eur', 'sepa'],
    ['mxn', 'spei'],
    ['brl', 'pix'],
    ['gbp', 'faster_payments'],
    ['cop', 'bre_b'],
  ] as const)
    assert.deepEqual(firstDetails({ ...read, currency }, currency).rails, on(partial, rail))
  assert.deepEqual(firstDetails({ ...read, rails: on(partial, 'fednow') }, 'usd').rails, on(partial, 'fednow'))
})
