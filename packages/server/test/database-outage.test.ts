// A database that becomes unavailable during an operation: reported as such, survived, and used again when it is back.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ApiError } from '../src/platform/errors.ts'
import { openClient } from '../src/platform/postgres/client.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import type { Tx } from '../src/platform/postgres/query.ts'
import { until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const link = await databaseLink(database.connection)
const db = openDatabase(link.connection, { poolMax: 3, waitMs: 1_000 })
after(async () => {
  await db.close()
  await link[Symbol.asyncDispose]()
  await database.drop()
})

const isAway = (error: unknown) => error instanceof ApiError && error.code === 'database_unavailable'

async function backAgain(): Promise<void> {
  link.restore()
  await until('the database', () => db.ping())
}

const interruptions: Record<string, (tx: Tx) => Promise<unknown>> = {
  'during a statement': async (tx) => {
    const slow = tx`select pg_sleep(5)`.then()
    setTimeout(link.cut, 50)
    await slow
  },
  'during one of several statements at once': async (tx) => {
    setTimeout(link.cut, 50)
    await Promise.all([tx`select pg_sleep(5)`, tx`select 1 as one`, tx`select 2 as two`])
  },
  'before the first statement': async (tx) => {
    link.cut()
    await tx`select 1`
  },
}

for (const [when, work] of Object.entries(interruptions)) {
  test(`a connection lost in a transaction, ${when}, fails that transaction and nothing else`, async () => {
    await assert.rejects(db.transaction(work), isAway)
    await backAgain()
    const results = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        db.transaction(async (tx) => (await tx`select ${index}::int as n`)[0]?.['n']),
      ),
    )
    assert.deepEqual(results, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  })
}

test('every transaction that runs when the database goes away is told so, and none hangs', async () => {
  const running = Array.from({ length: 12 }, () => db.transaction((tx) => tx`select pg_sleep(5)`))
  setTimeout(link.cut, 100)
  for (const outcome of await Promise.allSettled(running)) {
    assert.ok(outcome.status === 'rejected' && isAway(outcome.reason), String(outcome))
  }
  await assert.rejects(
    db.read((query) => query`select 1`),
    isAway,
  )
  await backAgain()
  assert.equal((await db.read((query) => query`select 1 as one`))[0]?.['one'], 1)
})

test('a connection that PostgreSQL ends as it begins counts as a database that is away, whatever the code', async () => {
  const { query: admin, close } = await openClient(database.connection, { applicationName: 'test' })
  await admin.unsafe(`
    create function refuse() returns event_trigger language plpgsql as $$
    begin raise exception 'could not write a file' using errcode = 'XX000'; end $$`)
  await admin.unsafe('create event trigger refusal on login execute function refuse()')
  link.cut()
  link.restore()
  try {
    // More often than there are connections: those that were cut are not known to be lost before they are used.
    for (let count = 0; count < 5; count++)
      await assert.rejects(
        db.read((query) => query`select 1`),
        isAway,
      )
  } finally {
    await admin.unsafe('drop event trigger refusal')
    await close()
  }
  await backAgain()
})

test('a transaction that fails leaves nothing behind, and its connection is used again', async () => {
  await db.transaction((tx) => tx`create table if not exists marks (n int primary key)`)
  for (let round = 0; round < 10; round++) {
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx`insert into marks values (1)`
        throw new Error('no')
      }),
      /^Error: no$/,
    )
  }
  assert.equal((await db.read((query) => query`select 1 from marks`)).length, 0)
})

test('a failed statement that its transaction passed over in silence does not commit the rest', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx`insert into marks values (2)`
      await tx`select 1 / 0`.catch(() => {})
    }),
  )
  assert.equal((await db.read((query) => query`select 1 from marks where n = 2`)).length, 0)
})

test('a database that has refused many connections is used again as soon as it is back', async () => {
  link.cut()
  for (let round = 0; round < 8; round++) {
    const refused = Array.from({ length: 9 }, () =>
      assert.rejects(
        db.read((query) => query`select 1`),
        isAway,
      ),
    )
    await Promise.all(refused)
  }
  link.restore()
  const restoredMs = performance.now()
  assert.equal((await db.read((query) => query`select 1 as one`))[0]?.['one'], 1)
  const tookMs = performance.now() - restoredMs
  assert.ok(tookMs < 2_000, `it took ${Math.round(tookMs)} ms`)
})
