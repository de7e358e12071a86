// The terms of a request: each broken rule, by the place of the mistake.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offer } from '../../../test/offer.ts'
import type { Destination, DestinationInput } from './destination.rules.ts'
import {
  isCoinRefused,
  isOtherFee,
  type Mismatch,
  mismatchOf,
  readDestination,
  readFees,
  requireMemoAgain,
  shownFeeConfig,
  type Violation,
} from './terms.rules.ts'

const address = '0x52908400098527886E0F7030069857D2E4169EE7'
const base = { payment_rail: 'base', currency: 'usdc' }
const prefunded = { payment_rail: 'prefunded', currency: 'usd', prefunded_account_id: 'p1' }

const codes = (violations: readonly Violation[]) => violations.map(({ code, param }) => `${code} ${param}`)
function destinationFaults(input: DestinationInput, currency = 'usd'): string[] {
  const violations: Violation[] = []
  readDestination(offer, currency, input, violations)
  return codes(violations)
}

test('each rule that a destination breaks is named at its place', () => {
  const rows: [DestinationInput, ...string[]][] = [
    [{ ...base, address }],
    [{ ...base, bridge_wallet_id: 'w1' }],
    [prefunded],
    [base, 'missing_field destination.address'],
    [{ ...base, address, bridge_wallet_id: 'w1' }, 'invalid_value destination.bridge_wallet_id'],
    [{ ...base, address: 'x' }, 'invalid_destination_address destination.address'],
    [
      { ...base, bridge_wallet_id: 'w1', blockchain_memo: '7' },
      'invalid_destination_address destination.blockchain_memo',
    ],
    [{ ...prefunded, address }, 'invalid_value destination.prefunded_account_id'],
    [{ ...prefunded, blockchain_memo: '7' }, 'invalid_value destination.blockchain_memo'],
    [
      { ...base, prefunded_account_id: 'p1' },
      'unsupported_payment_rail destination.payment_rail',
      'unsupported_currency destination.currency',
    ],
    // The address is not checked: its rail is the mistake.
    [{ ...base, payment_rail: 'bas', address: 'x' }, 'unsupported_payment_rail destination.payment_rail'],
    [{ ...base, currency: 'usdt', address: 'x' }, 'unsupported_payment_rail destination.payment_rail'],
    [
      { ...base, currency: 'doge', address: 'x' },
      'unsupported_currency destination.currency',
      'invalid_destination_address destination.address',
    ],
  ]
  for (const [input, ...faults] of rows) assert.deepEqual(destinationFaults(input), faults, JSON.stringify(input))
  assert.deepEqual(destinationFaults(prefunded, 'jpy'), ['unsupported_currency source.currency'])
  assert.deepEqual(destinationFaults({ ...base, currency: 'usdt', address: 'x' }, 'jpy'), [
    'unsupported_currency source.currency',
    'unsupported_payment_rail destination.payment_rail',
  ])
})

test('travel-rule data has 4,096 bytes at most', () => {
  const data = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
  for (const [bytes, faults] of [
    [4_096, []],
    [4_097, ['invalid_length destination.travel_rule_data']],
  ] as const)
    assert.deepEqual(destinationFaults({ ...base, address, travel_rule_data: data(bytes) }), faults)
})

test('a memo that a change leaves out is asked for again on the same rail alone', () => {
  const at = (rail: string, memo: string | null): Destination => ({
    ...{ destinationPaymentRail: rail, destinationCurrency: 'usdc', destinationAddress: 'x', destinationMemo: memo },
    ...{ destinationWalletId: null, destinationPrefundedAccountId: null },
  })
  for (const [current, wanted, isAsked] of [
    [at('stellar', '7'), at('stellar', null), true],
    [at('stellar', '7'), at('stellar', '8'), false],
    [at('stellar', null), at('stellar', null), false],
    [at('stellar', '7'), at('base', null), false],
  ] as const) {
    const violations: Violation[] = []
    requireMemoAgain(current, wanted, violations)
    assert.equal(violations.length, isAsked ? 1 : 0)
  }
})

