// Deposit instructions for a payer, rail by rail, and who may pay.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instructionsByRail } from './instructions.rules.ts'
import { payerRulesOf } from './payer.rules.ts'

const numbers = {
  ...{ accountNumber: '1', routingNumber: '2', iban: '3', bic: '4', clabe: '5', pixCode: '6', sortCode: '7' },
  breBKey: '8',
}
const names = ['beneficiaryName', 'beneficiaryAddress', 'bankName', 'bankAddress']
const bank = { beneficiaryName: 'Ada', beneficiaryAddress: '1 Main St', bankName: 'Bank', bankAddress: '2 Main St' }

test('each rail has its name, and the details that banks ask for, in their order', () => {
  for (const [rail, railName, ...first] of [
    ['ach_push', 'ACH', 'accountNumber', 'routingNumber'],
    ['wire', 'Wire', 'accountNumber', 'routingNumber'],
    ['fednow', 'FedNow', 'accountNumber', 'routingNumber'],
    ['sepa', 'SEPA', 'iban', 'bic'],
    ['spei', 'SPEI', 'clabe'],
    ['pix', 'Pix', 'pixCode'],
    ['faster_payments', 'Faster Payments', 'accountNumber', 'sortCode'],
    ['bre_b', 'Bre-B', 'breBKey', 'depositMessage'],
  ] as const) {
    const details = { currency: 'usd', ...bank, depositMessage: 'M', rails: [{ rail, numbers }] }
    const [shown] = instructionsByRail(details)
    assert.equal(shown?.railName, railName)
    assert.deepEqual(
      shown?.details.map(({ name }) => name),
      [...first, ...names],
    )
  }
})

test('a rail that is new gets all details that are known, and a detail that is unknown is left out', () => {
  const rails = [{ rail: 'rtp', numbers: { accountNumber: '1' } }]
  const unknown = { beneficiaryName: null, beneficiaryAddress: null, bankAddress: null, depositMessage: null }
  const [shown] = instructionsByRail({ currency: 'usd', ...unknown, bankName: 'Bank', rails })
  assert.equal(shown?.railName, 'rtp')
  assert.deepEqual(
    new Map(shown?.details.map(({ name, value }) => [name, value])),
    new Map([
      ['accountNumber', '1'],
      ['bankName', 'Bank'],
    ]),
  )
})

test('payers are those that the currency allows, and without a fee the smallest deposit is not known', () => {
  const account = { minimumAmount: '1.00', feePercent: '1', beneficiaryName: 'Ada' }
  for (const currency of ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'] as const) {
    const { payers, minimumDeposit, payerUsesName } = payerRulesOf({ currency, ...account })
    assert.ok(payers.length > 0 && payers.every(({ kind, text }) => kind && text.endsWith('.')), currency)
    assert.equal(
      payers.some(({ kind }) => kind === 'iban_of_listed_country'),
      currency === 'eur',
    )
    assert.equal(
      payers.some(({ kind }) => kind === 'payroll'),
      currency === 'usd',
    )
    assert.ok(minimumDeposit !== null && Number(minimumDeposit) > 1)
    assert.equal(payerUsesName, 'Ada')
  }
  assert.equal(payerRulesOf({ currency: 'usd', ...account, feePercent: null }).minimumDeposit, null)
})
