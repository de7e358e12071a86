// Proves that destinations are compared in what a response carries, and that a read shows what the provider made of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Account, walletRail } from '../../provider/port.ts'
import {
  changedDestination,
  type Destination,
  destinationView,
  goesElsewhere,
  keepsOldTarget,
  learnedAddress,
  namesTarget,
  upstreamDestination,
} from './destination.rules.ts'

type Told = Account['destination']

const [one, other] = ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x52908400098527886E0F7030069857D2E4169EE7']
const byAddress: Destination = {
  destinationPaymentRail: 'base',
  destinationCurrency: 'usdc',
  destinationAddress: one,
  destinationWalletId: null,
  destinationPrefundedAccountId: null,
  destinationMemo: null,
}
const byWallet: Destination = { ...byAddress, destinationAddress: '', destinationWalletId: 'w1' }
const byPrefunded: Destination = { ...byAddress, destinationAddress: '', destinationPrefundedAccountId: 'p1' }
const bySolana: Destination = {
  ...byAddress,
  destinationPaymentRail: 'solana',
  destinationAddress: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
}
const nothing: Told = {
  paymentRail: null,
  currency: null,
  address: null,
  walletId: null,
  prefundedAccountId: null,
  memo: null,
}
const told = (parts: Partial<Told>): Told => ({ ...nothing, paymentRail: 'base', currency: 'usdc', ...parts })

test('whatever of a true response is left out, nothing contradicts the request', () => {
  const parts = fc.constantFrom<[Destination, Told]>(
    [byAddress, told({ address: one })],
    [byAddress, told({ address: one.toLowerCase() })],
    [byAddress, told({ address: one, walletId: 'w9' })],
    [bySolana, told({ paymentRail: 'solana', address: bySolana.destinationAddress })],
    [byWallet, told({ walletId: 'w1', address: other })],
    [byWallet, told({ walletId: 'w1', paymentRail: walletRail })],
    [{ ...byWallet, destinationAddress: one }, told({ walletId: 'w1', address: other })],
    [byWallet, told({ address: other })],
    [byPrefunded, told({ prefundedAccountId: 'p1' })],
    [{ ...byPrefunded, destinationAddress: one }, told({ prefundedAccountId: 'p1', address: other })],
    [{ ...byAddress, destinationMemo: '7' }, told({ address: one, memo: '7' })],
  )
  fc.assert(
    fc.property(parts, fc.subarray(['paymentRail', 'currency', 'memo'] as const), ([asked, whole], left) => {
      const carried = { ...whole, ...Object.fromEntries(left.map((name) => [name, null])) }
      assert.equal(goesElsewhere(asked, carried), false)
    }),
  )
  for (const asked of [byAddress, byWallet, byPrefunded]) assert.equal(goesElsewhere(asked, nothing), false)
})

test('a destination is sent and shown with its target alone', () => {
  const rail = { currency: 'usdc' }
  const withMemo: Destination = { ...bySolana, destinationMemo: '7' }
  const { destinationAddress: address } = bySolana
  for (const [asked, sent, shown] of [
    [byAddress, { paymentRail: 'base', address: one }, { payment_rail: 'base', address: one }],
    [byWallet, { paymentRail: 'base', walletId: 'w1' }, { payment_rail: 'base', bridge_wallet_id: 'w1' }],
    [
      { ...byWallet, destinationAddress: one },
      { paymentRail: 'base', walletId: 'w1' },
      { payment_rail: 'base', bridge_wallet_id: 'w1' },
    ],
    [
      byPrefunded,
      { paymentRail: 'base', prefundedAccountId: 'p1' },
      { payment_rail: 'base', prefunded_account_id: 'p1' },
    ],
    [
      withMemo,
      { paymentRail: 'solana', address, memo: '7' },
      { payment_rail: 'solana', address, blockchain_memo: '7' },
    ],
  ] as const) {
    assert.deepEqual(upstreamDestination(asked), { ...sent, ...rail })
    assert.deepEqual(destinationView(asked), { ...shown, ...rail })
  }
})

