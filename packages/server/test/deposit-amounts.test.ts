// The arithmetic of deposits, end to end: whatever currency, amount and fee, the amounts we show add up to the last digit.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { addDecimals, compareDecimals, parseDecimal, subtractDecimals } from '../src/domain/money.ts'
import { accountRequest, depositReached } from './http/account-stories.ts'
import { approvedUser, solanaWallet, testWorld } from './test-world.ts'

const world = await testWorld({ sandboxArgs: ['--deposit-step-ms', '0'] })
after(() => world.stop())
const user = await approvedUser(world)

const evm = '0x52908400098527886E0F7030069857D2E4169EE7'
const destinations = [
  solanaWallet,
  { payment_rail: 'solana', currency: 'eurc', address: solanaWallet.address },
  { payment_rail: 'ethereum', currency: 'usdc', address: evm },
  { payment_rail: 'tron', currency: 'usdt', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
]

const deposits = fc.record({
  source: fc.constantFrom('usd', 'eur', 'mxn'),
  destination: fc.constantFrom(...destinations),
  // Above every currency's least amount: what is below is a microdeposit, whatever outcome is asked for.
  cents: fc.integer({ min: 5_000, max: 10_000_000_00 }),
  feeSteps: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999 })),
})

function decimal(text: unknown) {
  const parsed = typeof text === 'string' ? parseDecimal(text) : null
  assert.ok(parsed, `not a decimal: ${String(text)}`)
  return parsed
}

test('converted amount less the three fees is the net amount, exactly, and gross is what the payer sent', async () => {
  await fc.assert(
    fc.asyncProperty(deposits, async ({ source, destination, cents, feeSteps }) => {
      const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
      const fee = `${Math.floor(feeSteps / 10_000)}.${String(feeSteps % 10_000).padStart(4, '0')}`
      const request = accountRequest(user, { source: { currency: source }, destination, developer_fee_percent: fee })
      const { id } = (await world.call('POST', '/v0/virtual-accounts', request)).body.data
      const deposit = await depositReached(world, id, { amount, outcome: 'completed' }, 'completed')

      assert.equal(compareDecimals(decimal(deposit['grossAmount']), decimal(amount)), 0)
      assert.equal(deposit['sourceCurrency'], source)
      assert.equal(deposit['destinationCurrency'], destination.currency)
      const taken = ['developerFee', 'exchangeFee', 'gasFee'].map((name) => decimal(deposit[name])).reduce(addDecimals)
      const net = subtractDecimals(decimal(deposit['convertedAmount']), taken)
      assert.equal(compareDecimals(net, decimal(deposit['netAmount'])), 0, JSON.stringify(deposit))
      const isSameMoney = source === 'usd' && destination.currency !== 'eurc'
      assert.equal(
        compareDecimals(decimal(deposit['exchangeRate']), decimal('1')) === 0,
        isSameMoney || paired(source, destination),
      )
      if (isSameMoney) assert.equal(compareDecimals(decimal(deposit['convertedAmount']), decimal(amount)), 0)
    }),
    { numRuns: 25 },
  )
})

function paired(source: string, { currency }: { currency: string }): boolean {
  return source === 'eur' && currency === 'eurc'
}

test('500.00 EUR reads 500.0 in EUR and 542.5 in USDC, less its fees', async () => {
  const request = accountRequest(user, { source: { currency: 'eur' }, developer_fee_percent: '1' })
  const { id } = (await world.call('POST', '/v0/virtual-accounts', request)).body.data
  const deposit = await depositReached(world, id, { amount: '500.00' }, 'completed')
  const { grossAmount, sourceCurrency, convertedAmount, exchangeRate, developerFee, exchangeFee, gasFee, netAmount } =
    deposit
  assert.deepEqual(
    { grossAmount, sourceCurrency, convertedAmount, exchangeRate, developerFee, exchangeFee, gasFee, netAmount },
    {
      grossAmount: '500.0',
      sourceCurrency: 'eur',
      convertedAmount: '542.5',
      exchangeRate: '1.085',
      developerFee: '5.425',
      exchangeFee: '2.7125',
      gasFee: '0.0',
      netAmount: '534.3625',
    },
  )
})
