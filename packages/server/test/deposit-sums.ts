// Rules for the amounts of any deposit: each amount in its own currency, and sums that balance.

import assert from 'node:assert/strict'
import { lastDigitOf, parseDecimal } from '../src/platform/values/money.ts'

type Amount = { value: string; currency: string }
// biome-ignore lint/suspicious/noExplicitAny: an answer's JSON, which tests read as they find it
type Deposit = any

const paidNames = ['grossAmount', 'developerFee', 'exchangeFee', 'subtotalAmount']
const sentNames = ['gasFee', 'netAmount']

function decimal(text: string) {
  const value = parseDecimal(text)
  assert.ok(value, `not a decimal: ${text}`)
  return value
}

/** Checks a deposit in any state; in a completed one no amount may be unknown. */
export function assertAddsUp(deposit: Deposit): void {
  const told = (names: string[]) => names.map((name): Amount | null => deposit[name])
  for (const amount of told(paidNames)) if (amount) assert.equal(amount.currency, deposit.sourceCurrency)
  for (const amount of told(sentNames)) if (amount) assert.equal(amount.currency, deposit.destinationCurrency)
  if (deposit.status !== 'completed') return
  const values = told([...paidNames, ...sentNames]).map((amount) => decimal(amount?.value ?? 'unknown'))
  const [gross, developerFee, exchangeFee, subtotal, gas, net] = values
  assert.ok(gross && developerFee && exchangeFee && subtotal && gas && net)
  assert.ok(gross.minus(developerFee).minus(exchangeFee).eq(subtotal), JSON.stringify(deposit))
  // Fees may take all of it: there is no rate where nothing was exchanged.
  if (net.plus(gas).eq(0)) return
  const rate = decimal(deposit.exchangeRate)
  const missedBy = subtotal.times(rate).minus(gas).minus(net).abs()
  const lastDigit = lastDigitOf(deposit.destinationCurrency)
  // Ten significant digits of a derived rate leave this much of the amount open.
  const open = deposit.exchangeRateSource === 'provider' ? lastDigit : net.plus(gas).times('1e-9').plus(lastDigit)
  assert.ok(missedBy.lt(open), JSON.stringify(deposit))
}
