// Turns: how many requests of a business begin, in which order, and that no request keeps a turn forever.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Turn } from '../scope.ts'
import { BusinessTurns } from './business-turns.ts'

function takers(turns: BusinessTurns) {
  const begun: string[] = []
  const take = (businessId: string, name: string): Turn => {
    const turn = turns.of(businessId)
    turn.begin(() => begun.push(name))
    return turn
  }
  return { begun, take }
}

test('of one business so many begin at once, and the others in order as turns end; another business waits for none', async () => {
  const { begun, take } = takers(new BusinessTurns(2))
  const [first, second] = [take('biz_1', 'a'), take('biz_1', 'b')]
  take('biz_1', 'c')
  take('biz_1', 'd')
  take('biz_2', 'other')
  assert.deepEqual(begun, ['a', 'b', 'other'])
  second.end()
  second.end() // has an effect once
  await setImmediate()
  assert.deepEqual(begun, ['a', 'b', 'other', 'c'])
  first.end()
  await setImmediate()
  assert.deepEqual(begun, ['a', 'b', 'other', 'c', 'd'])
})

test('a caller who has gone while waiting never begins, and keeps nobody waiting', async () => {
  const { begun, take } = takers(new BusinessTurns(1))
  const first = take('biz_1', 'a')
  const gone = take('biz_1', 'gone')
  const last = take('biz_1', 'b')
  gone.end()
  first.end()
  await setImmediate()
  await setImmediate()
  assert.deepEqual(begun, ['a', 'b'])
  last.end()
  take('biz_1', 'c')
  assert.deepEqual(begun, ['a', 'b', 'c'])
})

test('who pauses lets another begin, and goes on before those that have not begun', async () => {
  const { begun, take } = takers(new BusinessTurns(1))
  const paused = take('biz_1', 'a')
  const second = take('biz_1', 'b')
  take('biz_1', 'c')
  paused.pause()
  await setImmediate()
  const resumed = paused.resume().then(() => begun.push('a again'))
  await setImmediate()
  assert.deepEqual(begun, ['a', 'b'])
  second.end()
  await resumed
  assert.deepEqual(begun, ['a', 'b', 'a again'])
  paused.end()
  await setImmediate()
  assert.deepEqual(begun, ['a', 'b', 'a again', 'c'])
})

test('a caller who goes while its request is paused, or waits to go on, does not keep the request from its end', async () => {
  const { begun, take } = takers(new BusinessTurns(1))
  const [first, second] = [take('biz_1', 'a'), take('biz_1', 'b')]
  first.pause()
  await setImmediate()
  const resumed = first.resume()
  first.end()
  second.end()
  await resumed
  await first.resume()
  take('biz_1', 'c')
  await setImmediate()
  assert.deepEqual(begun, ['a', 'b', 'c'])
})
