// The conditions for a fuzz run to count as a proof, and the findings of its judges. `npm run fuzz` finds nothing in the real
// server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, operationAt } from '../../server/test/caller.ts'
import { faultOf } from '../src/fuzz/broken-bytes.ts'
import { faultsOf, growthOf } from '../src/fuzz/campaign.ts'
import { echoIn, freshIdentityMark, freshMark } from '../src/fuzz/marks.ts'
import { faultsIn } from '../src/fuzz/raw-sockets.ts'

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

test('memory or open files that grow are a fault, and so are figures that /metrics does not have', () => {
  const held = { heapMiB: 50, openFiles: 40 }
  assert.deepEqual(growthOf(held, held), [])
  assert.equal(growthOf(held, { ...held, heapMiB: 99 }).length, 1)
  assert.equal(growthOf(held, { ...held, openFiles: 200 }).length, 1)
  assert.equal(growthOf(held, { heapMiB: Number.NaN, openFiles: Number.NaN }).length, 2)
})

test('a mark is found in any case, and an echo of identity data in a success too', () => {
  assert.ok(echoIn(`a ${freshMark().toUpperCase()} b`))
  assert.equal(echoIn(`a ${freshMark()} b`, 'identity'), null)
  assert.ok(echoIn(`a ${freshIdentityMark().toUpperCase()} b`, 'identity'))
  assert.equal(echoIn('a b'), null)
})

function answer(status: number, body: unknown, more: Record<string, string> = {}): Answer {
  const headers = {
    'content-type': 'application/json',
    'x-request-id': 'x',
    ratelimit: 'x',
    'ratelimit-policy': 'x',
    ...more,
  }
  return { status, headers: new Headers(headers), body, text: JSON.stringify(body) }
}

test('the judge of broken bytes finds another error, an echo, and what is not declared', () => {
  const whoAmI = operationAt('GET', '/v0/whoami')
  const good = { data: { customer: { id: `biz_${'0'.repeat(26)}`, name: 'A', status: 'active' } } }
  assert.match(faultOf(whoAmI, answer(200, good), ['invalid_json']) ?? '', /not invalid_json/)
  assert.match(faultOf(whoAmI, answer(400, { error: { message: freshMark() } }), null) ?? '', /repeats/)
  assert.match(faultOf(whoAmI, answer(404, {}, { allow: freshMark() }), null) ?? '', /repeats/)
  assert.match(faultOf(whoAmI, answer(200, { ...good, more: freshIdentityMark() }), null) ?? '', /repeats/)
  assert.ok(faultOf(whoAmI, answer(500, {}), null))
  assert.match(faultOf(whoAmI, answer(402, {}), null) ?? '', /does not declare/)
  assert.ok(faultOf(whoAmI, answer(200, { data: { unknown: 1 } }), null))
})

test('the judge of raw sockets finds a success, a failure of ours, an echo and what is no HTTP', () => {
  const malformed = { mayBe2xx: false }
  assert.deepEqual(faultsIn('HTTP/1.1 400 Bad Request\r\n\r\n', malformed), [])
  assert.deepEqual(faultsIn('', malformed), [])
  assert.equal(faultsIn('HTTP/1.1 200 OK\r\n\r\n', malformed).length, 1)
  assert.deepEqual(faultsIn('HTTP/1.1 200 OK\r\n\r\n', { mayBe2xx: true }), [])
  assert.equal(faultsIn('HTTP/1.1 400 No\r\n\r\nHTTP/1.1 500 No\r\n\r\n', { mayBe2xx: true }).length, 1)
  assert.equal(faultsIn(`HTTP/1.1 400 ${freshMark()}\r\n\r\n`, malformed).length, 1)
  assert.equal(faultsIn('SSH-2.0', malformed).length, 1)
})
