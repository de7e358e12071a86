// The schedule of a chaos run, by its seed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scheduleOf } from '../src/faults/chaos/schedule.ts'

test('the same seed is the same schedule, with as many kills as were asked for', () => {
  const plan = { kills: 50, replicas: 3, seed: 4, gapMs: 1_000 }
  assert.deepEqual(scheduleOf(plan), scheduleOf(plan))
  assert.notDeepEqual(scheduleOf(plan), scheduleOf({ ...plan, seed: 5 }))
  assert.equal(scheduleOf(plan).filter(({ what }) => what === 'kill').length, 50)
})

test('six kills are enough for a COMMIT that is lost, and for a lost answer to a COMMIT', () => {
  for (let seed = 0; seed < 100; seed++) {
    const steps = scheduleOf({ kills: 6, replicas: 3, seed, gapMs: 1_000 })
    const commits = steps.flatMap((step) => (step.what === 'fault' && step.fault.kind === 'commit' ? step.fault : []))
    assert.ok(commits.some(({ arrives }) => arrives))
    assert.ok(commits.some(({ arrives }) => !arrives))
  }
})
