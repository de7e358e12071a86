// Readiness: the result comes in time even if all connections wait, and a database that accepts no writes is reported
// although it responds.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openClient, openPool } from '../src/platform/postgres/client.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { Readiness } from '../src/platform/postgres/waiting/readiness.ts'
import { until } from './caller.ts'
import { changeCluster } from './cluster-settings.ts'
import { databaseLink } from './database-link.ts'
import { startCluster } from './test-database.ts'

// A separate cluster: its commits wait for a missing standby.
const cluster = await startCluster()
const { query: admin, close } = await openClient(cluster.connection, { applicationName: 'test' })
await changeCluster(admin, cluster.connection, { synchronous_commit: 'on' })
await admin.unsafe('create table marks (n int)')
after(async () => {
  await waitForStandby(false)
  await close()
  await cluster.stop()
})

async function waitForStandby(isAwaited: boolean): Promise<void> {
  await configure('synchronous_standby_names', isAwaited ? 'away' : '')
  await delay(300) // a reload is a signal to every process: nothing tells when the last has it
}

const configure = (name: string, value: string) => changeCluster(admin, cluster.connection, { [name]: value })

/** A clock that the test moves. */
function probeOn(connection: typeof cluster.connection) {
  let nowMs = 0
  const pool = openPool(connection, { applicationName: 'probe', max: 2, silenceMs: 4_000, onWrite: () => {} })
  const readiness = new Readiness(pool, () => nowMs)
  return {
    readiness,
    pass: (ms: number) => {
      nowMs += ms
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

const waitingCommits = async () =>
  (await admin`select 1 from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'probe'`).length

const wal = async () => (await admin<{ at: string }[]>`select pg_current_wal_insert_lsn()::text as at`)[0]?.at

test('who has written lately writes nothing to find out; who has not commits one small record', async () => {
  await using probe = probeOn(cluster.connection)
  probe.readiness.noteWrite()
  await admin.unsafe('checkpoint')
  const before = await wal()
  for (let look = 0; look < 20; look++) assert.equal(await probe.readiness.look(), 'well')
  assert.equal(await wal(), before)
  probe.pass(6_000)
  assert.equal(await probe.readiness.look(), 'well')
  await until('the record', async () => (await wal()) !== before)
  const [grown] = await admin<
    { bytes: number }[]
  >`select pg_wal_lsn_diff(${await wal()}::pg_lsn, ${before}::pg_lsn)::int as bytes`
  assert.ok(grown && grown.bytes < 400, `${grown?.bytes} bytes`)
})

test('commits that hang make it not ready after ten seconds and not before; the first that succeeds makes it ready', async () => {
  await using probe = probeOn(cluster.connection)
  await waitForStandby(true)
  assert.equal(await probe.readiness.look(), 'well')
  await until('a commit that hangs', async () => (await waitingCommits()) === 1)
  probe.pass(9_000)
  assert.equal(await probe.readiness.look(), 'well')
  probe.pass(2_000)
  for (let look = 0; look < 5; look++) assert.equal(await probe.readiness.look(), 'not_writing')
  assert.equal(await waitingCommits(), 1, 'one write hangs, however often somebody looks')
  await waitForStandby(false)
  await until('readiness', async () => (await probe.readiness.look()) === 'well')
})

test('a write that failed long ago, when nobody looked since, does not count', async () => {
  await using probe = probeOn(cluster.connection)
  await waitForStandby(true)
  assert.equal(await probe.readiness.look(), 'well')
  probe.pass(3_600_000)
  assert.equal(await probe.readiness.look(), 'well')
  await waitForStandby(false)
})

test('a database that is closed to writes is not ready, although it answers', async () => {
  await admin.unsafe('set default_transaction_read_only = off')
  await configure('default_transaction_read_only', 'on')
  await using probe = probeOn(cluster.connection)
  try {
    assert.equal(await probe.readiness.look(), 'well')
    probe.pass(11_000)
    assert.equal(await probe.readiness.look(), 'not_writing')
  } finally {
    await configure('default_transaction_read_only', 'off')
  }
})

test('after a refused write it is not ready until a new page is written, whatever small writes find room meanwhile', async () => {
  await using probe = probeOn(cluster.connection)
  await admin.unsafe(`create function no_room() returns event_trigger language plpgsql as
    $$ begin raise exception using errcode = '53100', message = 'no room'; end $$`)
  await admin.unsafe(`create event trigger no_room on ddl_command_start when tag in ('CREATE TABLE AS')
    execute function no_room()`)
  assert.equal(await probe.readiness.look(), 'well')
  // The looks below take milliseconds: on a slow disk, all of them would find this write still in progress.
  await until('the end of the first write', async () => !probe.readiness.isWriting)
  probe.readiness.noteRefusal()
  for (let second = 0; second < 60; second++) {
    assert.equal(await probe.readiness.look(), second > 5 ? 'not_writing' : 'well', `${second} s`)
    probe.readiness.noteWrite()
    probe.pass(1_000)
  }
  await admin.unsafe('drop event trigger no_room')
  assert.equal(await probe.readiness.look(), 'well', 'at once')
})

test('one refused write among good ones is no outage, also to a prober that looks seldom', async () => {
  await using probe = probeOn(cluster.connection)
  probe.readiness.noteRefusal()
  probe.pass(20_000)
  assert.equal(await probe.readiness.look(), 'well')
})

test('a user who may not write such a record is not taken for one who cannot write', async () => {
  await admin.unsafe(`create role plain login password '${cluster.connection.password}'`)
  const forEach = (verb: string) =>
    admin.unsafe(`do $$ declare f regprocedure; begin
      for f in select oid from pg_proc where proname = 'pg_logical_emit_message' loop
        execute format('${verb} public', f); end loop; end $$`)
  await forEach('revoke execute on function %s from')
  await using probe = probeOn({ ...cluster.connection, username: 'plain' })
  try {
    assert.equal(await probe.readiness.look(), 'well')
    await until('the end of the refused record', () => !probe.readiness.isWriting)
    probe.pass(11_000)
    assert.equal(await probe.readiness.look(), 'well')
  } finally {
    await forEach('grant execute on function %s to')
  }
})

test('an answer comes within three seconds, whatever the pools wait for, and also from a database that fell silent', async () => {
  await using link = await databaseLink(cluster.connection)
  const db = openDatabase(link.connection, { poolMax: 3 })
  try {
    await admin.unsafe('begin; lock table marks in access exclusive mode')
    const held = [db.read, db.statement, db.byIndex].map((ask) =>
      Promise.allSettled([ask((query) => query`select n from marks`), ask((query) => query`select n from marks`)]),
    )
    let startedAt = performance.now()
    assert.equal(await db.health(), 'well')
    assert.ok(performance.now() - startedAt < 1_000)
    await admin.unsafe('rollback')
    await Promise.all(held)
    link.silence()
    startedAt = performance.now()
    assert.equal(await db.health(), 'away')
    assert.ok(performance.now() - startedAt < 3_000)
  } finally {
    await db.close()
  }
})

test('a commit that hangs is told to its caller in time, is not called done, and leaves reads their connections', async () => {
  const waitMs = 1_000
  const db = openDatabase(cluster.connection, { poolMax: 10, waitMs })
  await waitForStandby(true)
  try {
    const startedAt = performance.now()
    const writes = Array.from({ length: 12 }, () => db.transaction((tx) => tx`insert into marks values (7)`))
    const ends = Promise.allSettled(writes)
    for (let read = 0; read < 10; read++) await db.read((query) => query`select 1 from marks`)
    for (const end of await ends) assert.equal(end.status, 'rejected')
    assert.ok(performance.now() - startedAt < 2 * waitMs)
    // The time limit of a statement must not end the wait of its commit: PostgreSQL would report it as done.
    await delay(2 * waitMs)
    const seen = await db.read((query) => query`select n from marks where n = 7`)
    assert.equal(seen.length, 0)
  } finally {
    await waitForStandby(false)
    await db.close()
  }
})
