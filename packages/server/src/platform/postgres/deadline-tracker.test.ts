// Waits for the database end, at the latest when everybody is hurried; work that has begun is left alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Patience } from './deadline-tracker.ts'

const never = () => new Promise<never>(() => {})
const late = () => new Error('late')
const longMs = 60_000

test('whoever waits longer than the limit is told so', async () => {
  await assert.rejects(new Patience(20, late).bound(never), /late/)
})

test('who waits already is hurried too, and the limit is never raised', async () => {
  const patience = new Patience(longMs, late)
  const waiting = patience.bound(never)
  patience.shorten(20)
  patience.shorten(longMs)
  await assert.rejects(waiting, /late/)
  await assert.rejects(patience.bound(never), /late/)
})

test('work that began in time goes on for as long as it takes, and is not hurried', async () => {
  const patience = new Patience(longMs, late)
  const { promise: finished, resolve } = Promise.withResolvers<string>()
  const working = patience.bound((inTime) => {
    assert.equal(inTime(), true)
    return finished
  })
  patience.shorten(1)
  await assert.rejects(patience.bound(never), /late/)
  resolve('done')
  assert.equal(await working, 'done')
})

test('work that comes too late learns it', async () => {
  const patience = new Patience(5, late)
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  const seen = Promise.withResolvers<boolean>()
  const working = patience.bound(async (inTime) => {
    await connected
    seen.resolve(inTime())
  })
  await assert.rejects(working, /late/)
  resolve()
  assert.equal(await seen.promise, false)
})
