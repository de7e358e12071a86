// From the provider's JSON to the amounts a business reads: each in the currency it was measured in, and they add up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountsOf, factsOf, nothing } from '../../../../test/wire-amounts.ts'
import { advance, type DepositState, shownDeposit } from '../../../deposits/state.rules.ts'
import { type Decimal, formatDecimal, lastDigitOf, parseDecimal, pegOf } from '../../../platform/values/money.ts'
import { fiatCurrencies } from '../../../platform/values/rails.ts'
import { bridgeOffer } from '../offer.ts'
import { readActivity } from './activity.ts'

type Wire = Record<string, unknown>

/** The time of a step is its place in the story, whenever it comes. */
const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 12, minute)).toISOString()
const arrival = (more: Wire): Wire => ({ id: 'ev_1', type: 'funds_received', created_at: at(1), ...more })
const submitted = (more: Wire): Wire => ({ id: 'ev_2', type: 'payment_submitted', created_at: at(2), ...more })
const processed = (more: Wire): Wire => ({ id: 'ev_3', type: 'payment_processed', created_at: at(3), ...more })
const pesos = { sourceCurrency: 'mxn', destinationCurrency: 'usdc' }
const dollars = { sourceCurrency: 'usd', destinationCurrency: 'usdc' }

test('20,000 MXN: fees and subtotal are pesos, the net amount is the coin, and the rate between them is derived', () => {
  const receipt = {
    initial_amount: '20000.0',
    developer_fee: '100.0',
    exchange_fee: '50.0',
    subtotal_amount: '19850.0',
    final_amount: '1075.0',
  }
  const facts = factsOf(pesos, [
    arrival({ amount: '20000.0', currency: 'mxn' }),
    processed({ amount: '1075.0', currency: 'mxn', receipt }),
  ])
  assert.deepEqual(amountsOf(facts), {
    feeAfter: '0.00 usdc',
    gross: '20000.00 mxn',
    developerFee: '100.00 mxn',
    exchangeFee: '50.00 mxn',
    subtotal: '19850.00 mxn',
    rate: '0.05415617128 derived',
    gas: null,
    net: '1075.00 usdc',
  })
  assert.equal(facts.destinationCurrency, 'usdc')
})

test('the provider’s own examples: SPEI 500.0 becomes 24.88, PIX 75.0 becomes 68.50', () => {
  const free = { developer_fee: '0.0', exchange_fee: '0.0', gas_fee: '0.0' }
  const spei = { ...free, initial_amount: '500.0', subtotal_amount: '500.0', final_amount: '24.88' }
  assert.deepEqual(amountsOf(factsOf(pesos, [processed({ amount: '24.88', currency: 'usdc', receipt: spei })])), {
    feeAfter: '0.00 usdc',
    gross: '500.00 mxn',
    developerFee: '0.00 mxn',
    exchangeFee: '0.00 mxn',
    subtotal: '500.00 mxn',
    rate: '0.04976 derived',
    gas: '0.00 usdc',
    net: '24.88 usdc',
  })
  const pix = { ...free, initial_amount: '75.0', subtotal_amount: '75.0', final_amount: '68.50' }
  const reais = { sourceCurrency: 'brl', destinationCurrency: 'usdc' }
  assert.deepEqual(amountsOf(factsOf(reais, [processed({ amount: '68.50', currency: 'usd', receipt: pix })])), {
    feeAfter: '0.00 usdc',
    gross: '75.00 brl',
    developerFee: '0.00 brl',
    exchangeFee: '0.00 brl',
    subtotal: '75.00 brl',
    rate: '0.9133333333 derived',
    gas: '0.00 usdc',
    net: '68.50 usdc',
  })
})

