// What a run of Schemathesis must show before it counts as a proof. `npm run fuzz` finds nothing in the real server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf } from '../src/fuzz/campaign.ts'
import { echoIn, freshIdentityMark, freshMark } from '../src/fuzz/marks.ts'

test('a run that checked nothing, or never got a success, does not pass for a proof', () => {
  const checked = { repeats: 1, created: 1, deleted: 1, foreign: 1, credentials: 1 }
  const good = { found: {}, checked, neverSucceeded: [] }
  assert.deepEqual(faultsOf(good, true), [])
  assert.equal(faultsOf({ ...good, found: { 'Server error (whoAmI, 500 )': 2 } }, true).length, 1)
  assert.equal(faultsOf({ ...good, neverSucceeded: ['whoAmI'] }, true).length, 1)
  for (const name of Object.keys(checked)) {
    const unchecked = { ...good, checked: { ...checked, [name]: 0 } }
    assert.deepEqual([faultsOf(unchecked, true).length, faultsOf(unchecked, false).length], [1, 0], name)
  }
})

test('a mark is found in any case, and an echo of identity data in a success too', () => {
  assert.ok(echoIn(`a ${freshMark().toUpperCase()} b`))
  assert.equal(echoIn(`a ${freshMark()} b`, 'identity'), null)
  assert.ok(echoIn(`a ${freshIdentityMark().toUpperCase()} b`, 'identity'))
  assert.equal(echoIn('a b'), null)
})
