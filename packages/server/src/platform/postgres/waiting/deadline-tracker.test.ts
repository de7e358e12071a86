// Waits for the database end, at the latest when everybody is hurried; work that has begun is left alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeadlineTracker } from './deadline-tracker.ts'

const never = () => new Promise<never>(() => {})
const late = () => new Error('late')
const longMs = 60_000

test('whoever waits longer than the limit is told so', async () => {
  await assert.rejects(new DeadlineTracker(20, late).bound(never), /late/)
})

test('who waits already is hurried too, and the limit is never raised', async () => {
  const deadlines = new DeadlineTracker(longMs, late)
  const waiting = deadlines.bound(never)
  deadlines.shorten(20)
  deadlines.shorten(longMs)
  await assert.rejects(waiting, /late/)
  await assert.rejects(deadlines.bound(never), /late/)
})

test('work that began in time goes on for as long as it takes, and is not hurried', async () => {
  const deadlines = new DeadlineTracker(longMs, late)
  const { promise: finished, resolve } = Promise.withResolvers<string>()
  const working = deadlines.bound((inTime) => {
    assert.equal(inTime(), true)
    return finished
  })
  deadlines.shorten(1)
  await assert.rejects(deadlines.bound(never), /late/)
  resolve('done')
  assert.equal(await working, 'done')
})

test('work that comes too late learns it', async () => {
  const deadlines = new DeadlineTracker(5, late)
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  const seen = Promise.withResolvers<boolean>()
  const working = deadlines.bound(async (inTime) => {
    await connected
    seen.resolve(inTime())
  })
  await assert.rejects(working, /late/)
  resolve()
  assert.equal(await seen.promise, false)
})
