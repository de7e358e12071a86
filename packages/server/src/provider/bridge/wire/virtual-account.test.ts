// Deposit instructions of six currencies and every known deviation read the same way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WireError } from '../../http/fields.ts'
import { readVirtualAccount } from './virtual-account.ts'

const bank = { bank_name: 'Bank', bank_address: '1 Main St' }

function instructionsOf(members: object) {
  const account = { id: 'va_1', status: 'activated', source_deposit_instructions: { ...bank, ...members } }
  return readVirtualAccount(account).instructions
}

const nothing = {
  beneficiaryName: null,
  beneficiaryAddress: null,
  accountNumber: null,
  routingNumber: null,
  iban: null,
  bic: null,
  clabe: null,
  sortCode: null,
  pixCode: null,
  breBKey: null,
  depositMessage: null,
}

const currencies: [name: string, wire: object, read: object][] = [
  [
    'usd',
    {
      currency: 'usd',
      payment_rails: ['ach_push', 'fednow', 'wire'],
      bank_account_number: '123456789',
      bank_routing_number: '101019644',
      bank_beneficiary_name: 'Ann',
      bank_beneficiary_address: '2 Main St',
    },
    {
      paymentRails: ['ach_push', 'fednow', 'wire'],
      accountNumber: '123456789',
      routingNumber: '101019644',
      beneficiaryName: 'Ann',
      beneficiaryAddress: '2 Main St',
    },
  ],
  [
    'eur, the rail as a string',
    { currency: 'eur', payment_rails: 'sepa', iban: 'IE1', bic: 'BCIRLULL', account_holder_name: 'Bridge' },
    { paymentRails: ['sepa'], iban: 'IE1', bic: 'BCIRLULL', beneficiaryName: 'Bridge' },
  ],
  [
    'eur, the rail as a list',
    { currency: 'eur', payment_rails: ['sepa'], iban: 'IE1', bic: 'B', account_holder_name: 'Bridge' },
    { paymentRails: ['sepa'], iban: 'IE1', bic: 'B', beneficiaryName: 'Bridge' },
  ],
  [
    'mxn',
    { currency: 'mxn', payment_rails: ['spei'], clabe: '127180001234567890', account_holder_name: 'Ann' },
    { paymentRails: ['spei'], clabe: '127180001234567890', beneficiaryName: 'Ann' },
  ],
  [
    'mxn, the CLABE in the account number',
    { currency: 'mxn', payment_rails: ['spei'], bank_account_number: '127180001234567890' },
    { paymentRails: ['spei'], clabe: '127180001234567890', accountNumber: '127180001234567890' },
  ],
  [
    'mxn, an account number that is no CLABE',
    { currency: 'mxn', payment_rails: ['spei'], bank_account_number: '1234567890123456789' },
    { paymentRails: ['spei'], accountNumber: '1234567890123456789' },
  ],
  [
    'brl',
    { currency: 'brl', payment_rails: ['pix'], br_code: '0002br', account_holder_name: 'Ann' },
    { paymentRails: ['pix'], pixCode: '0002br', beneficiaryName: 'Ann' },
  ],
  [
    'gbp, the beneficiary misspelt',
    {
      currency: 'gbp',
      payment_rails: 'faster_payments',
      account_number: '12345678',
      sort_code: '102030',
      bank_benficiary_name: 'Ann',
      bank_benficiary_address: '2 Main St',
      account_holder_name: 'Holder',
    },
    {
      paymentRails: ['faster_payments'],
      accountNumber: '12345678',
      sortCode: '102030',
      beneficiaryName: 'Ann',
      beneficiaryAddress: '2 Main St',
    },
  ],
  [
    'cop',
    { currency: 'cop', payment_rails: ['bre_b'], bre_b_key: '@key', account_holder_name: 'Ann', deposit_message: 'D1' },
    { paymentRails: ['bre_b'], breBKey: '@key', beneficiaryName: 'Ann', depositMessage: 'D1' },
  ],
  [
    'usd, only the deprecated singular rail',
    { currency: 'usd', payment_rail: 'wire', bank_account_number: '1' },
    { paymentRails: ['wire'], accountNumber: '1' },
  ],
  ['gbp, no rail named', { currency: 'gbp', account_number: '1' }, { paymentRails: null, accountNumber: '1' }],
  [
    'a currency and rail new to us',
    { currency: 'JPY', payment_rails: ['zengin'] },
    { currency: 'jpy', paymentRails: ['zengin'] },
  ],
]

