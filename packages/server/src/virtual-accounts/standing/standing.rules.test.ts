// Which account is payable, over every combination of the provider's facts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deriveKyc } from '../../end-users/kyc/status.rules.ts'
import type { DepositInstructions } from '../../provider/port.ts'
import { isOtherDetails, type ProviderAccountStatus, standingOf, suspendedReasons } from './standing.rules.ts'

const customerStatus = fc.constantFrom(
  ...[
    'active',
    'paused',
    'offboarded',
    'rejected',
    'deposits_restricted',
    'under_review',
    'incomplete',
    'awaiting_ubo',
  ],
  'a_word_of_tomorrow',
)
const endorsement = fc.constantFrom('approved', 'incomplete', 'revoked')
const activation = fc.constantFrom<ProviderAccountStatus>('activated', 'deactivated')
const facts = fc.record({ customerStatus, endorsement, activation })
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never

const nothingOpen = { complete: [], missing: [], pending: [], issues: [], people: [], future: [] }

const customerOf = ({ customerStatus: status, endorsement: base }: Facts) => ({
  status,
  hasAcceptedTos: true,
  endorsements: [{ name: 'base', status: base, ...nothingOpen }],
  rejectionReasons: [],
})
const standing = (given: Facts, heldStatus: 'approved' | 'paused' = 'approved') =>
  standingOf(given.activation, deriveKyc({ kycStatus: heldStatus, tosStatus: 'approved' }, customerOf(given)), 'usd')

test('an account is active exactly when customer, rail and activation allow it; deactivated wins over suspended', () => {
  const property = fc.property(facts, (given) => {
    const { status, suspendedReason } = standing(given)
    const mayReceive = given.customerStatus === 'active' && given.endorsement === 'approved'
    assert.equal(suspendedReason === null, mayReceive)
    assert.equal(status === 'active', mayReceive && given.activation === 'activated')
    assert.equal(status === 'deactivated', given.activation === 'deactivated')
  })
  fc.assert(property, { numRuns: 500 })
})

test('the reason is the first in the list that holds', () => {
  for (const [customerStatus, reason] of [
    ['paused', 'end_user_paused'],
    ['offboarded', 'end_user_offboarded'],
    ['rejected', 'end_user_rejected'],
    ['deposits_restricted', 'deposits_restricted'],
    ['incomplete', 'rail_inactive'],
    ['a_word_of_tomorrow', 'rail_inactive'],
  ] as const)
    for (const endorsement of ['approved', 'revoked'] as const) {
      const given = { customerStatus, endorsement, activation: 'activated' } as const
      assert.deepEqual(standing(given), { status: 'suspended', suspendedReason: reason })
    }
  const paused = { customerStatus: 'a_word_of_tomorrow', endorsement: 'approved', activation: 'activated' } as const
  assert.equal(
    standing(paused, 'paused').suspendedReason,
    suspendedReasons[0],
    'a word that is new keeps what was held',
  )
})

const details: DepositInstructions = {
  currency: 'usd',
  paymentRails: ['ach_push', 'wire'],
  bankName: 'Lead Bank',
  bankAddress: null,
  beneficiaryName: 'Ada Lovelace',
  beneficiaryAddress: null,
  accountNumber: '123456789',
  routingNumber: '101019644',
  iban: null,
  bic: null,
  clabe: null,
  sortCode: null,
  pixCode: null,
  breBKey: null,
  depositMessage: null,
}

test('bank details differ by a part or a rail, and not by their order or by a part that is left out', () => {
  assert.ok(!isOtherDetails(details, { ...details, paymentRails: ['wire', 'ach_push'], bankName: null }))
  assert.ok(isOtherDetails(details, { ...details, accountNumber: '987654321' }))
  assert.ok(isOtherDetails(details, { ...details, bankAddress: '1 Main St' }))
  assert.ok(isOtherDetails(details, { ...details, paymentRails: ['ach_push'] }))
})
