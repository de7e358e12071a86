// The two forms of a receipt: each amount is in the currency in which it was measured, and a receipt that fits neither form
// shows no amount whose currency depends on the form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountsOf, factsOf, nothing, routeOf } from '../../../../test/wire-amounts.ts'
import { parseWithoutRounding } from '../../../platform/values/json.ts'

type Wire = Record<string, unknown>

const arrival = { id: 'act_1', type: 'funds_received', created_at: '2026-01-05T12:00:00Z' }
const payout = { id: 'act_2', type: 'payment_processed', created_at: '2026-01-05T12:01:00Z' }

const receiptOf = (pair: string, receipt: Wire) =>
  amountsOf(factsOf(routeOf(pair), [{ ...payout, currency: 'usdc', receipt }]))

const pesos = {
  initial_amount: '20000.0',
  developer_fee: '100.0',
  exchange_fee: '50.0',
  pre_conversion_subtotal_amount: '19850.0',
  converted_amount: '1075.50',
  subtotal_amount: '1075.50',
  gas_fee: '0.50',
  final_amount: '1075.00',
}
const pesosShown = {
  gross: '20000.00 mxn',
  developerFee: '100.00 mxn',
  exchangeFee: '50.00 mxn',
  subtotal: '19850.00 mxn',
  rate: '0.0541813602 derived',
  feeAfter: '0.00 usdc',
  gas: '0.50 usdc',
  net: '1075.00 usdc',
}
const euros = {
  initial_amount: '500.0',
  developer_fee: '2.50',
  exchange_fee: '1.25',
  pre_conversion_subtotal_amount: '497.50',
  converted_amount: '539.7875',
  subtotal_amount: '538.5375',
  gas_fee: '0.35',
  final_amount: '538.1875',
  exchange_rate: '1.085',
}

test('20,000 MXN in the newer form: the subtotal is what goes into the conversion, the rate is what came out by it', () => {
  const steps = [
    { ...arrival, amount: '20000.0', currency: 'mxn' },
    { ...payout, currency: 'usdc', receipt: pesos },
  ]
  assert.deepEqual(amountsOf(factsOf(routeOf('mxn usdc'), steps)), pesosShown)
  assert.deepEqual(receiptOf('mxn usdc', { ...pesos, mid_market_rate: '0.0545' }), pesosShown)
})

test('a fee after the conversion is in the coin, and no euro', () => {
  assert.deepEqual(receiptOf('eur usdc', euros), {
    gross: '500.00 eur',
    developerFee: '2.50 eur',
    exchangeFee: '0.00 eur',
    subtotal: '497.50 eur',
    rate: '1.085 provider',
    feeAfter: '1.25 usdc',
    gas: '0.35 usdc',
    net: '538.1875 usdc',
  })
})

test('one of the two amounts around the conversion is enough to know where each fee was taken', () => {
  for (const [pair, receipt] of [
    ['mxn usdc', pesos],
    ['eur usdc', euros],
  ] as const)
    for (const name of ['pre_conversion_subtotal_amount', 'converted_amount'])
      assert.deepEqual(receiptOf(pair, { ...receipt, [name]: undefined }), receiptOf(pair, receipt), name)
})

test('the amounts around the conversion are certain where a fee is missing, or the developer fee is taken after it', () => {
  const shown = { ...nothing, gross: '20000.00 mxn', subtotal: '19850.00 mxn', rate: pesosShown.rate }
  const sent = { gas: '0.50 usdc', net: '1075.00 usdc' }
  for (const missing of ['exchange_fee', 'developer_fee', 'subtotal_amount'])
    assert.deepEqual(
      receiptOf('mxn usdc', {
        ...pesos,
        [missing]: undefined,
        ...(missing === 'subtotal_amount' && { final_amount: undefined }),
      }),
      { ...shown, ...(missing === 'subtotal_amount' ? { gas: sent.gas } : sent) },
      missing,
    )
  const developerFeeAfter = { developer_fee: '2.0', subtotal_amount: '1073.5', final_amount: '1073.0' }
  const exchangeFeeBefore = { ...pesos, ...developerFeeAfter, exchange_fee: '150.0' }
  assert.deepEqual(receiptOf('mxn usdc', exchangeFeeBefore), { ...shown, ...sent, net: '1073.00 usdc' })
  const bothAfter = { ...pesos, ...developerFeeAfter, pre_conversion_subtotal_amount: '20000.0', exchange_fee: '1.0' }
  assert.deepEqual(receiptOf('mxn usdc', { ...bothAfter, converted_amount: '1076.5' }), {
    ...shown,
    ...sent,
    subtotal: '20000.00 mxn',
    rate: '0.053825 derived',
    net: '1073.00 usdc',
  })
})

