// A lock of another session: a write that needs it fails in bounded time, everything else continues, and nothing stays
// waiting in PostgreSQL.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ApiError } from '../src/platform/errors.ts'
import { type Client, openClient } from '../src/platform/postgres/client.ts'
import { DatabaseError } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { transactionWithin } from '../src/platform/postgres/lock-order.ts'
import { until } from './caller.ts'
import { freshUserId } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
const waitMs = 1_500
const db = openDatabase(world.database, { poolMax: 10, waitMs, applicationName: 'locks' })
const somebody = await openClient(world.database, { applicationName: 'somebody' })
after(async () => {
  await somebody.close()
  await db.close()
  await world.stop()
})

const codeOf = (error: unknown): string => {
  assert.ok(error instanceof ApiError && error.code === 'database_unavailable', String(error))
  assert.ok(error.cause instanceof DatabaseError)
  return error.cause.code
}

/** Holds a lock for as long as `meanwhile` takes. */
async function whileHeld({ query }: Client, lock: string, meanwhile: () => Promise<void>): Promise<void> {
  await query.unsafe(`begin; ${lock}`)
  try {
    await meanwhile()
  } finally {
    await query.unsafe('rollback')
  }
}

const waitingLocks = async () =>
  await somebody.query`
    select 1 from pg_stat_activity where application_name = 'locks' and wait_event_type = 'Lock' and state = 'active'`

test('more writes than connections that meet a lock are all refused in time, and reads go on beside them', async () => {
  await db.transaction((tx) => tx`create table held (n int)`)
  await whileHeld(somebody, 'lock table held in access exclusive mode', async () => {
    const startedAt = performance.now()
    const writes = Array.from({ length: 30 }, () =>
      db
        .transaction((tx) => tx`insert into held values (1)`)
        .then(
          () => assert.fail('it was written'),
          (error: unknown) => ({ code: codeOf(error), afterMs: performance.now() - startedAt }),
        ),
    )
    for (let round = 0; round < 20; round++) {
      const askedAt = performance.now()
      await db.read((query) => query`select 1 from businesses limit 1`)
      assert.ok(performance.now() - askedAt < waitMs / 5, 'a read of another table waits for nothing')
    }
    const ends = await Promise.all(writes)
    assert.ok(
      ends.some(({ code }) => code === '55P03'),
      JSON.stringify(ends),
    )
    for (const { afterMs } of ends) assert.ok(afterMs < 2 * waitMs, `${Math.round(afterMs)} ms`)
    await until('nobody who waits', async () => (await waitingLocks()).length === 0, 2 * waitMs)
  })
  await db.transaction((tx) => tx`insert into held values (2)`)
  assert.deepEqual([...(await db.read((query) => query`select n from held`))], [{ n: 2 }])
})

test('a statement that meets a lock gives its connection back, whichever pool it is of', async () => {
  await whileHeld(somebody, 'lock table businesses in access exclusive mode', async () => {
    for (const ask of [db.read, db.statement, db.byIndex])
      await assert.rejects(
        ask((query) => query`select 1 from businesses`),
        (error: unknown) => /^(55P03|NO_ANSWER)$/.test(codeOf(error)),
      )
    await until('nobody who waits', async () => (await waitingLocks()).length === 0, 2 * waitMs)
  })
})

test('a statement that runs too long is ended by PostgreSQL; one of housekeeping may take longer', async () => {
  const limitMs = 600
  const quick = openDatabase(world.database, { poolMax: 3, waitMs: limitMs })
  await until('a connection', () => quick.ping())
  const slow = limitMs * 1.5
  await assert.rejects(
    quick.transaction((tx) => tx`select pg_sleep(${slow / 1000})`),
    (error: unknown) => codeOf(error) === '57014',
  )
  await quick.transaction((tx) => tx`select pg_sleep(${slow / 1000})`, { statementMs: 60_000 })
  await quick.transaction((tx) => tx`select pg_sleep(${slow / 1000})`, { statementMs: 0 })
  const left = await quick.transaction(
    (tx) => tx<{ limit: string }[]>`select current_setting('statement_timeout') as limit`,
  )
  assert.deepEqual([...left], [{ limit: `${limitMs}ms` }], 'a limit ends with its transaction')
  await quick.close()
})

test('a wait for a lock can be answered otherwise', async () => {
  await whileHeld(somebody, 'lock table businesses in access exclusive mode', async () => {
    const read = () =>
      transactionWithin(
        db,
        { lockMs: 20 },
        async (tx) => await tx`select 1 from businesses`,
        () => 'late',
      )
    assert.equal(await read(), 'late')
  })
})

test('a caller whose write meets a lock is told 503 with Retry-After within 5 s, and can repeat it', async () => {
  const body = { externalUserId: freshUserId(), email: 'held@example.com' }
  const headers = { 'idempotency-key': 'one-that-meets-a-lock' }
  const create = () => world.business.call('POST', '/v0/end-users', body, { headers })
  await world.business.user()
  await whileHeld(somebody, 'lock table end_users in access exclusive mode', async () => {
    const startedAt = performance.now()
    const answer = await create()
    assert.equal(answer.status, 503, answer.text)
    assert.equal(answer.body.error.code, 'database_unavailable')
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    assert.ok(performance.now() - startedAt < 5_000)
    assert.equal((await world.business.call('GET', '/v0/webhook-endpoints')).status, 200)
  })
  assert.equal((await create()).status, 200)
})

test('a write whose key cannot be released is answered nevertheless, and its repeat is done once the database answers', async () => {
  const body = { externalUserId: freshUserId(), email: 'late@example.com' }
  const key = 'one-that-is-released-later'
  const create = () => world.business.call('POST', '/v0/end-users', body, { headers: { 'idempotency-key': key } })
  const isReserved = async () =>
    (await somebody.query`select 1 from idempotency_keys where key = ${key} and status is null and lease_until > now()`)
      .length > 0
  await using another = await openClient(world.database, { applicationName: 'another' }).then((client) =>
    Object.assign(client, { [Symbol.asyncDispose]: () => client.close() }),
  )
  await whileHeld(somebody, 'lock table end_users in access exclusive mode', async () => {
    const startedAt = performance.now()
    const answering = create()
    await until('the key to be reserved', isReserved)
    await whileHeld(another, `select 1 from idempotency_keys where key = '${key}' for update`, async () => {
      const answer = await answering
      assert.equal(answer.body.error.code, 'database_unavailable', answer.text)
      assert.ok(performance.now() - startedAt < 5_000, 'the release held the answer up')
    })
  })
  await until('the key to be released', async () => !(await isReserved()))
  assert.equal((await create()).status, 200)
})
