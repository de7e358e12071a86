// The reminder: once for a moment's askers, and once at the earliest of the times asked for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createReminder } from './reminder.ts'

test('whoever asks in one moment is served by one run, after that moment', async () => {
  let runs = 0
  const reminder = createReminder(() => {
    runs += 1
  })
  for (let asked = 0; asked < 3; asked++) reminder.soon()
  assert.equal(runs, 0)
  await Promise.resolve()
  assert.equal(runs, 1)
  reminder.soon()
  await Promise.resolve()
  assert.equal(runs, 2)
})

test('of several times the earliest counts, whenever it was asked for, and the next one after it anew', async () => {
  const startedMs = performance.now()
  const ranMs: number[] = []
  const { promise: first, resolve } = Promise.withResolvers<void>()
  const reminder = createReminder(() => {
    ranMs.push(performance.now() - startedMs)
    resolve()
  })
  for (const ms of [60_000, 20, 60_000]) reminder.after(ms)
  const alive = setInterval(() => {}, 1_000) // the reminder keeps no process from ending
  await first
  assert.ok((ranMs[0] ?? 0) >= 19, `${ranMs[0]} ms`)
  reminder.after(5)
  while (ranMs.length < 2) await delay(1)
  clearInterval(alive)
  assert.equal(ranMs.length, 2)
})
