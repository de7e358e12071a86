// Several hosts in DATABASE_URL: the one that takes writes is found, by every kind of connection, and found again when it moves.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { ApiError } from '../src/platform/errors.ts'
import { openClient } from '../src/platform/postgres/client.ts'
import { DatabaseError } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { until } from './caller.ts'
import { changeCluster } from './cluster-settings.ts'
import { databaseLink } from './database-link.ts'
import { startCluster } from './test-database.ts'

const password = randomBytes(8).toString('hex')
const [first, second] = [await server(), await server()]
after(async () => {
  await first.stop()
  await second.stop()
})

/** A server behind a link that can be cut; both servers know the same login. */
async function server() {
  const cluster = await startCluster()
  const { query, close } = await openClient(cluster.connection, { applicationName: 'test' })
  await query.unsafe(`create role traveller superuser login password '${password}'`)
  await query.unsafe('create table marks (n int)')
  const link = await databaseLink(cluster.connection)
  return {
    link,
    address: `${link.connection.host}:${link.connection.port}`,
    port: cluster.connection.port,
    /** As a primary that became a standby, or a standby that was promoted. */
    async takeWrites(isWritable: boolean) {
      await query.unsafe('set default_transaction_read_only = off')
      await changeCluster(query, cluster.connection, { default_transaction_read_only: isWritable ? 'off' : 'on' })
    },
    marks: async () => (await query`select 1 from marks`).length,
    async stop() {
      await close()
      await link[Symbol.asyncDispose]()
      await cluster.stop()
    },
  }
}

const urlOf = (hosts: string, attributes: string) =>
  `postgresql://traveller:${password}@${hosts}/postgres?connect_timeout=2${attributes}`
const both = `${first.address},${second.address}`
const writable = '&target_session_attrs=read-write'

const refusalOf = (error: unknown): string => {
  assert.ok(error instanceof ApiError && error.code === 'database_unavailable', String(error))
  return error.cause instanceof DatabaseError ? error.cause.code : ''
}

test('every kind of connection goes to the host that takes writes, and follows it when it moves', async () => {
  await first.takeWrites(false)
  await second.takeWrites(true)
  const db = openDatabase({ url: urlOf(both, writable) }, { poolMax: 10 })
  const heard: string[] = []
  try {
    await db.listen({ moved: (payload) => heard.push(payload) })
    for (const ask of [db.read, db.statement, db.byIndex]) {
      const [row] = await ask((query) => query<{ port: number }[]>`select current_setting('port')::int as port`)
      assert.equal(row?.port, second.port)
    }
    await Promise.all(Array.from({ length: 20 }, () => db.transaction((tx) => tx`insert into marks values (1)`)))
    assert.deepEqual([await first.marks(), await second.marks()], [0, 20])
    assert.equal(await db.health(), 'well')
    await second.takeWrites(false)
    await first.takeWrites(true)
    // Each connection to the old host is given up at the first write that it refuses.
    await until('a write', () =>
      db
        .transaction((tx) => tx`insert into marks values (2)`)
        .then(
          () => true,
          (error: unknown) => void assert.equal(refusalOf(error), '25006'),
        ),
    )
    assert.equal(await first.marks(), 1)
    second.link.cut()
    await until('the listener', async () => {
      await db.transaction((tx) => tx`select pg_notify('moved', 'heard')`)
      return heard.includes('heard')
    })
    second.link.restore()
  } finally {
    await db.close()
  }
})

test('a first host that says nothing costs two seconds once, and none of them costs an answer', async () => {
  await first.takeWrites(true)
  await second.takeWrites(true)
  const db = openDatabase({ url: urlOf(both, writable) }, { poolMax: 10 })
  try {
    first.link.silence()
    let startedAt = performance.now()
    await Promise.all(Array.from({ length: 8 }, () => db.read((query) => query`select 1`)))
    assert.ok(performance.now() - startedAt < 4_000)
    startedAt = performance.now()
    await Promise.all(Array.from({ length: 15 }, () => db.transaction((tx) => tx`select pg_sleep(0.05)`)))
    assert.ok(performance.now() - startedAt < 1_500, 'new connections begin with the host that answered')
  } finally {
    await db.close()
  }
})

test('where no host takes writes, that is told; any takes what answers; a single connection tries them all', async () => {
  await second.takeWrites(false)
  const none = openDatabase({ url: urlOf(second.address, writable) }, { poolMax: 3 })
  const any = openDatabase({ url: urlOf(`127.0.0.1:1,${second.address}`, '') }, { poolMax: 3 })
  try {
    await assert.rejects(
      none.read((query) => query`select 1`),
      (error: unknown) => refusalOf(error) === 'UNFIT_SERVER',
    )
    assert.equal((await any.read((query) => query`select 1`)).length, 1)
    const refused = openClient({ url: urlOf(`127.0.0.1:1,${second.address}`, writable) }, { applicationName: 'test' })
    await assert.rejects(refused, /no connection to the database/)
  } finally {
    await none.close()
    await any.close()
  }
})