test('the older form stays as it was, and a dollar into a dollar coin reads the same in both', () => {
  const older = {
    initial_amount: '20000.0',
    developer_fee: '100.0',
    exchange_fee: '50.0',
    subtotal_amount: '19850.0',
    gas_fee: '0.5',
    final_amount: '1075.0',
  }
  assert.deepEqual(receiptOf('mxn usdc', older), pesosShown)
  const dollars = {
    initial_amount: '100.0',
    developer_fee: '1.0',
    exchange_fee: '0.5',
    subtotal_amount: '98.5',
    gas_fee: '0.25',
    final_amount: '98.25',
  }
  const around = { pre_conversion_subtotal_amount: '98.5', converted_amount: '98.5' }
  assert.equal(receiptOf('usd usdc', dollars).net, '98.25 usdc')
  assert.deepEqual(receiptOf('usd usdc', { ...dollars, ...around }), receiptOf('usd usdc', dollars))
})

test('a receipt of the newer form without the amounts around the conversion shows no fee in a currency that may be wrong', () => {
  const { pre_conversion_subtotal_amount: _before, converted_amount: _after, ...unmarked } = pesos
  const sent = { gas: '0.50 usdc', net: '1075.00 usdc' }
  assert.deepEqual(receiptOf('mxn usdc', unmarked), { ...nothing, gross: '20000.00 mxn', ...sent })
  const free = { ...unmarked, developer_fee: '0.0', exchange_fee: '0' }
  assert.deepEqual(receiptOf('mxn usdc', free), {
    gross: '20000.00 mxn',
    developerFee: '0.00 mxn',
    exchangeFee: '0.00 mxn',
    subtotal: '20000.00 mxn',
    rate: '0.053775 derived',
    feeAfter: '0.00 usdc',
    ...sent,
  })
  for (const missing of ['developer_fee', 'exchange_fee'])
    assert.deepEqual(
      receiptOf('mxn usdc', { ...free, [missing]: undefined }),
      { ...nothing, gross: '20000.00 mxn', ...sent },
      missing,
    )
})

test('a receipt that fits neither form shows unknown amounts', () => {
  const grossAlone = { ...nothing, gross: '20000.00 mxn' }
  const sent = { gas: '0.50 usdc', net: '1075.00 usdc' }
  const { pre_conversion_subtotal_amount: _before, converted_amount: _after, ...unmarked } = pesos
  const misfits: [receipt: Wire, shown: object][] = [
    [
      { ...pesos, exchange_fee: '60.0' },
      { ...grossAlone, ...sent },
    ],
    [
      { ...pesos, converted_amount: '1080.0' },
      { ...grossAlone, ...sent },
    ],
    // More goes into the conversion than was paid in, or more is left of it than came out.
    [
      { ...pesos, exchange_fee: undefined, pre_conversion_subtotal_amount: '20000.01' },
      { ...grossAlone, ...sent },
    ],
    [
      { ...pesos, exchange_fee: undefined, converted_amount: '1075.49' },
      { ...grossAlone, ...sent },
    ],
    // The amounts after the conversion contradict each other: which of them is wrong is unknown.
    [{ ...pesos, final_amount: '1074.0' }, grossAlone],
    [
      { ...unmarked, subtotal_amount: '12345.0' },
      { ...grossAlone, ...sent },
    ],
    [
      { ...unmarked, subtotal_amount: '19850.0', exchange_fee: undefined },
      { ...grossAlone, ...sent },
    ],
    // Pesos on both sides.
    [{ ...unmarked, subtotal_amount: '19850.0', gas_fee: '0.0', final_amount: '19850.0' }, grossAlone],
  ]
  for (const [receipt, shown] of misfits)
    assert.deepEqual(receiptOf('mxn usdc', receipt), shown, JSON.stringify(receipt))
})

test('a payout beside a fiat currency other than the dollar shows no net amount before its receipt', () => {
  const submitted = { ...payout, id: 'act_3', type: 'payment_submitted', created_at: '2026-01-05T12:00:30Z' }
  const netOf = (pair: string, ...steps: Wire[]) => amountsOf(factsOf(routeOf(pair), steps)).net
  for (const [pair, currency, net] of [
    ['mxn usdc', 'mxn', null],
    ['eur usdc', 'eur', null],
    ['eur eurc', 'eur', null],
    ['eur eurc', 'eurc', '1075.00 eurc'],
    ['mxn usdc', 'usd', '1075.00 usdc'],
    ['mxn usdc', 'usdc', '1075.00 usdc'],
    ['usd usdt', null, '1075.00 usdt'],
  ] as const) {
    const early = { ...submitted, amount: '1075.0', currency, receipt: { initial_amount: '20000.0' } }
    assert.equal(netOf(pair, early), net, `${pair} beside ${currency}`)
  }
  const step = { ...submitted, amount: '1075.0', currency: 'mxn' }
  assert.equal(netOf('mxn usdc', step, { ...payout, currency: 'mxn', receipt: pesos }), '1075.00 usdc')
})