test('a dollar deposit adds up from its steps before there is a receipt, and names the coin, not the dollar', () => {
  const own = { developer_fee_amount: '1.25', exchange_fee_amount: '2.2', subtotal_amount: '120.0', gas_fee: '0.0' }
  const none = { developer_fee_amount: '0.0', exchange_fee_amount: '0.0', subtotal_amount: '123.45', gas_fee: '0.0' }
  const received = arrival({ amount: '123.45', currency: 'usd', ...none })
  assert.deepEqual(amountsOf(factsOf(dollars, [received])), { ...nothing, gross: '123.45 usd' }, 'no fee is taken yet')
  assert.deepEqual(amountsOf(factsOf(dollars, [received, submitted({ amount: '120.0', currency: 'usd', ...own })])), {
    feeAfter: '0.00 usdc',
    gross: '123.45 usd',
    developerFee: '1.25 usd',
    exchangeFee: '2.20 usd',
    subtotal: '120.00 usd',
    rate: '1.00 derived',
    gas: '0.00 usdc',
    net: '120.00 usdc',
  })
})

test('the dollars of a step never stand as pesos: without a receipt the fees of a peso deposit are unknown', () => {
  const own = { developer_fee_amount: '5.0', exchange_fee_amount: '2.5', subtotal_amount: '990.0', gas_fee: '0.5' }
  const steps = [
    arrival({ amount: '1000.0', currency: 'usd', ...own }),
    submitted({ amount: '989.5', currency: 'usd', ...own, receipt: { initial_amount: '20000.0' } }),
  ]
  assert.deepEqual(amountsOf(factsOf(pesos, steps)), {
    ...nothing,
    gross: '20000.00 mxn',
    gas: '0.50 usdc',
    net: '989.50 usdc',
  })
  const euroCoin = { sourceCurrency: 'eur', destinationCurrency: 'eurc' }
  assert.deepEqual(amountsOf(factsOf(euroCoin, steps.slice(0, 1))), nothing)
  const payout = submitted({ amount: '989.5', currency: 'usd', ...own })
  assert.deepEqual(amountsOf(factsOf(euroCoin, [payout])), nothing, 'nor as euro coins')
})

test('fees that contradict what was paid in are unknown, and what was paid in stays', () => {
  const receipt = { initial_amount: '500.0', developer_fee: '5.0', exchange_fee: '0.0', subtotal_amount: '494.0' }
  const euros = { sourceCurrency: 'eur', destinationCurrency: 'usdc' }
  assert.deepEqual(amountsOf(factsOf(euros, [processed({ receipt })])), { ...nothing, gross: '500.00 eur' })
  const ofDollars = amountsOf(factsOf(dollars, [processed({ receipt })]))
  assert.deepEqual(ofDollars, { ...nothing, gross: '500.00 usd' }, 'the same money on both sides')
  const converted = { initial_amount: '542.5', developer_fee: '0.0', exchange_fee: '0.0', subtotal_amount: '542.5' }
  const steps = [arrival({ amount: '500.0', currency: 'eur' }), processed({ receipt: converted })]
  assert.deepEqual(amountsOf(factsOf(euros, steps)), { ...nothing, gross: '500.00 eur' })
})

test('the provider’s rate is shown where it leads to the net amount, else the one the amounts lead to', () => {
  const euros = { sourceCurrency: 'eur', destinationCurrency: 'usdt' }
  const receipt = (rate: string | undefined, final: string, gas = '1.5') => ({
    initial_amount: '500.0',
    developer_fee: '2.5',
    exchange_fee: '0.0',
    subtotal_amount: '497.5',
    gas_fee: gas,
    final_amount: final,
    ...(rate === undefined ? {} : { exchange_rate: rate }),
  })
  const rateOf = (told: Wire) => amountsOf(factsOf(euros, [processed({ receipt: told })])).rate
  assert.equal(rateOf(receipt('1.0850', '538.2875')), '1.085 provider')
  assert.equal(rateOf(receipt('1.08505001', '538.312379')), '1.08505001 provider', 'rounded down to the last digit')
  assert.equal(rateOf(receipt('1.08505001', '538.31238')), '1.08505001 provider', 'rounded up')
  assert.equal(rateOf(receipt('1.08505001', '538.312378')), '1.085050006 derived', 'a digit off')
  assert.equal(rateOf(receipt('0.05', '538.2875')), '1.085 derived')
  assert.equal(rateOf(receipt(undefined, '538.2875')), '1.085 derived')
  assert.equal(rateOf(receipt('1.085', '-1')), '1.085 provider', 'nothing contradicts it')
})

