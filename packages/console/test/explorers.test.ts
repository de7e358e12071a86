// Every blockchain of the server's table has an explorer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bridgeOffer } from '../../server/src/provider/bridge/offer.ts'
import { transactionUrl } from '../src/subjects/explorers.ts'

test('a transaction of every chain that the server offers opens in an explorer', () => {
  for (const rail of Object.keys(bridgeOffer.chains)) {
    const url = new URL(transactionUrl(rail, '0xabc') ?? '')
    assert.ok(url.protocol === 'https:' && url.href.endsWith('0xabc'), rail)
  }
  assert.equal(transactionUrl('another_chain', '0xabc'), undefined)
})
