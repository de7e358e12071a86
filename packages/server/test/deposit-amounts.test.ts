// The arithmetic of deposits, end to end: whatever currency, amount and fee, the amounts we show add up to the last digit.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { accountRequest } from './business.ts'
import { assertAddsUp } from './deposit-sums.ts'
import { solanaWallet } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, sandbox: { depositStepMs: 0 } })
after(() => world.stop())
const user = await world.business.user('approved')

const evm = '0x52908400098527886E0F7030069857D2E4169EE7'
const destinations = [
  solanaWallet,
  { payment_rail: 'solana', currency: 'eurc', address: solanaWallet.address },
  { payment_rail: 'ethereum', currency: 'usdc', address: evm },
  { payment_rail: 'tron', currency: 'usdt', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
]

const deposits = fc.record({
  source: fc.constantFrom('usd', 'eur', 'mxn'),
  destination: fc.constantFrom(...destinations),
  // Above every currency's least amount: what is below is a microdeposit, whatever outcome is asked for.
  cents: fc.integer({ min: 5_000, max: 10_000_000_00 }),
  feeSteps: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 990_000 })),
})

test('whatever is paid in, the fees and the subtotal are in its currency, and the rate leads to what the wallet got', async () => {
  await fc.assert(
    fc.asyncProperty(deposits, async ({ source, destination, cents, feeSteps }) => {
      const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
      const fee = `${Math.floor(feeSteps / 10_000)}.${String(feeSteps % 10_000).padStart(4, '0')}`
      const request = accountRequest(user, { source: { currency: source }, destination, developer_fee_percent: fee })
      const { id } = (await world.business.call('POST', '/v0/virtual-accounts', request)).body.data
      const deposit = await world.business.deposit(id, { amount, outcome: 'completed' }, 'completed')

      assert.deepEqual(deposit['grossAmount'], { value: amount, currency: source })
      assert.equal(deposit['sourceCurrency'], source)
      assert.equal(deposit['destinationCurrency'], destination.currency)
      assertAddsUp(deposit)
      const isSameMoney = destination.currency === 'eurc' ? source === 'eur' : source === 'usd'
      assert.equal(Number(deposit['exchangeRate']) === 1, isSameMoney, JSON.stringify(deposit))
    }),
    { numRuns: 25 },
  )
})

test('a deposit in euros and one in pesos read as a treasurer would book them', async () => {
  const bookings = { eur: { amount: '500.00', fee: '5.00' }, mxn: { amount: '20000.00', fee: '200.00' } }
  for (const [currency, { amount, fee }] of Object.entries(bookings)) {
    const request = accountRequest(user, { source: { currency }, developer_fee_percent: '1' })
    const { id } = (await world.business.call('POST', '/v0/virtual-accounts', request)).body.data
    const deposit = await world.business.deposit(id, { amount }, 'completed')
    assert.deepEqual(deposit['grossAmount'], { value: amount, currency })
    assert.deepEqual(deposit['developerFee'], { value: fee, currency })
    assertAddsUp(deposit)
  }
})
