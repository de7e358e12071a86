// The same in a test: `node --test examples/`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { main } from './main.ts'

test('the story holds, in a world of its own', { timeout: 60_000 }, async () => {
  assert.equal(await main(['--start']), 0)
})