test('no amount is read from what is none', () => {
  for (const amount of ['-1.0', '1,000', 'NaN', '', {}, null, true])
    assert.deepEqual(amountsOf(factsOf(dollars, [arrival({ amount, currency: 'usd' })])), nothing)
})

test('a new destination of the account renames no payout that was told before', () => {
  const steps = [
    arrival({ amount: '10.0', currency: 'usd' }),
    submitted({ amount: '10.0', currency: 'usd' }),
    processed({ amount: '10.0', currency: 'usd' }),
  ]
  let state: DepositState | null = null
  const coins = ['usdt', 'usdc', 'pyusd']
  for (const [index, step] of steps.entries()) {
    const route = { sourceCurrency: 'usd', destinationCurrency: coins[index] ?? '' }
    state = advance(state, readActivity(step, null).activity, route).state
  }
  assert.ok(state)
  const { destinationCurrency, netAmount } = shownDeposit(state)
  assert.deepEqual([destinationCurrency, netAmount?.currency], ['usdc', 'usdc'])
})

const coins = [...new Set(Object.values(bridgeOffer.chains).flatMap((chain) => chain.currencies))]
const cents = (min: number, max: number) => fc.integer({ min, max }).map((value) => decimal((value / 100).toFixed(2)))
const decimal = (text: string): Decimal => {
  const value = parseDecimal(text)
  assert.ok(value, text)
  return value
}
/** The wire's own way to write a number: one decimal at least, zeros behind it or not. */
const wireText = (value: Decimal, zeros: number) =>
  `${value.toFixed(Math.max(1, value.toFixed().split('.')[1]?.length ?? 0))}${'0'.repeat(zeros)}`

const story = fc
  .record({
    sourceCurrency: fc.constantFrom(...fiatCurrencies),
    destinationCurrency: fc.constantFrom(...coins),
    gross: cents(100_00, 10_000_000_00),
    developerFee: cents(0, 40_00),
    exchangeFee: cents(0, 10_00),
    rate: fc.integer({ min: 2, max: 2_000_000 }).map((value) => decimal((value / 1_000_000).toFixed(6))),
    gas: cents(0, 1),
    tellsRate: fc.boolean(),
    payoutWord: fc.constantFrom('coin', 'dollar', 'fiat'),
    garbage: cents(1, 99_99),
    zeros: fc.nat(3),
  })
  .map((drawn) => ({ ...drawn, subtotal: drawn.gross.minus(drawn.developerFee).minus(drawn.exchangeFee) }))

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never

function netOf({ subtotal, rate, gas, destinationCurrency }: Story): Decimal {
  const digits = lastDigitOf(destinationCurrency).toFixed().split('.')[1]?.length ?? 0
  return subtotal.times(rate).round(digits).minus(gas)
}

/** One number on both sides of a conversion: nothing says in which currency the receipt has it, so only the gross amount is shown. */
function isAtPar(told: Story): boolean {
  const { destinationCurrency, sourceCurrency, subtotal, gas } = told
  return pegOf(destinationCurrency) !== sourceCurrency && netOf(told).plus(gas).eq(subtotal)
}

