// The verdict of a chaos run, tried on logs in which something is wrong: it must see each fault, and none where there is none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiverLine } from '../src/chaos-relay/receivers.ts'
import { type Accepted, faultsOf, judge } from '../src/chaos-relay/verdict.ts'
import type { Endpoint } from '../src/relay-world/deployment.ts'

const businessId = 'biz_1'
const endpoints = new Map<string, Endpoint>([
  ['ordered', { id: 'whe_1', businessId, ordering: 'per_end_user' }],
  ['quick', { id: 'whe_2', businessId, ordering: 'best_effort' }],
])
const accepted: Accepted[] = [0, 1, 2].map((place) => ({ eventId: `e${place}`, businessId }))

type What = ReceiverLine['what']
const line = (what: What, endpoint: string, place: number, sequence = place + 1): ReceiverLine => ({
  what,
  endpoint,
  eventId: `e${place}`,
  endUser: 'ada',
  place,
  sequence,
  atMs: 0,
})
const taken = (endpoint: string, place: number): ReceiverLine[] => [
  line('arrived', endpoint, place),
  line('answered', endpoint, place),
]
const allTaken = (endpoint: string): ReceiverLine[] => accepted.flatMap((_, place) => taken(endpoint, place))

const verdictOf = (lines: readonly ReceiverLine[]) => {
  const { examples: _, accepted: __, ...figures } = judge(accepted, endpoints, lines)
  return figures
}
const clean = { lost: 0, duplicates: 0, reordered: 0, sequenceGaps: 0 }

test('a log in which all is well has no fault; a failed attempt and its repeat are none', () => {
  const failedOnce = [line('arrived', 'ordered', 0), ...allTaken('ordered'), ...allTaken('quick')]
  assert.deepEqual(verdictOf(failedOnce), clean)
  assert.deepEqual(faultsOf(0, judge(accepted, endpoints, failedOnce)), [])
})

test('an accepted event that one of the endpoints never took is lost, and its number is a gap', () => {
  const lines = [...allTaken('ordered'), ...taken('quick', 0), ...taken('quick', 2)]
  assert.deepEqual(verdictOf(lines), { ...clean, lost: 1, sequenceGaps: 1 })
})

test('an event that arrived and was never taken is lost', () => {
  const lines = [...allTaken('ordered'), ...taken('quick', 0), ...taken('quick', 1), line('arrived', 'quick', 2)]
  assert.deepEqual(verdictOf(lines), { ...clean, lost: 1 })
})

test('what is taken twice is a duplicate: a kill of a short run allows four, one of a long run allows one', () => {
  const lines = [...allTaken('ordered'), ...allTaken('quick'), ...taken('quick', 1)]
  assert.deepEqual(verdictOf(lines), { ...clean, duplicates: 1 })
  assert.equal(faultsOf(0, judge(accepted, endpoints, lines)).length, 1)
  const figures = judge(accepted, endpoints, [])
  const faultsAfter = (kills: number, duplicates: number) => faultsOf(kills, { ...figures, lost: 0, duplicates }).length
  assert.deepEqual([faultsAfter(6, 24), faultsAfter(6, 25)], [0, 1])
  assert.deepEqual([faultsAfter(50, 50), faultsAfter(50, 51)], [0, 1])
})

test('overtaking counts where order was promised, also when the first one has only arrived', () => {
  const overtaken = (endpoint: string) => [...taken(endpoint, 1), ...taken(endpoint, 0), ...taken(endpoint, 2)]
  assert.deepEqual(verdictOf([...overtaken('ordered'), ...allTaken('quick')]), { ...clean, reordered: 1 })
  assert.deepEqual(verdictOf([...allTaken('ordered'), ...overtaken('quick')]), clean)
  const early = [line('arrived', 'ordered', 0), ...taken('ordered', 1), ...taken('ordered', 0), ...taken('ordered', 2)]
  assert.deepEqual(verdictOf([...early, ...allTaken('quick')]), { ...clean, reordered: 1 })
})

test('a number that two events bear is a fault', () => {
  const lines = [...allTaken('ordered'), ...allTaken('quick'), line('arrived', 'quick', 1, 1)]
  assert.deepEqual(verdictOf(lines), { ...clean, sequenceGaps: 1 })
})

test('a run in which nothing was accepted proves nothing', () => {
  assert.equal(faultsOf(5, judge([], endpoints, [])).length, 1)
})
