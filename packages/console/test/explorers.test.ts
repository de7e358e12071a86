// Every blockchain of the server's table has an explorer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bridgeOffer } from '../../server/src/provider/bridge/offer.ts'
import { transactionUrl } from '../src/subjects/explorers.ts'

test('a transaction of every chain that the server offers opens in an explorer', () => {
  for (const rail of Object.keys(bridgeOffer.chains)) {
    const url = new URL(transactionUrl('live', rail, '0xabc') ?? '')
    assert.ok(url.protocol === 'https:' && url.href.endsWith('0xabc'), rail)
  }
  assert.equal(transactionUrl('live', 'another_chain', '0xabc'), undefined)
})

test('a transaction of the sandbox is on no blockchain, and has no link', () => {
  assert.equal(transactionUrl('sandbox', 'ethereum', '0xabc'), undefined)
})
