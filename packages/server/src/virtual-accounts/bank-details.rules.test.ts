// Bank details that a payer can use, and those with a mistyped number.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clabe, iban } from '../../../sandbox/src/platform/bank-numbers.ts'
import type { DepositInstructions } from '../provider/bridge/wire/types.ts'
import { bankDetailsFault } from './bank-details.rules.ts'

const none: DepositInstructions = {
  currency: '',
  paymentRails: ['ach_push'],
  ...{ bankName: null, bankAddress: null, beneficiaryName: null, beneficiaryAddress: null },
  ...{ accountNumber: null, routingNumber: null, iban: null, bic: null, clabe: null, sortCode: null },
  ...{ pixCode: null, breBKey: null, depositMessage: null },
}

const usable: Partial<DepositInstructions>[] = [
  { currency: 'usd', accountNumber: '215268120000', routingNumber: '101019644' },
  { currency: 'usd', accountNumber: '215268120000', routingNumber: '1234567890' },
  { currency: 'usd', accountNumber: '215268120000' },
  { currency: 'eur', iban: 'DE02120300000000202051' },
  { currency: 'eur', iban: 'LU28 0019 4006 4475 0000' },
  { currency: 'mxn', clabe: '646180115400000002' },
  { currency: 'brl', pixCode: '00020126' },
  { currency: 'gbp', accountNumber: '12345678', sortCode: '040605' },
  { currency: 'cop', breBKey: '@key' },
]

const wrong: Partial<DepositInstructions>[] = [
  { currency: 'eur', iban: 'DE02120300000000202052' },
  { currency: 'eur', iban: 'X6099' },
  { currency: 'mxn', clabe: '646180115400000007' },
  { currency: 'mxn', clabe: '64618011540000000' },
]

describe('bank details', () => {
  for (const details of usable)
    test(`${JSON.stringify(details)} can be shown to a payer`, () =>
      assert.equal(bankDetailsFault({ ...none, ...details }), null))
  for (const details of wrong)
    test(`${JSON.stringify(details)} has wrong check digits`, () =>
      assert.equal(bankDetailsFault({ ...none, ...details }), 'bank_details_invalid'))
  for (const currency of ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop', 'aed'])
    test(`${currency} without its number cannot be paid to`, () =>
      assert.equal(bankDetailsFault({ ...none, currency, bankName: 'Bank' }), 'bank_details_missing'))
  test('one wrong digit never passes, in an IBAN or a CLABE', () => {
    const numbers = [
      ['eur', 'iban', iban('LU', '4087312045918227')],
      ['mxn', 'clabe', clabe('64618073120459182')],
    ] as const
    for (const [currency, name, number] of numbers)
      for (let at = 4; at < number.length; at++)
        for (const digit of '0123456789') {
          const mistyped = `${number.slice(0, at)}${digit}${number.slice(at + 1)}`
          const expected = mistyped === number ? null : 'bank_details_invalid'
          assert.equal(bankDetailsFault({ ...none, currency, [name]: mistyped }), expected, mistyped)
        }
  })
})
