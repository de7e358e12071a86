// Tests that every pair has a result, that each refusal names an accepted pair, and that the table can grow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lastDigitOf, pegOf } from '../../platform/values/money.ts'
import { chainOf, checkPair, extendRails, fiatCurrencies, readRailExtension } from '../../platform/values/rails.ts'
import { bridgeOffer } from './offer.ts'

const rails = Object.keys(bridgeOffer.chains)
const tokens = [...new Set(Object.values(bridgeOffer.chains).flatMap((row) => row.currencies))]

test('the documented currencies, rails and tokens are all in the table', () => {
  assert.deepEqual(Object.keys(bridgeOffer.fiat).sort(), ['brl', 'cop', 'eur', 'gbp', 'mxn', 'usd'])
  const documentedRails =
    'arbitrum avalanche_c_chain base celo ethereum linea optimism polygon solana stellar tempo tron xdc'
  assert.deepEqual([...rails].sort(), documentedRails.split(' '))
  assert.deepEqual([...tokens].sort(), ['eurc', 'pyusd', 'usdb', 'usdc', 'usdl_linea', 'usdt'])
})

test('each currency opens by its endorsement', () => {
  const requested = Object.fromEntries(fiatCurrencies.map((code) => [code, bridgeOffer.fiat[code].endorsements[0]]))
  assert.deepEqual(requested, {
    usd: 'base',
    eur: 'sepa',
    mxn: 'spei',
    brl: 'pix',
    gbp: 'faster_payments',
    cop: 'cop',
  })
})

test('the sample of the specification, usd to usdc on solana, is accepted', () => {
  const answer = checkPair(bridgeOffer, { sourceCurrency: 'usd', paymentRail: 'solana', currency: 'usdc' })
  assert.ok(answer.ok)
  assert.deepEqual(answer.fiat.depositRails, ['ach_push', 'wire', 'fednow'])
  assert.equal(answer.chain.addressFamily, 'solana')
})

test('every refusal names the words allowed, and taking its advice ends in an accepted pair', () => {
  const word = (known: string[]) => fc.oneof(fc.constantFrom(...known), fc.string(), fc.constant('constructor'))
  fc.assert(
    fc.property(word([...fiatCurrencies]), word(rails), word(tokens), (sourceCurrency, paymentRail, currency) => {
      let pair = { sourceCurrency, paymentRail, currency }
      for (let advice = 0; advice < 3; advice++) {
        const answer = checkPair(bridgeOffer, pair)
        if (answer.ok) return
        const [fault] = answer.faults
        const [better] = fault.allowed
        assert.ok(better)
        if (fault.param === 'source.currency') pair = { ...pair, sourceCurrency: better }
        if (fault.param === 'destination.payment_rail') pair = { ...pair, paymentRail: better }
        if (fault.param === 'destination.currency') pair = { ...pair, currency: better }
      }
      assert.ok(checkPair(bridgeOffer, pair).ok)
    }),
    { numRuns: 500 },
  )
})

test('a refusal never repeats what was sent', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{14,20}$/), (canary) => {
      const pairs = [
        { sourceCurrency: canary, paymentRail: 'solana', currency: 'usdc' },
        { sourceCurrency: 'usd', paymentRail: canary, currency: 'usdc' },
        { sourceCurrency: 'usd', paymentRail: 'solana', currency: canary },
      ]
      for (const pair of pairs) assert.ok(!JSON.stringify(checkPair(bridgeOffer, pair)).includes(canary))
    }),
  )
})

test('the code follows the word that is wrong', () => {
  const cases = [
    { pair: ['gold', 'solana', 'usdc'], param: 'source.currency', code: 'unsupported_currency' },
    { pair: ['USD', 'solana', 'usdc'], param: 'source.currency', code: 'unsupported_currency' },
    { pair: ['usd', 'bitcoin', 'usdc'], param: 'destination.payment_rail', code: 'unsupported_payment_rail' },
    { pair: ['usd', 'tron', 'usdc'], param: 'destination.payment_rail', code: 'unsupported_payment_rail' },
    { pair: ['usd', 'solana', 'doge'], param: 'destination.currency', code: 'unsupported_currency' },
  ]
  for (const { pair, param, code } of cases) {
    const [sourceCurrency = '', paymentRail = '', currency = ''] = pair
    const answer = checkPair(bridgeOffer, { sourceCurrency, paymentRail, currency })
    assert.ok(!answer.ok)
    assert.deepEqual(
      answer.faults.map((fault) => [fault.param, fault.code]),
      [[param, code]],
    )
  }
})