test('fees come in one form, and where accounts have none only a percentage of 0 is taken', () => {
  const fee_config = { source: { fee_percent: '0.8' } }
  for (const [isOffered, fees, faults, read] of [
    [true, {}, [], {}],
    [true, { developer_fee_percent: '0.5' }, [], { developerFeePercent: '0.5' }],
    [true, { fee_config }, [], { feeConfig: fee_config }],
    [true, { developer_fee_percent: '0', fee_config }, ['invalid_value fee_config'], null],
    [true, { developer_fee_percent: 0.5 }, ['invalid_developer_fee_percent developer_fee_percent'], null],
    [false, {}, [], {}],
    [false, { developer_fee_percent: '0.00' }, [], { developerFeePercent: '0.00' }],
    [false, { developer_fee_percent: '0.5' }, ['invalid_developer_fee_percent developer_fee_percent'], null],
    [false, { fee_config }, ['invalid_developer_fee_percent fee_config'], null],
  ] as const) {
    const violations: Violation[] = []
    const shown = readFees({ percentMax: undefined, isOffered }, fees, violations)
    assert.deepEqual(codes(violations), faults)
    if (read !== null) assert.deepEqual(shown, read)
  }
})

test('a coin that is not for the EEA is refused to somebody who lives or operates there', () => {
  for (const [residesInEea, operatesInEea, coin, isRefused] of [
    [true, null, 'usdt', true],
    [null, true, 'usdb', true],
    [false, true, 'usdt', true],
    [true, null, 'usdc', false],
    [false, false, 'usdt', false],
    [null, null, 'usdt', false],
  ] as const)
    assert.equal(isCoinRefused({ residesInEea, operatesInEea }, coin), isRefused, `${residesInEea} ${operatesInEea}`)
})

test('two fees differ by their value, and a fee that is not shown does not differ', () => {
  for (const [shown, isOther] of [
    ['0.0', false],
    ['0', false],
    [null, false],
    ['0.1', true],
  ] as const)
    assert.equal(isOtherFee('0', shown), isOther, String(shown))
})

test('a response that names no fee at all says nothing of the configuration, and one with a percentage says that there is none', () => {
  const feeConfig = { source: { fee_percent: '0.8' } }
  for (const [shown, expected] of [
    [{ feeConfig: null, developerFeePercent: null }, {}],
    [{ feeConfig: null, developerFeePercent: '0.5' }, { feeConfig: null }],
    [{ feeConfig, developerFeePercent: null }, { feeConfig }],
    [{ feeConfig, developerFeePercent: '0.5' }, { feeConfig }],
  ] as const)
    assert.deepEqual(shownFeeConfig(shown), expected)
})

test('an account that differs in one part from the one that was asked for is not shown to payers', () => {
  const asked: Parameters<typeof mismatchOf>[0] = {
    ...{ destinationPaymentRail: 'base', destinationCurrency: 'usdc', destinationAddress: address },
    ...{ destinationWalletId: null, destinationPrefundedAccountId: null, destinationMemo: null },
    ...{ sourceCurrency: 'usd', developerFeePercent: '0.5', feeConfigAsked: null, providerCustomerId: 'c1' },
  }
  const bank = { bankName: 'Bank', bankAddress: null, beneficiaryName: null, beneficiaryAddress: null }
  const rails = [{ rail: 'ach_push', numbers: { accountNumber: '215268120000' } }]
  const made: Parameters<typeof mismatchOf>[1] = {
    customerId: 'c1',
    instructions: { currency: 'usd', ...bank, depositMessage: null, rails },
    destination: {
      paymentRail: 'base',
      currency: 'usdc',
      address,
      walletId: null,
      prefundedAccountId: null,
      memo: null,
    },
    developerFeePercent: '0.50',
  }
  const rows: [Partial<typeof made>, Mismatch | null][] = [
    [{}, null],
    [{ customerId: null, developerFeePercent: null }, null],
    [{ customerId: 'c2' }, 'customer_mismatch'],
    [{ instructions: { ...made.instructions, currency: 'eur' } }, 'currency_mismatch'],
    [{ destination: { ...made.destination, paymentRail: 'polygon' } }, 'destination_mismatch'],
    [{ developerFeePercent: '0.6' }, 'fee_mismatch'],
    [{ instructions: { ...made.instructions, rails: [] } }, 'bank_details_missing'],
  ]
  for (const [parts, mismatch] of rows)
    assert.equal(mismatchOf(asked, { ...made, ...parts }), mismatch, JSON.stringify(parts))
  // With a configuration, the provider may show another percentage.
  assert.equal(mismatchOf({ ...asked, feeConfigAsked: {} }, { ...made, developerFeePercent: '0.6' }), null)
})
