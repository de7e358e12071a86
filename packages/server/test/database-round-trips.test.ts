// Transactions in few round trips: a statement that is sent with BEGIN or with COMMIT has the same effect, and the same
// error, as one that waits for its response.

import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, test } from 'node:test'
import type { ConnectionOptions } from '../src/platform/postgres/client.ts'
import { DatabaseError } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { until } from './caller.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 10 })
await db.transaction((tx) => tx`create table marks (n int primary key)`)
await db.transaction((tx) => tx`grant all on marks to causeway_business`)
after(async () => {
  await db.close()
  await database.drop()
})

const marks = async () =>
  (await db.read((query) => query<{ n: number }[]>`select n from marks order by n`)).map(({ n }) => n)
const codeOf = (error: unknown) => (error instanceof DatabaseError ? error.code : String(error))

/** A line to the database that shows, and can change, what is sent at once. */
async function changedLine({ host, port, ...rest }: ConnectionOptions, change: (sent: Buffer) => Buffer) {
  const path = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const server = createServer((client) => {
    const upstream = connect(path).on('error', () => client.destroy())
    client.on('error', () => upstream.destroy())
    client.on('data', (sent) => upstream.write(change(sent))).on('close', () => upstream.destroy())
    upstream.pipe(client)
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const connection = { ...rest, host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  return { connection, [Symbol.asyncDispose]: async () => void server.close() }
}

test('without its BEGIN a statement has no effect, and its connection is not used again', async () => {
  let isBroken = false
  const change = (sent: Buffer) =>
    isBroken ? Buffer.from(sent.toString('latin1').replace('begin\0', 'bogus\0'), 'latin1') : sent
  await using line = await changedLine(database.connection, change)
  for (const direct of [undefined, line.connection]) {
    const behind = openDatabase(line.connection, { poolMax: 10, direct })
    const insert = (n: number) => [
      () => behind.transaction((tx) => tx`insert into marks values (${n})`),
      () => behind.transaction(async (tx) => tx.send(tx`insert into marks values (${n})`)),
      () => behind.of('biz_of_nobody').statement((query) => query`insert into marks values (${n})`),
      () => behind.of('biz_of_nobody').read((query) => query`insert into marks values (${n})`),
    ]
    // The statement is prepared, so that nothing but BEGIN can fail.
    for (const [at, run] of insert(1).entries()) {
      await run()
      await db.transaction((tx) => tx`delete from marks`)
      isBroken = true
      await assert.rejects(insert(2)[at] ?? run, (error: unknown) => codeOf(error) === '42601')
      isBroken = false
      assert.deepEqual(await marks(), [])
    }
    await behind.transaction((tx) => tx`insert into marks values (3)`)
    assert.deepEqual(await marks(), [3])
    await db.transaction((tx) => tx`delete from marks`)
    await behind.close()
  }
})

test('a transaction sends its first statement with BEGIN, and its last ones with COMMIT', async () => {
  const packets: string[] = []
  await using line = await changedLine(database.connection, (sent) => {
    packets.push(sent.toString('latin1'))
    return sent
  })
  const behind = openDatabase(line.connection, { poolMax: 10 })
  const work = () =>
    behind.of('biz_of_nobody').transaction(async (tx) => {
      await tx`delete from marks`
      tx.send(tx`insert into marks values (1)`)
      tx.send(tx`insert into marks values (2)`)
    })
  await work()
  packets.length = 0
  await work()
  assert.equal(packets.length, 2)
  assert.match(packets[0] ?? '', /begin\0.*set local role/s)
  assert.match(packets[1] ?? '', /commit\0/)
  assert.deepEqual(await marks(), [1, 2])
  await behind.close()
  await db.transaction((tx) => tx`delete from marks`)
})

test('the error of a transaction is the first one, and nothing of it is committed', async () => {
  const stories: [expected: string, work: Parameters<typeof db.transaction>[0]][] = [
    [
      '22012',
      async (tx) => {
        tx.send(tx`insert into marks values (1)`)
        tx.send(tx`select 1 / ${0}::int`)
        tx.send(tx`insert into marks values (2)`)
      },
    ],
    [
      '23505',
      async (tx) => {
        await tx`insert into marks values (1)`
        tx.send(tx`insert into marks values (1)`)
        await tx`select 1`
      },
    ],
    [
      '23505',
      async (tx) => {
        await tx`insert into marks values (1)`
        tx.send(tx`insert into marks values (1)`)
        throw new Error('a later reason')
      },
    ],
  ]
  for (const [expected, work] of stories) {
    let committed = 0
    const counting: typeof work = async (tx) => {
      tx.send(tx`select 1`, () => (committed += 1))
      return await work(tx)
    }
    await assert.rejects(db.transaction(counting), (error: unknown) => codeOf(error) === expected)
    assert.deepEqual([await marks(), committed], [[], 0])
  }
})

test('what follows a commit waits for its confirmation, however late that comes', async () => {
  const waitMs = 500
  const quick = openDatabase(database.connection, { poolMax: 10, waitMs })
  const lock = 4711
  await db.transaction((tx) =>
    tx.unsafe(`
      create function wait_for_lock() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(${lock}); return null; end $$;
      create constraint trigger slow after insert on marks deferrable initially deferred
        for each row execute function wait_for_lock()`),
  )
  let received: number | null = null
  const insert = (limits = {}) =>
    quick.transaction(
      async (tx) =>
        tx.send(tx<{ n: number }[]>`insert into marks values (1) returning n`, ([row]) => (received = row?.n ?? 0)),
      limits,
    )
  await insert()
  assert.equal(received, 1)
  await db.transaction((tx) => tx`delete from marks`)
  received = null
  await db.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lock})`
    await assert.rejects(insert({ lockMs: 0, statementMs: 0 }), /cannot save data/)
    assert.equal(received, null)
  })
  await until('the late confirmation', () => received === 1)
  assert.deepEqual(await marks(), [1])
  await quick.close()
})
