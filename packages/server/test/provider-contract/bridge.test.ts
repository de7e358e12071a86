// The adapter for Bridge passes every story of the contract.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bridge } from './bridge.ts'
import { judge } from './contract.ts'
import { lostKinds } from './lost-writes.ts'
import { stories } from './stories.ts'

judge('Bridge', bridge, stories)

test('the stories lose every kind of write', async () => {
  const { traits, close } = bridge.make({ origin: 'http://127.0.0.1:1', apiKey: 'none', timeoutMs: 1 })
  assert.deepEqual([...lostKinds].toSorted(), Object.keys(traits.repeats).toSorted())
  await close()
})