test('one part that differs is a contradiction', () => {
  const cases: [Destination, Partial<Told>][] = [
    [byAddress, { address: other }],
    [byAddress, { walletId: 'w1' }],
    [byAddress, { prefundedAccountId: 'p1', address: one }],
    [byAddress, { address: one, paymentRail: walletRail }],
    [byWallet, { walletId: 'w2' }],
    [byWallet, { walletId: 'w1', paymentRail: 'polygon' }],
    [byWallet, { walletId: 'w2', address: one }],
    [
      { ...byWallet, destinationAddress: one },
      { walletId: 'w2', address: one },
    ],
    [byWallet, { walletId: 'w1', memo: '7' }],
    [byWallet, { walletId: 'w1', currency: 'usdb' }],
    [{ ...byWallet, destinationAddress: one }, { address: other }],
  ]
  for (const [asked, parts] of cases) assert.ok(goesElsewhere(asked, told(parts)), JSON.stringify(parts))
})

test('a destination names the target that was asked for by its ID or its address, together with the rail', () => {
  for (const parts of [{ walletId: 'w1' }, { walletId: 'w1', address: other }])
    assert.ok(namesTarget(byWallet, told(parts)), JSON.stringify(parts))
  assert.ok(namesTarget(byAddress, told({ address: one })))
  for (const parts of [{}, { address: other }, { walletId: 'w1', paymentRail: null }])
    assert.ok(!namesTarget(byWallet, told(parts)), JSON.stringify(parts))
  for (const parts of [{}, { address: one, paymentRail: null }])
    assert.ok(!namesTarget(byAddress, told(parts)), JSON.stringify(parts))
})

test('a response that still names the old target of a change is seen', () => {
  assert.ok(keepsOldTarget(byWallet, byAddress, told({ address: one, walletId: 'w1' })))
  assert.ok(keepsOldTarget(byAddress, byWallet, told({ address: one })))
  assert.ok(!keepsOldTarget(byAddress, byWallet, told({ address: other })))
  assert.ok(!keepsOldTarget(byWallet, byAddress, told({ address: one })))
  assert.ok(!keepsOldTarget(byAddress, byWallet, told({ address: one, walletId: 'w1' })))
  assert.ok(!keepsOldTarget(byAddress, { ...byAddress, destinationAddress: other }, told({ address: other })))
  assert.ok(!keepsOldTarget(byAddress, byAddress, told({ address: one })))
  assert.ok(!keepsOldTarget(byWallet, byWallet, told({ walletId: 'w1' })))
})

test('the address of a wallet is learned, and a destination that the provider changed is taken whole or not at all', () => {
  assert.deepEqual(learnedAddress(byWallet, told({ address: other })), { destinationAddress: other })
  assert.deepEqual(learnedAddress(byAddress, told({ address: one.toLowerCase() })), {})
  assert.deepEqual(learnedAddress({ ...byWallet, destinationAddress: other }, told({ address: other })), {})
  assert.deepEqual(changedDestination(byAddress, told({ prefundedAccountId: 'p1' })), {
    ...byAddress,
    destinationAddress: '',
    destinationPrefundedAccountId: 'p1',
  })
  assert.deepEqual(changedDestination(byWallet, told({ walletId: 'w1', address: other })), {
    destinationAddress: other,
  })
  assert.equal(changedDestination(byWallet, told({ walletId: 'w1' })), null)
  assert.equal(changedDestination(byAddress, told({ address: one })), null)
  assert.equal(changedDestination(byAddress, told({ currency: 'eurc' })), null)
  assert.deepEqual(changedDestination(byAddress, told({ walletId: 'w1' })), byWallet)
  assert.deepEqual(changedDestination(byWallet, told({ address: one, currency: 'eurc' })), {
    ...byAddress,
    destinationCurrency: 'eurc',
  })
})
