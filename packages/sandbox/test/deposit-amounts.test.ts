// The amounts of a deposit: the provider's example figures, and the sums that hold in every currency.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { amountsOf, subtractCharges } from '../src/bridge/deposits/amounts.ts'
import { chains, fiatCurrencies, fiatTerms, isOnChain, stablecoins } from '../src/bridge/virtual-accounts/currencies.ts'
import { formatDecimal, parseDecimal } from '../src/platform/decimal.ts'
import { deposit, depositAt, openAccount } from './people.ts'
import { startSandbox } from './sandbox.ts'

const coinUnit = 10n ** 6n
const fiatUnit = 10n ** 10n

describe('the amounts of a deposit', () => {
  const examples: [name: string, charges: string[], subtotal: string, final: string][] = [
    ['SPEI', ['500.0', '0.0', '0.0', '0.04976', '0.0'], '500.0', '24.88'],
    ['PIX', ['75.0', '0.0', '0.0', '0.9133333333', '0.0'], '75.0', '68.5'],
    ['ACH', ['123.45', '1.25', '2.2', '1', '0.0'], '120.0', '120.0'],
    ['ACH with both fees', ['2000.0', '20.0', '10.0', '1', '0.0'], '1970.0', '1970.0'],
    ['SPEI with both fees', ['20000.0', '100.0', '50.0', '0.0541561713', '0.0'], '19850.0', '1075.0'],
  ]
  for (const [name, charges, subtotal, final] of examples) {
    test(`the provider's figures for ${name} come out`, () => {
      const [initial = 0n, developerFee = 0n, exchangeFee = 0n, rate = 0n, gasFee = 0n] = charges.map(parseDecimal)
      const settled = subtractCharges({ initial, developerFee, exchangeFee, rate, gasFee })
      assert.deepEqual([formatDecimal(settled.subtotal), formatDecimal(settled.final)], [subtotal, final])
    })
  }

  const cents = fc.bigInt({ min: 1n, max: 10n ** 12n })
  const pairs = stablecoins.flatMap((coin) =>
    chains.filter((chain) => isOnChain(coin, chain)).map((chain) => [coin, chain] as const),
  )
  const rails = fiatCurrencies.flatMap((currency) => fiatTerms[currency].rails.map((rail) => ({ currency, rail })))
  const anyOrder = fc
    .record({
      amount: cents.map((value) => `${value / 100n}.${(value % 100n).toString().padStart(2, '0')}`),
      terms: fc.constantFrom(...rails),
      pair: fc.constantFrom(...pairs),
      developerFeePercent: fc.bigInt({ min: 0n, max: 99_999n }).map((value) => formatDecimal(value * 10n ** 9n)),
    })
    .map(({ terms, pair: [coin, chain], ...rest }) => ({ ...rest, ...terms, coin, chain }))

  test('subtotal = initial - fees and final = subtotal * rate - gas hold to the last digit in every currency', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const { receipt, exchangeRate } = amountsOf(order)
        const [initial, developer, exchange, subtotal, gas, final] = (
          ['initial_amount', 'developer_fee', 'exchange_fee', 'subtotal_amount', 'gas_fee', 'final_amount'] as const
        ).map((field) => parseDecimal(receipt[field])) as [bigint, bigint, bigint, bigint, bigint, bigint]
        assert.equal(initial, parseDecimal(order.amount))
        assert.equal(subtotal, initial - developer - exchange)
        const product = subtotal * parseDecimal(exchangeRate)
        const unit = 10n ** 12n * coinUnit
        assert.equal(final + gas, ((product + unit / 2n) / unit) * coinUnit)
        for (const fee of [developer, exchange, subtotal]) assert.equal(fee % fiatUnit, 0n, 'whole cents')
        const exact = (initial * parseDecimal(order.developerFeePercent)) / 100n / 10n ** 12n
        assert.ok(developer - exact <= fiatUnit && exact - developer <= fiatUnit, 'the fee is the percentage')
      }),
      { numRuns: 1_000 },
    )
  })

  test('the rate stands on receipts of SEPA and on no other', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const { receipt, exchangeRate } = amountsOf(order)
        assert.equal(receipt.exchange_rate, order.rail === 'sepa' ? exchangeRate : undefined)
      }),
    )
  })

  test('the amounts of an activity are in dollars: what is sent of a coin pegged to the dollar is subtotal - gas', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const { payment, receipt } = amountsOf(order)
        fc.pre(order.coin !== 'eurc')
        const sent = parseDecimal(payment.subtotal_amount) - parseDecimal(payment.gas_fee)
        assert.equal(formatDecimal(sent), receipt.final_amount)
        if (order.currency !== 'usd') return
        assert.equal(payment.developer_fee_amount, receipt.developer_fee)
        assert.equal(payment.subtotal_amount, receipt.subtotal_amount)
      }),
    )
  })

  test('a deposit that is worth what is sent pays for no exchange', () => {
    const base = { amount: '123.45', chain: 'polygon', developerFeePercent: '0' }
    const dollars = amountsOf({ ...base, currency: 'usd', rail: 'wire', coin: 'usdc' })
    const euros = amountsOf({ ...base, currency: 'eur', rail: 'sepa', coin: 'eurc' })
    for (const { receipt, exchangeRate } of [dollars, euros]) {
      assert.deepEqual([receipt.exchange_fee, exchangeRate, receipt.final_amount], ['0.0', '1.0', '123.45'])
    }
    const pesos = amountsOf({ ...base, currency: 'mxn', rail: 'spei', coin: 'usdc' })
    assert.equal(pesos.receipt.exchange_fee, '0.62')
  })

  test('a decimal survives reading and writing', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (units) => {
        const value = units * 100n
        assert.equal(parseDecimal(formatDecimal(value)), value)
      }),
    )
    for (const bad of ['', '.5', '1.', '-1', '+1', '1e3', ' 1', '1,5', '0x1', '1.00000000001']) {
      assert.throws(() => parseDecimal(bad), RangeError, bad)
    }
  })

  test('the documented pair that does not exist is refused and the ordinary ones are there', () => {
    assert.ok(!isOnChain('eurc', 'arbitrum'))
    for (const chain of ['ethereum', 'base', 'polygon', 'solana', 'arbitrum']) assert.ok(isOnChain('usdc', chain))
  })
})

describe('a deposit on the wire', () => {
  test('its receipt is in the fiat paid in and the peg, its activities are in dollars beside their amount', async () => {
    await using sandbox = await startSandbox({ depositStepMs: 0 })
    const account = await openAccount(sandbox, 'mxn', { developer_fee_percent: '1' })
    const id = await deposit(sandbox, account, { amount: '900.00' })
    const [received, submitted, processed] = await depositAt(sandbox, id, 'payment_processed')
    const { url: _url, destination_tx_hash: _hash, ...receipt } = processed?.receipt ?? {}
    assert.deepEqual(receipt, {
      initial_amount: '900.0',
      developer_fee: '9.0',
      exchange_fee: '4.5',
      subtotal_amount: '886.5',
      gas_fee: '0.0',
      final_amount: '48.31425',
    })
    assert.deepEqual([received?.amount, received?.currency, received?.subtotal_amount], ['900.0', 'mxn', '49.05'])
    for (const step of [submitted, processed]) {
      assert.deepEqual([step?.amount, step?.currency, step?.subtotal_amount], ['48.31425', 'usdc', '48.31425'])
      assert.deepEqual([step?.developer_fee_amount, step?.exchange_fee_amount], ['0.4905', '0.24525'])
    }
    assert.equal(submitted?.receipt, undefined)
  })
})
