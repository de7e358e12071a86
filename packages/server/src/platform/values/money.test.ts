// Proves that amounts are exact at any size and that a fee is accepted only in the one form the contract allows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Decimal, formatDecimal, parseDecimal, parseFeePercent } from './money.ts'

function decimal(text: string): Decimal {
  const value = parseDecimal(text)
  assert.ok(value, `${text} is a decimal`)
  return value
}

const decimalText = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }),
    fc.option(fc.stringMatching(/^[0-9]{1,18}$/), { nil: undefined }),
  )
  .map(
    ([negative, integer, fraction]) =>
      `${negative ? '-' : ''}${integer}${fraction === undefined ? '' : `.${fraction}`}`,
  )

test('an amount is written one way, whatever way it was read: at least two decimals, no zeros behind them', () => {
  fc.assert(
    fc.property(decimalText, (text) => {
      const written = formatDecimal(decimal(text))
      assert.match(written, /^-?(0|[1-9][0-9]*)\.([0-9]{2}|[0-9]{2,17}[1-9])$/)
      assert.ok(decimal(written).eq(decimal(text)))
    }),
  )
  const pairs = [
    ['20000', '20000.00'],
    ['0', '0.00'],
    ['1.5', '1.50'],
    ['1.500000', '1.50'],
    ['0.0000001', '0.0000001'],
    ['1'.padEnd(30, '0'), `${'1'.padEnd(30, '0')}.00`],
  ] as const
  for (const [text, written] of pairs) assert.equal(formatDecimal(decimal(text)), written)
})

test('addition and subtraction undo each other at any size and scale', () => {
  fc.assert(
    fc.property(decimalText, decimalText, (left, right) => {
      const sum = decimal(left).plus(decimal(right))
      assert.ok(sum.minus(decimal(right)).eq(decimal(left)))
    }),
  )
})

test('what floats get wrong is right: 0.1 + 0.2, and 18 decimals of a large amount', () => {
  assert.equal(formatDecimal(decimal('0.1').plus(decimal('0.2'))), '0.30')
  assert.equal(
    formatDecimal(decimal('999999999999.000000000000000001').plus(decimal('0.000000000000000009'))),
    '999999999999.00000000000000001',
  )
  // The provider's own sample: 2000.0 less a fee of 20.0 and an exchange fee of 10.0.
  assert.equal(formatDecimal(decimal('2000.0').minus(decimal('20.0')).minus(decimal('10.0'))), '1970.00')
})

test('what is not a plain decimal is no amount', () => {
  const texts = ['', ' ', '.5', '5.', '+1', '1e3', '0x10', '01', '-', '--1', '1,000', '1 000', '١', 'NaN', 'Infinity']
  for (const text of [...texts, '1\n', ' 1', `1.${'0'.repeat(101)}`, '9'.repeat(31)])
    assert.equal(parseDecimal(text), null)
})

test('every fee of the contract pattern below 100 is accepted as sent', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^(0|[1-9][0-9]?)(\.[0-9]{1,4})?$/), (text) => {
      assert.deepEqual(parseFeePercent(text), { ok: true, value: text })
    }),
  )
  assert.deepEqual(parseFeePercent('99.9999'), { ok: true, value: '99.9999' })
})

test('an absent fee is "0"', () => {
  assert.deepEqual(parseFeePercent(undefined), { ok: true, value: '0' })
})

test('every other form of fee is refused with a hint that fits', () => {
  const cases: [unknown, RegExp][] = [
    [0.5, /not a number/],
    [null, /JSON string/],
    [{}, /JSON string/],
    ['0.5%', /percent sign/],
    ['+0.5', /sign/],
    ['-1', /negative/],
    ['1e1', /exponent/],
    ['0,5', /point/],
    ['100', /two digits/],
    ['0.12345', /4 decimals/],
    ['', /"0\.5"/],
    ['00.5', /"0\.5"/],
    ['.5', /"0\.5"/],
    ['5.', /"0\.5"/],
    ['0.5\n', /"0\.5"/],
  ]
  for (const [value, hint] of cases) {
    const answer = parseFeePercent(value)
    assert.ok(!answer.ok, String(value))
    assert.match(answer.hint, hint)
    assert.match(answer.rule, /decimal string/)
  }
})

test('a fee that is refused is never repeated', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{12,20}$/), (canary) => {
      for (const value of [canary, `${canary}%`, `-${canary}`, `5e${canary}`]) {
        assert.ok(!JSON.stringify(parseFeePercent(value)).includes(canary))
      }
    }),
  )
})

test('a cap holds by value, itself included', () => {
  assert.equal(parseFeePercent('5', '5.0').ok, true)
  assert.equal(parseFeePercent('4.9999', '5').ok, true)
  assert.equal(parseFeePercent('9', '10').ok, true, 'by value, not as text')
  assert.equal(parseFeePercent('10', '9').ok, false)
  const over = parseFeePercent('5.0001', '5')
  assert.ok(!over.ok)
  assert.match(over.rule, /must not exceed 5/)
})
