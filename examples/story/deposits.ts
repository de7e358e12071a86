// Three deposits: one completed, one reviewed and released, one refunded. Webhooks report each status; the API then confirms it.

import assert from 'node:assert/strict'
import type { Amount, SandboxDepositOutcome, VirtualAccount } from '@causeway/sdk'
import { Decimal } from '../decimal.ts'
import type { Accounts } from './accounts.ts'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

const PLACES = 6 // of a stablecoin

export async function deposits(world: World, { usd, mxn, eur }: Accounts): Promise<void> {
  const { api, events } = world
  chapter('Deposits: completed, reviewed, refunded')

  const first = await pay(world, usd, '1000.10', 'completed')
  await events.deposit(first, 'completed')
  saw(`completed: ${await settled(world, usd, first, '1000.10')}`)

  const second = await pay(world, mxn, '12345.67', 'in_review')
  const held = await events.deposit(second, 'in_review')
  assert.equal(held.netAmount, null)
  saw('reviewed: the provider looks at it, nothing is paid out yet')
  await api.sandbox.advanceDeposit(held.id, { to: 'completed' })
  await events.deposit(second, 'completed')
  saw(`released: ${await settled(world, mxn, second, '12345.67')}`)

  const third = await pay(world, eur, '77.77', 'refunded')
  await events.deposit(third, 'refund_pending')
  const { id } = await events.deposit(third, 'refunded')
  const refunded = await api.deposits.get(id)
  assert.equal(refunded.status, 'refunded')
  assert.deepEqual(refunded.grossAmount, { value: '77.77', currency: 'eur' })
  assert.equal(refunded.netAmount, null)
  assert.equal(refunded.destinationTxHash, null)
  saw(`refunded: 77.77 EUR went back: “${refunded.refund?.reason}”`)

  const read = await api.virtualAccounts.deposits(usd.id).toArray({ max: 10 })
  assert.deepEqual(
    read.map((deposit) => deposit.providerDepositId),
    [first],
  )
  saw('the list of the USD account has its one deposit')
}

/** Simulates a deposit. The response contains the provider's ID of the deposit; the first event contains the Causeway ID. */
async function pay(
  { api }: World,
  { id }: VirtualAccount,
  amount: string,
  outcome: SandboxDepositOutcome,
): Promise<string> {
  const { providerDepositId } = await api.sandbox.simulateDeposit({ virtualAccountId: id, amount, outcome })
  return providerDepositId
}

/** Reads a deposit that has arrived, and checks its sums to the last digit. */
async function settled(
  { api, events }: World,
  account: VirtualAccount,
  provider: string,
  sent: string,
): Promise<string> {
  const { id } = await events.deposit(provider, 'completed')
  const deposit = await api.deposits.get(id)
  assert.equal(deposit.status, 'completed')
  assert.equal(deposit.externalUserId, account.externalUserId)
  assert.ok(deposit.destinationTxHash)
  const way = deposit.timeline.map((step) => step.status)
  assert.equal(way.at(0), 'received')
  assert.equal(way.at(-1), 'completed')

  // Everything before the exchange is in the currency paid in, everything behind it in the coin.
  const gross = valueIn(account.sourceCurrency, deposit.grossAmount)
  const developerFee = valueIn(account.sourceCurrency, deposit.developerFee)
  const exchangeFee = valueIn(account.sourceCurrency, deposit.exchangeFee)
  const subtotal = valueIn(account.sourceCurrency, deposit.subtotalAmount)
  const gas = valueIn(account.destinationCurrency, deposit.gasFee)
  const net = valueIn(account.destinationCurrency, deposit.netAmount)
  const fee = gross.percent(Decimal.of(account.developerFeePercent))
  const sentOn = subtotal.times(Decimal.of(deposit.exchangeRate)).minus(gas)

  assert.ok(gross.equals(Decimal.of(sent)), `${gross} was sent as ${sent}`)
  assert.ok(fee.isNear(developerFee, 2), `the fee is ${developerFee}, not ${fee}`)
  assert.ok(gross.minus(developerFee).minus(exchangeFee).equals(subtotal), `the subtotal is ${subtotal}`)
  assert.ok(sentOn.isNear(net, PLACES), `net is ${net}, not ${sentOn}`)
  const [paid, coin] = [account.sourceCurrency.toUpperCase(), account.destinationCurrency.toUpperCase()]
  return `${gross} ${paid} − fees = ${subtotal} ${paid} → ${net} ${coin}; ${developerFee} ${paid} are ours`
}

function valueIn(currency: string, amount: Amount | null): Decimal {
  assert.equal(amount?.currency, currency)
  return Decimal.of(amount?.value ?? null)
}