test('an extension adds pairs and chains and takes nothing away', () => {
  const table = extendRails(bridgeOffer, {
    fiat: { mxn: { depositRails: ['codi'] } },
    chains: { tron: { currencies: ['usdc'] }, sei: { addressFamily: 'evm', currencies: ['usdc'] } },
  })
  assert.ok(checkPair(table, { sourceCurrency: 'mxn', paymentRail: 'tron', currency: 'usdc' }).ok)
  assert.ok(checkPair(table, { sourceCurrency: 'usd', paymentRail: 'sei', currency: 'usdc' }).ok)
  assert.deepEqual(table.fiat.mxn.depositRails, ['spei', 'codi'])
  assert.deepEqual(table.chains['tron']?.currencies, ['usdt', 'usdc'])
  for (const rail of rails) {
    for (const token of chainOf(bridgeOffer, rail)?.currencies ?? []) {
      assert.ok(checkPair(table, { sourceCurrency: 'eur', paymentRail: rail, currency: token }).ok)
    }
  }
  assert.equal(chainOf(bridgeOffer, 'sei'), null, 'the table that was extended is unchanged')
})

test('an extension that could not work is refused when it is made', () => {
  assert.throws(() => extendRails(bridgeOffer, { chains: { sei: { currencies: ['usdc'] } } }), /addressFamily/)
  assert.throws(() => extendRails(bridgeOffer, { chains: { 'Sei!': { addressFamily: 'evm' } } }), RangeError)
  assert.throws(() => extendRails(bridgeOffer, { chains: { tron: { currencies: ['US DC'] } } }), RangeError)
})

test('a currency and a destination that are both wrong are both told', () => {
  const answer = checkPair(bridgeOffer, { sourceCurrency: 'gold', paymentRail: 'bitcoin', currency: 'usdc' })
  assert.ok(!answer.ok)
  assert.deepEqual(
    answer.faults.map(({ param }) => param),
    ['source.currency', 'destination.payment_rail'],
  )
})

test('an extension is read from JSON, and every shape that cannot be used is refused', () => {
  const text =
    '{"fiat":{"mxn":{"depositRails":["codi"],"minimumAmount":"20"}},"chains":{"sei":{"addressFamily":"evm","currencies":["usdc"],"memo":false}}}'
  const table = extendRails(bridgeOffer, readRailExtension(text))
  assert.deepEqual([table.fiat.mxn.minimumAmount, table.fiat.mxn.depositRails], ['20', ['spei', 'codi']])
  assert.deepEqual(table.chains['sei'], { addressFamily: 'evm', memo: false, currencies: ['usdc'] })
  for (const wrong of [
    '[]',
    '"x"',
    '{"fiats":{}}',
    '{"fiat":{"chf":{}}}',
    '{"fiat":{"usd":{"depositRails":"ach"}}}',
    '{"fiat":{"usd":{"minimumAmount":"-1"}}}',
    '{"chains":{"sei":{"addressFamily":"bitcoin"}}}',
    '{"chains":{"sei":{"addressFamily":"evm","currencies":[1]}}}',
    '{"chains":{"Sei!":{"addressFamily":"evm"}}}',
    '{"chains":{"sei":{"currencies":["usdc"]}}}',
    '{"chains":[]}',
  ]) {
    assert.throws(() => extendRails(bridgeOffer, readRailExtension(wrong)), RangeError, wrong)
  }
  assert.throws(() => readRailExtension('{'), SyntaxError)
})

test('every coin of the table of rails has a peg that can be paid in, and six decimals', () => {
  for (const coin of new Set(Object.values(bridgeOffer.chains).flatMap((chain) => chain.currencies))) {
    assert.ok(
      fiatCurrencies.some((currency) => currency === pegOf(coin)),
      coin,
    )
    assert.equal(lastDigitOf(coin).toFixed(), '0.000001')
  }
  for (const currency of fiatCurrencies) assert.equal(pegOf(currency), currency)
})
