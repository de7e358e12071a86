// The verdict of an upgrade: each kind of fault is seen, and a run that proves nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, type UpgradeReport } from '../src/upgrade/verdict.ts'

const clean: UpgradeReport = {
  ...{ from: 'v0.1.0', fromCommit: 'a'.repeat(40), replaced: 12, requests: 600, retried: 3, failed: 0 },
  ...{ acknowledged: 200, lostWrites: 0, repeatedAnswers: 120, changedAnswers: 0, badExits: 0, slowestStopMs: 900 },
  ...{ accepted: 300, lost: 0, duplicates: 1, reordered: 0, sequenceGaps: 0 },
  ...{ aheadApplied: 1, aheadUsed: true, aheadStarts: 2, breakingRefusals: 2, mixedFaults: [], seed: 1, durationMs: 1 },
  mixed: {
    ...{
      acknowledged: 9,
      lost: 0,
      doubledUpstream: 0,
      duplicates: 0,
      reordered: 0,
      sequenceGaps: 0,
      stuck: 0,
      broken: 0,
    },
    ...{ unfitAnswers: 0, unanswered: 0, repeated: {}, slowestAnswerMs: 1 },
    longestGapMs: { event: 1, write: 1, read: 1, delivery: 1 },
  },
}

test('a run in which every promise held has no fault', () => {
  assert.deepEqual(faultsOf(clean), [])
})

const broken: readonly Partial<UpgradeReport>[] = [
  { replaced: 0, duplicates: 0 },
  { requests: 119 },
  { acknowledged: 0 },
  { accepted: 0 },
  { repeatedAnswers: 0 },
  { failed: 1 },
  { lostWrites: 1 },
  { lost: 1 },
  { reordered: 1 },
  { sequenceGaps: 1 },
  { changedAnswers: 1 },
  { badExits: 1 },
  { duplicates: 13 },
  { aheadApplied: 3 },
  { aheadApplied: 0 },
  { aheadUsed: false },
  { aheadStarts: 1 },
  { breakingRefusals: 1 },
  { mixedFaults: ['1 acknowledged things were lost'] },
]

for (const fault of broken) {
  test(`one fault is named for ${JSON.stringify(fault)}`, () => {
    assert.equal(faultsOf({ ...clean, ...fault }).length, 1)
  })
}
