// How loops are woken: by other replicas, at commit, after an outage; and that they rest otherwise.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLoop } from '../src/platform/loop.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { wakeOnCommit } from '../src/platform/postgres/notify.ts'
import { until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 3 })
after(async () => {
  await db.close()
  await database.drop()
})

const log = createLog('silent', () => {})

test('a wake-up is heard at commit, not before it, and not at all when nothing was committed', async () => {
  let heard = 0
  await db.listen({ causeway_send: () => (heard += 1) })
  await db.transaction(async (tx) => {
    await wakeOnCommit(tx, 'send')
    await tx`select pg_sleep(0.05)`
    assert.equal(heard, 0)
  })
  await until('the wake-up', () => heard === 1)
  await assert.rejects(
    db.transaction(async (tx) => {
      await wakeOnCommit(tx, 'send')
      throw new Error('rolled back')
    }),
  )
  await db.transaction((tx) => wakeOnCommit(tx, 'send'))
  await until('the next wake-up', () => heard === 2)
})

test('listening survives an outage of the database, and what was missed meanwhile is looked for', async () => {
  await using link = await databaseLink(database.connection)
  const linked = openDatabase(link.connection, { poolMax: 1 })
  let heard = 0
  await linked.listen({ causeway_apply: () => (heard += 1) })
  link.cut()
  await db.transaction((tx) => wakeOnCommit(tx, 'apply'))
  await until('two failed attempts to come back', () => link.refused() >= 2)
  assert.equal(heard, 0)
  link.restore()
  await until('the look after the reconnect', () => heard === 1)
  await db.transaction((tx) => wakeOnCommit(tx, 'apply'))
  await until('a notification', () => heard === 2)
  await linked.close()
})

test('listening that is being set up anew at a database that hangs up again and again ends at once', async () => {
  await using link = await databaseLink(database.connection)
  const linked = openDatabase(link.connection, { poolMax: 1 })
  await linked.listen({ causeway_apply: () => {} })
  link.cut()
  await until('an attempt to come back', () => link.refused() >= 1)
  const startedAt = performance.now()
  await linked.close()
  assert.ok(performance.now() - startedAt < 5_000)
})

test('a loop that finds nothing rests until it is due or woken', async () => {
  let turns = 0
  const loop = startLoop({
    name: 'test',
    log,
    async turn() {
      turns += 1
      return false
    },
    nextDueMs: async () => null,
  })
  await until('the first turn', () => turns === 1)
  loop.wake()
  await until('the woken turn', () => turns === 2)
  await loop.stop()
  loop.wake()
  assert.equal(turns, 2)
})

test('a wake-up during a turn is not lost: another turn follows', async () => {
  const turns: PromiseWithResolvers<boolean>[] = []
  const loop = startLoop({
    name: 'test',
    log,
    turn() {
      const turn = Promise.withResolvers<boolean>()
      turns.push(turn)
      return turn.promise
    },
    nextDueMs: async () => null,
  })
  await until('the first turn', () => turns.length === 1)
  loop.wake()
  turns[0]?.resolve(false)
  await until('the second turn', () => turns.length === 2, 900)
  turns[1]?.resolve(false)
  await loop.stop()
})

test('a loop that fails goes on after a pause that wake-ups do not shorten', async () => {
  const turnsAt: number[] = []
  const loop = startLoop({
    name: 'test',
    log,
    async turn() {
      turnsAt.push(performance.now())
      if (turnsAt.length === 1) throw new Error('the database is away')
      return false
    },
    nextDueMs: async () => null,
  })
  await until('the failure', () => turnsAt.length === 1)
  const storm = setInterval(() => loop.wake(), 5)
  await until('the next turn', () => turnsAt.length >= 2)
  clearInterval(storm)
  const [first = 0, second = 0] = turnsAt
  assert.ok(second - first >= 950, `it came after ${second - first} ms`)
  await loop.stop()
})

test('a loop that is stopped while it rests or pauses ends at once', async () => {
  const resting = startLoop({ name: 'test', log, turn: async () => false, nextDueMs: async () => 20_000 })
  const failing = startLoop({
    name: 'test',
    log,
    turn: () => Promise.reject(new Error('down')),
    nextDueMs: async () => null,
  })
  const startedAt = performance.now()
  await Promise.all([resting.stop(), failing.stop()])
  assert.ok(performance.now() - startedAt < 500)
})
