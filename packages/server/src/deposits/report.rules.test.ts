// Tests that a completed deposit balances to the cent or reports the remainder.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Amount, decimalOf, formatDecimal } from '../platform/values/money.ts'
import { differenceOf } from './report.rules.ts'

const usd = (value: string): Amount | null => ({ value, currency: 'usd' })
const usdc = (value: string): Amount | null => ({ value, currency: 'usdc' })
const whole = {
  sourceCurrency: 'usd',
  destinationCurrency: 'usdc',
  grossAmount: usd('2000.00'),
  developerFee: usd('20.00'),
  exchangeFee: usd('10.00'),
  subtotalAmount: usd('1970.00'),
  destinationExchangeFee: usdc('0.00'),
  gasFee: usdc('0.50'),
  netAmount: usdc('1969.50'),
}

test('what adds up to the cent has no difference', () => {
  assert.equal(differenceOf(whole), null)
  assert.equal(differenceOf({ ...whole, netAmount: usdc('1969.509999') }), null)
  assert.equal(differenceOf({ ...whole, gasFee: null, netAmount: usdc('1970.00') }), null)
  assert.equal(differenceOf({ ...whole, destinationExchangeFee: usdc('2.50'), netAmount: usdc('1967.00') }), null)
})

test('a net amount that is a cent off is told, whichever way', () => {
  for (const [net, left] of [
    ['1969.49', '0.01'],
    ['1969.51', '-0.01'],
  ] as const)
    assert.deepEqual(differenceOf({ ...whole, netAmount: usdc(net) }), {
      code: 'net_differs',
      amount: { value: left, currency: 'usd' },
    })
})

test('an unknown amount is told, with what is left over without the amount', () => {
  const unknown = (value: string) => ({ code: 'amount_unknown', amount: { value, currency: 'usd' } })
  const fees = { developerFee: null, exchangeFee: null, subtotalAmount: null }
  assert.deepEqual(differenceOf({ ...whole, ...fees }), unknown('2000.00'))
  assert.deepEqual(differenceOf({ ...whole, exchangeFee: null }), unknown('10.00'))
  assert.deepEqual(differenceOf({ ...whole, grossAmount: null }), unknown('-2000.00'))
  assert.deepEqual(differenceOf({ ...whole, netAmount: null }), unknown('0.00'))
})

test('two currencies are never compared', () => {
  const net = { destinationCurrency: 'eurc', netAmount: { value: '1500.00', currency: 'eurc' } }
  assert.equal(differenceOf({ ...whole, ...net }), null)
})

test('gross less fees and subtotal is the sum of the differences, whatever is unknown', () => {
  const amount = fc.option(
    fc.nat(1_000_000).map((cents) => usd((cents / 100).toFixed(2))),
    { nil: null },
  )
  fc.assert(
    fc.property(amount, amount, amount, (grossAmount, developerFee, exchangeFee) => {
      // As in `depositAmounts`: the subtotal is exact if it is known together with all of the others.
      const [gross, developer, exchange] = [grossAmount, developerFee, exchangeFee].map((each) =>
        decimalOf(each?.value ?? '0'),
      )
      assert.ok(gross && developer && exchange)
      const left = gross.minus(developer).minus(exchange)
      const isWhole = grossAmount !== null && developerFee !== null && exchangeFee !== null && left.gte(0)
      const subtotalAmount = isWhole ? usd(formatDecimal(left)) : null
      const told = differenceOf({ ...whole, grossAmount, developerFee, exchangeFee, subtotalAmount, netAmount: null })
      assert.equal(told?.code, 'amount_unknown')
      assert.equal(told.amount.value, isWhole ? '0.00' : formatDecimal(left))
    }),
  )
})
