// Bank details that a payer can use, and those with a mistyped number.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clabe, iban } from '../../../sandbox/src/platform/bank-numbers.ts'
import type { BankNumbers } from '../provider/port.ts'
import { bankDetailsFault, type DepositInstructions } from './bank-details.rules.ts'

const details = (currency: string, ...numbers: BankNumbers[]): DepositInstructions => ({
  currency,
  ...{ bankName: 'Bank', bankAddress: null, beneficiaryName: null, beneficiaryAddress: null, depositMessage: null },
  rails: numbers.map((each, at) => ({ rail: `rail_${at}`, numbers: each })),
})

const usable: (BankNumbers & { currency: string })[] = [
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

const wrong: (BankNumbers & { currency: string })[] = [
  { currency: 'eur', iban: 'DE02120300000000202052' },
  { currency: 'eur', iban: 'X6099' },
  { currency: 'mxn', clabe: '646180115400000007' },
  { currency: 'mxn', clabe: '64618011540000000' },
  { currency: 'mxn', clabe: '000646180115400000002' },
  { currency: 'mxn', clabe: '646180115400000002000' },
]

describe('bank details', () => {
  for (const { currency, ...numbers } of usable)
    test(`${currency} ${JSON.stringify(numbers)} can be shown to a payer`, () =>
      assert.equal(bankDetailsFault(details(currency, numbers)), null))
  for (const { currency, ...numbers } of wrong)
    test(`${currency} ${JSON.stringify(numbers)} has wrong check digits`, () =>
      assert.equal(bankDetailsFault(details(currency, numbers)), 'bank_details_invalid'))
  for (const currency of ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop', 'aed'])
    test(`${currency} without its number cannot be paid to`, () =>
      assert.equal(bankDetailsFault(details(currency, {})), 'bank_details_missing'))
  test('each rail is checked, and an account has at least one', () => {
    const right = { accountNumber: '215268120000' }
    assert.equal(bankDetailsFault(details('usd', right, right)), null)
    assert.equal(bankDetailsFault(details('usd', right, { routingNumber: '101019644' })), 'bank_details_missing')
    assert.equal(bankDetailsFault(details('usd')), 'bank_details_missing')
    const [good, bad] = [{ clabe: '646180115400000002' }, { clabe: '646180115400000007' }]
    assert.equal(bankDetailsFault(details('mxn', good, bad)), 'bank_details_invalid')
  })
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
          assert.equal(bankDetailsFault(details(currency, { [name]: mistyped })), expected, mistyped)
        }
  })
})