/** As the document has it: the receipt in the currency paid in, then in the destination's peg; the step's own in dollars. */
function wireOf(told: Story): Wire[] {
  const { gross, developerFee, exchangeFee, subtotal, gas, rate, garbage, sourceCurrency } = told
  const write = (value: Decimal) => wireText(value, told.zeros)
  const isDollar = sourceCurrency === 'usd'
  const own = {
    developer_fee_amount: write(isDollar ? developerFee : garbage),
    exchange_fee_amount: write(isDollar ? exchangeFee : garbage),
    subtotal_amount: write(isDollar ? subtotal : garbage),
    gas_fee: write(pegOf(told.destinationCurrency) === 'usd' ? gas : garbage),
  }
  const words = { coin: told.destinationCurrency, dollar: 'usd', fiat: sourceCurrency }
  const peg = pegOf(told.destinationCurrency)
  const isToldInCoin = peg === 'usd' || pegOf(words[told.payoutWord]) === peg
  const sent = { amount: write(isToldInCoin ? netOf(told) : garbage), currency: words[told.payoutWord], ...own }
  const paid = {
    initial_amount: write(gross),
    developer_fee: write(developerFee),
    exchange_fee: write(exchangeFee),
    subtotal_amount: write(subtotal),
  }
  const receipt = {
    ...paid,
    gas_fee: write(gas),
    final_amount: write(netOf(told)),
    ...(told.tellsRate ? { exchange_rate: write(rate) } : {}),
  }
  return [
    arrival({ amount: write(gross), currency: sourceCurrency, ...own }),
    submitted({ ...sent, receipt: { initial_amount: write(gross) } }),
    processed({ ...sent, receipt }),
  ]
}

test('in any currency, whatever order and however often its steps come, a deposit shows the true amounts or none', () => {
  const shuffled = story.chain((told) => {
    const steps = wireOf(told)
    return fc.tuple(
      fc.constant(told),
      fc.shuffledSubarray([...steps, ...steps, ...steps], { minLength: 9, maxLength: 9 }),
    )
  })
  const par = {
    ...({
      sourceCurrency: 'eur',
      destinationCurrency: 'usdc',
      payoutWord: 'coin',
      zeros: 0,
      tellsRate: false,
    } as const),
    ...{ gross: decimal('100'), subtotal: decimal('100'), rate: decimal('1'), garbage: decimal('0.01') },
    ...{ developerFee: decimal('0'), exchangeFee: decimal('0'), gas: decimal('0') },
  }
  fc.assert(
    fc.property(shuffled, ([told, steps]) => {
      const net = netOf(told)
      fc.pre(net.gt(0))
      const [paidIn, coin] = [told.sourceCurrency, told.destinationCurrency]
      const truth = {
        feeAfter: `0.00 ${coin}`,
        gross: `${formatDecimal(told.gross)} ${paidIn}`,
        developerFee: `${formatDecimal(told.developerFee)} ${paidIn}`,
        exchangeFee: `${formatDecimal(told.exchangeFee)} ${paidIn}`,
        subtotal: `${formatDecimal(told.subtotal)} ${paidIn}`,
        gas: `${formatDecimal(told.gas)} ${coin}`,
        net: `${formatDecimal(net)} ${coin}`,
      }
      for (const heard of steps.keys()) {
        const { rate: _, ...shown } = amountsOf(factsOf(told, steps.slice(0, heard + 1)))
        for (const [name, amount] of Object.entries(shown))
          if (amount !== null) assert.equal(amount, truth[name as keyof typeof truth], name)
      }
      const facts = factsOf(told, steps)
      const { rate, ...shown } = amountsOf(facts)
      if (isAtPar(told)) {
        assert.deepEqual({ ...shown, rate }, { ...nothing, gross: truth.gross })
        return
      }
      assert.deepEqual(shown, truth)
      const derived = net.plus(told.gas).div(told.subtotal).prec(10)
      const expected = told.tellsRate ? `${formatDecimal(told.rate)} provider` : `${formatDecimal(derived)} derived`
      assert.equal(rate, expected)
      assert.equal(facts.destinationCurrency, coin)
    }),
    { numRuns: 500, examples: [[[par, wireOf(par)]]] },
  )
})