test('an amount is read exactly in each way in which a number is written, or not at all', () => {
  const grossOf = (json: string) => {
    const text = JSON.stringify({ ...arrival, currency: 'usd' }).replace(/}$/, `,"amount":${json}}`)
    return amountsOf(factsOf(routeOf('usd usdc'), [parseWithoutRounding(text) as Wire])).gross
  }
  const long = `0.${'1234567890'.repeat(4)}1`
  const thirty = '123456789012345678901234567890'
  for (const [json, value] of [
    ['"1e3"', '1000.00'],
    ['"9.95E2"', '995.00'],
    ['"9.95e+2"', '995.00'],
    ['"+995"', '995.00'],
    ['" 995.5 "', '995.50'],
    ['"0995.50"', '995.50'],
    ['".5"', '0.50'],
    ['"5."', '5.00'],
    ['"1e-7"', '0.0000001'],
    [`"${long}"`, long],
    [`"995.${'0'.repeat(25)}"`, '995.00'],
    [`"${thirty}.${thirty}"`, `${thirty}.${thirty.slice(0, -1)}`],
    ['995.25', '995.25'],
    ['1e21', '1000000000000000000000.00'],
    ['1e-7', '0.0000001'],
    ['123456789012345', '123456789012345.00'],
    ['1234567890123456', null],
    ['1000.1234567890123456', null],
    ['0.1000000000000000055', null],
    ['1e-400', null],
    ['1e400', null],
    ['"1,000.00"', null],
    ['"1.000,00"', null],
    ['"1 000"', null],
    ['"0x10"', null],
    ['"1e"', null],
    ['"-1e3"', null],
    ['"NaN"', null],
    ['"1e999"', null],
    ['"1e-999"', null],
    [`"1${'0'.repeat(30)}"`, null],
    [`"1e${'9'.repeat(400)}"`, null],
  ] as const)
    assert.equal(grossOf(json), value && `${value} usd`, json)
})

test('a refund shows what went back, in the currency paid in, and when', () => {
  const received = { ...arrival, amount: '100.0', currency: 'eur' }
  const refund = (more: Wire) => ({ id: 'act_4', type: 'refund', created_at: '2026-01-07T09:00:00Z', ...more })
  const refundOf = (...steps: Wire[]) => {
    const { refundedAmount, refundedAt } = factsOf(routeOf('eur usdc'), [received, ...steps])
    return [refundedAmount && `${refundedAmount.value} ${refundedAmount.currency}`, refundedAt]
  }
  assert.deepEqual(refundOf(refund({ amount: '90.0', currency: 'eur' })), ['90.00 eur', '2026-01-07T09:00:00.000Z'])
  const told = { code: 'name_mismatch', reason: 'Another name.', refunded_at: '2026-01-06T23:59:59Z' }
  assert.deepEqual(refundOf(refund({ amount: '90.0', currency: 'eur', refund: told })), [
    '90.00 eur',
    '2026-01-06T23:59:59.000Z',
  ])
  assert.deepEqual(refundOf(refund({ amount: '97.0', currency: 'usd' })), [null, '2026-01-07T09:00:00.000Z'])
  for (const type of ['refund_in_flight', 'refund_failed'])
    assert.deepEqual(refundOf({ ...refund({ amount: '90.0', currency: 'eur' }), type }), [null, null], type)
})

const cents = (max: number) => fc.nat(max).map((value) => (value / 100).toFixed(2))
const word = fc.oneof(
  cents(2_000_000),
  fc.constantFrom('0.0', '100.0', '50.0', '19850.0', '1075.5', '1075.0', undefined),
)

test('whatever a receipt says, a source amount is only shown where the amounts paid in add up', () => {
  const receipt = fc.record({
    initial_amount: word,
    developer_fee: word,
    exchange_fee: word,
    pre_conversion_subtotal_amount: word,
    converted_amount: word,
    subtotal_amount: word,
    gas_fee: word,
    final_amount: word,
  })
  fc.assert(
    fc.property(receipt, (told) => {
      const facts = factsOf(routeOf('mxn usdc'), [{ ...payout, receipt: told }])
      const { grossAmount, developerFee, exchangeFee, subtotalAmount, destinationExchangeFee } = facts
      const paid = [grossAmount, developerFee, exchangeFee, subtotalAmount]
      if (developerFee === null) {
        assert.equal(exchangeFee, null)
        if (subtotalAmount === null) return
        assert.equal(Number(subtotalAmount.value), Number(told.pre_conversion_subtotal_amount))
        return assert.ok(grossAmount === null || Number(subtotalAmount.value) <= Number(grossAmount.value))
      }
      const [gross = 0, developer = 0, exchange = 0, subtotal = 0] = paid.map((amount) =>
        Math.round(Number(amount?.value) * 100),
      )
      assert.equal(gross - developer - exchange, subtotal)
      assert.ok(destinationExchangeFee)
    }),
    { numRuns: 2_000 },
  )
})
