// The database becomes unavailable in every way, also in mid-query: each caller gets an error within a bounded time,
// nothing is done late, and everything continues automatically once the database is back.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ApiError } from '../src/platform/errors.ts'
import { openClient } from '../src/platform/postgres/client.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { until } from './caller.ts'
import { testDatabase } from './test-database.ts'

const waitMs = 500
const target = await testDatabase()
const { query: admin, close } = await openClient(
  { ...target.connection, database: 'postgres' },
  { applicationName: 'test' },
)
// Two connections of the six are kept for single statements.
const db = openDatabase(target.connection, { poolMax: 6, waitMs })
const name = target.connection.database
await db.transaction((tx) => tx`create table marks (id integer)`)
after(async () => {
  await db.close()
  await close()
  await target.drop()
})

/** Cut while queries are under way, then no connection is let in: as in a fail-over. */
async function away(): Promise<void> {
  const sleep = (query: Query) => query`select pg_sleep(30)`
  const underWay = [...Array.from({ length: 4 }, () => db.read(sleep)), db.statement(sleep)]
  const ended = Promise.allSettled(underWay)
  await until('the queries', async () => {
    const rows = await admin`select 1 from pg_stat_activity where datname = ${name} and query like 'select pg_sleep%'`
    return rows.length === 5
  })
  await admin.unsafe(`alter database ${name} allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  for (const end of await ended) assert.equal(end.status, 'rejected')
}

test('while it is away every read and every transaction fails as unavailable in bounded time, and none runs later', async () => {
  await away()
  try {
    for (let round = 0; round < 3; round++) {
      const startedAt = performance.now()
      const ends = await Promise.allSettled([
        ...Array.from({ length: 6 }, () => db.read((query) => query`select 1`)),
        ...Array.from({ length: 6 }, () => db.statement((query) => query`select 1`)),
        ...Array.from({ length: 6 }, () => db.transaction((tx) => tx`insert into marks values (1)`)),
      ])
      assert.ok(performance.now() - startedAt < waitMs + 2_000)
      for (const end of ends) {
        assert.ok(end.status === 'rejected' && end.reason instanceof ApiError, JSON.stringify(end))
        assert.equal(end.reason.code, 'database_unavailable')
      }
    }
  } finally {
    await admin.unsafe(`alter database ${name} allow_connections true`)
  }
  await until('the database', () => db.ping())
  const answers = await Promise.all(Array.from({ length: 12 }, () => db.read((query) => query`select id from marks`)))
  for (const rows of answers) assert.equal(rows.length, 0)
})