for (const [name, wire, read] of currencies)
  test(`deposit instructions in ${name}`, () => {
    const currency = name.slice(0, 3)
    assert.deepEqual(instructionsOf(wire), {
      currency,
      bankName: 'Bank',
      bankAddress: '1 Main St',
      ...nothing,
      ...read,
    })
  })

test('an account without customer, dates or destination is read with nulls', () => {
  const account = readVirtualAccount({
    id: 'va_1',
    status: 'activated',
    developer_fee_percent: 0.1,
    source_deposit_instructions: { currency: 'usd', payment_rails: ['wire'] },
  })
  assert.equal(account.customerId, null)
  assert.equal(account.createdAt, null)
  assert.equal(account.developerFeePercent, '0.1')
  const unknown = { address: null, bridgeWalletId: null, prefundedAccountId: null }
  assert.deepEqual(account.destination, { paymentRail: null, currency: null, ...unknown, memo: null })
  assert.equal(account.feeConfig, null)
})

test('an account is read with its status, owner and destination', () => {
  const account = readVirtualAccount({
    id: 'va_1',
    status: 'frozen_by_then',
    customer_id: 'cust_1',
    created_at: '2025-11-19T21:14:58.328Z',
    developer_fee_percent: '10.2',
    source_deposit_instructions: { currency: 'usd', payment_rails: ['wire'] },
    destination: { payment_rail: 'stellar', currency: 'usdc', address: 'GA', blockchain_memo: '77' },
  })
  assert.equal(account.status, 'frozen_by_then')
  assert.equal(account.customerId, 'cust_1')
  assert.equal(account.createdAt, '2025-11-19T21:14:58.328Z')
  assert.equal(account.developerFeePercent, '10.2')
  const byAddress = { address: 'GA', bridgeWalletId: null, prefundedAccountId: null }
  assert.deepEqual(account.destination, { paymentRail: 'stellar', currency: 'usdc', ...byAddress, memo: '77' })
})

test('a destination by id and fees by rail are read as they stand', () => {
  const source = { ach_push: { fee_percent: '0.8' }, fednow: {}, wire: { fee_amount: '7.00' } }
  const account = readVirtualAccount({
    id: 'va_1',
    status: 'activated',
    developer_fee_percent: '0.0',
    fee_config: { source },
    source_deposit_instructions: { currency: 'usd', payment_rails: ['wire'] },
    destination: { payment_rail: 'base', currency: 'usdc', bridge_wallet_id: 'bw7k2' },
  })
  const byWallet = { address: null, bridgeWalletId: 'bw7k2', prefundedAccountId: null }
  assert.deepEqual(account.destination, { paymentRail: 'base', currency: 'usdc', ...byWallet, memo: null })
  assert.deepEqual(account.feeConfig, { source })
})

test('an account that money cannot be sent to is not one', () => {
  const instructions = { currency: 'usd', payment_rails: ['wire'] }
  for (const body of [
    { status: 'activated', source_deposit_instructions: instructions },
    { id: 'va_1', source_deposit_instructions: instructions },
    { id: 'va_1', status: 'activated' },
    { id: 'va_1', status: 'activated', source_deposit_instructions: { payment_rails: ['wire'] } },
  ])
    assert.throws(() => readVirtualAccount(body), WireError)
})
