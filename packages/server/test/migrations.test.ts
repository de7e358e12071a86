// Schema changes while servers run: the rules for migrations, a second run that does nothing, concurrent runs, and a
// version on a later schema, which works unless a breaking migration forbids it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Database } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { migrate, readMigrations } from '../src/platform/postgres/migrate.ts'
import { request } from './caller.ts'
import { breaksOf } from './migration-rules.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { openWorld, type World } from './world.ts'

const opened: AsyncDisposableStack = new AsyncDisposableStack()
after(() => opened.disposeAsync())

/** A database with the whole schema, or with none of it. */
async function databaseOf(schema: 'none' | 'whole'): Promise<{ db: Database; database: TestDatabase }> {
  const database = await testDatabase()
  opened.defer(() => database.drop())
  const db = openDatabase(database.connection, { poolMax: 10 })
  opened.defer(() => db.close())
  if (schema === 'none') {
    await db.transaction((tx) => tx.unsafe('drop schema public cascade; create schema public'))
  }
  return { db, database }
}

/** Every column with its type and default, every index and every constraint. */
async function schemaOf(db: Database): Promise<string[]> {
  const rows = await db.read(
    (query) => query<{ line: string }[]>`
      select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') as line
      from information_schema.columns where table_schema = 'public'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace
      order by 1`,
  )
  return rows.map(({ line }) => line)
}

const migrations = await readMigrations()

test('a migration that is not named breaking only adds what the version before does not notice', () => {
  const additive = migrations.filter(({ breaking }) => !breaking)
  assert.deepEqual(
    additive.flatMap(({ name, sql }) => breaksOf(name, sql)),
    [],
  )
})

const breaks: readonly [sql: string, says: RegExp][] = [
  ['drop table end_users;', /drops/],
  ['alter table end_users drop column email;', /drops/],
  ['drop index if exists end_users_page;', /drops/],
  ['alter table end_users rename column email to mail;', /renames/],
  ['alter table end_users rename to users;', /renames/],
  ['alter table end_users alter column email type bytea using null;', /changes a type/],
  ['alter table end_users alter email set data type text;', /changes a type/],
  ['alter table end_users alter column email set not null;', /not null/],
  ['alter table end_users add column x text not null;', /not null without a default/],
  ['alter table end_users add x text NOT NULL check (x <> $$default$$);', /not null without a default/],
  ['alter table end_users add constraint c check (email is not null);', /constraint/],
  ['create index if not exists x on end_users (email);', /index on a table that is in use/],
  ['create unique index x on end_users (email);', /index on a table that is in use/],
  ['truncate end_users;', /empties/],
  ['do $$ begin if true then drop table end_users; end if; end $$;', /drops/],
  ['-- harmless\nselect 1; /* drop */ DROP   VIEW x;', /drops/],
]

for (const [sql, says] of breaks) {
  test(`a migration is told that it breaks: ${sql.replaceAll('\n', ' ')}`, () => {
    const found = breaksOf('9999_new.sql', sql)
    assert.equal(found.length, 1, found.join(' '))
    assert.match(found[0] ?? '', says)
  })
}

const harmless: readonly string[] = [
  'create table if not exists x (id text primary key, drop_at timestamptz not null); create index on x (drop_at);',
  "alter table end_users add column if not exists x text not null default '';",
  'alter table end_users add column x text; -- drop table end_users',
  'alter table end_users add constraint c check (email is not null) not valid;',
  "update end_users set email = 'drop table end_users';",
]

for (const sql of harmless) {
  test(`a migration may: ${sql}`, () => assert.deepEqual(breaksOf('9999_new.sql', sql), []))
}

test('the second run of each migration changes nothing', async () => {
  const { db } = await databaseOf('none')
  for (const { name, sql } of migrations) {
    await db.transaction((tx) => tx.unsafe(sql))
    const once = await schemaOf(db)
    await db.transaction((tx) => tx.unsafe(sql))
    assert.deepEqual(await schemaOf(db), once, name)
  }
})

test('of many that start at once on an empty database, each migration is applied by one, and all go on', async () => {
  const { db } = await databaseOf('none')
  const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(db)))
  assert.deepEqual(
    applied.flat().toSorted(),
    migrations.map(({ name }) => name),
  )
})

test('a migration that waits for a long transaction lets the traffic pass, and is applied when that is over', async () => {
  const { db } = await databaseOf('whole')
  const later = {
    version: 9990,
    name: '9990_later.sql',
    breaking: false,
    sql: 'alter table virtual_accounts add column later text',
  }
  const over = Promise.withResolvers<void>()
  const reading = Promise.withResolvers<void>()
  // As a dump does: it reads, and keeps what it read locked.
  const dump = db.transaction(async (tx) => {
    await tx`select count(*) from virtual_accounts`
    reading.resolve()
    while (await Promise.race([over.promise.then(() => false), tx`select pg_sleep(0.2)`.then(() => true)]));
  })
  await reading.promise
  const migrated = migrate(db, [...migrations, later])
  const waits: number[] = []
  for (let look = 0; look < 20; look++) {
    const startedAt = performance.now()
    await db.read((query) => query`select count(*) from virtual_accounts, pg_sleep(0.1)`)
    waits.push(performance.now() - startedAt)
  }
  assert.ok(Math.max(...waits) < 4_000, `${Math.max(...waits)} ms`)
  over.resolve()
  await dump
  assert.deepEqual(await migrated, [later.name])
})

test('a migration that the traffic deadlocks with is tried again until it is through', async () => {
  const { db } = await databaseOf('whole')
  await db.transaction((tx) => tx`create sequence deadlocks`)
  // More often than any transaction is repeated. The number survives the rollback.
  const later = {
    version: 9990,
    name: '9990_later.sql',
    breaking: false,
    sql: `do $$ begin
        if nextval('deadlocks') <= 7 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
      end $$;
      alter table virtual_accounts add column later text`,
  }
  const applied = await migrate(db, [...migrations, later]).catch((error: unknown) => error)
  assert.deepEqual(applied, [later.name])
})

test('a server works on a schema that a later version has added to, beside servers of that version', async () => {
  await using stack = new AsyncDisposableStack()
  const world: World = await openWorld({ alone: true })
  stack.defer(() => world.stop())
  await world.inside.db.transaction(async (tx) => {
    await tx.unsafe(`
      insert into schema_migrations (version, name, breaking, digest) values (9990, '9990_later.sql', false, 'x');
      alter table end_users add column later text not null default 'x';
      alter table events add column later jsonb;
      alter table deliveries add column later integer not null default 0;
      alter table finished_deliveries add column later integer not null default 0;
      alter table virtual_accounts add column later text;
      create table laters (id text primary key, end_user_id text)`)
  })
  // One that ran all along, and one that starts now.
  const replica = stack.use(await world.replica())
  for (const [at, baseUrl] of [world.url, replica.url].entries()) {
    const headers = { authorization: `Bearer ${world.business.apiKey}` }
    const call = (method: string, path: string, body?: unknown) =>
      request(method, `${baseUrl}${path}`, body, { headers })
    assert.equal((await call('POST', '/v0/end-users', { externalUserId: `later-${at}` })).status, 200)
    assert.equal((await call('GET', `/v0/end-users/later-${at}`)).status, 200)
    const events = await call('GET', '/v0/events?limit=1')
    assert.equal(events.body.data[0].eventType, 'end_user.created')
  }
  const errors = world.log.filter((line) => /"level":50/.test(line))
  assert.deepEqual(errors, [])
})

test('a server refuses a schema that a later version has changed in a way it cannot work with, and says so', async () => {
  const { db, database } = await databaseOf('whole')
  await db.transaction(
    (tx) => tx`insert into schema_migrations (version, name, breaking, digest)
      values (9990, '9990_more.sql', false, 'x'), (9991, '9991_other.breaking.sql', true, 'x'), (9992, '9992_last.sql', false, 'x')`,
  )
  const late = openDatabase(database.connection, { poolMax: 3 })
  await assert.rejects(migrate(late), (error: Error) => {
    assert.match(error.message, /upgraded by a newer Causeway \(9991_other\.breaking\.sql\)/)
    assert.match(error.message, /Start the newer version\./)
    return true
  })
  await late.close()
})

test('a database that another text of a migration made is refused, with what to do about it', async () => {
  const { db } = await databaseOf('whole')
  const [first, ...others] = migrations
  assert.ok(first)
  const edited = [{ ...first, sql: `${first.sql}\n-- one more column` }, ...others]
  await assert.rejects(migrate(db, edited), /created by an unreleased version of Causeway: its 0001_.* --reset/)
})

test('a database of before texts were compared is refused as such, and not as one of a newer version', async () => {
  const { db } = await databaseOf('none')
  await db.transaction((tx) =>
    tx.unsafe(`
      create table schema_migrations (
        version integer primary key, name text not null, breaking boolean not null, applied_at timestamptz not null default now());
      insert into schema_migrations (version, name, breaking)
        values (1, '0001_businesses.sql', false), (5, '0005_relay.breaking.sql', true)`),
  )
  await assert.rejects(migrate(db), /unreleased version of Causeway: its 0001_businesses\.sql.* --reset/)
})

const concurrent = {
  version: 9990,
  name: '9990_later.concurrently.sql',
  breaking: false,
  sql: '-- For a list by type; it comes later.\ncreate index concurrently if not exists later_one\n  on end_users (business_id, type); -- and\n  -- another;\ncreate index concurrently if not exists later_two on end_users (business_id, email);\n',
}

test('an index is built outside a transaction by one of many, while a writer holds rows of its table', async () => {
  const { db } = await databaseOf('whole')
  assert.deepEqual(breaksOf(concurrent.name, concurrent.sql), [])
  assert.equal(breaksOf(concurrent.name, 'drop table end_users;').length, 1)
  const over = Promise.withResolvers<void>()
  const writing = Promise.withResolvers<void>()
  const writer = db.transaction(async (tx) => {
    await tx`insert into businesses (id, name, search_name) values ('biz_1', 'One', 'one')`
    await tx`insert into end_users (business_id, id, external_user_id, provider, search_name, type) values ('biz_1', 'eu_1', 'a', 'bridge', 'a', 'individual')`
    writing.resolve()
    await over.promise
  })
  await writing.promise
  const applied = Promise.all(Array.from({ length: 4 }, () => migrate(db, [...migrations, concurrent])))
  // The build waits for the writer, and nobody waits for the build.
  await db.transaction((tx) => tx`insert into businesses (id, name, search_name) values ('biz_2', 'Two', 'two')`)
  await db.transaction(
    (tx) =>
      tx`insert into end_users (business_id, id, external_user_id, provider, search_name, type) values ('biz_2', 'eu_2', 'b', 'bridge', 'b', 'individual')`,
  )
  over.resolve()
  await writer
  assert.deepEqual((await applied).flat(), [concurrent.name])
})

test('an index whose build was killed is built again', async () => {
  const { db } = await databaseOf('whole')
  await db.alone((query) => query.unsafe('create index concurrently later_one on end_users (business_id, type)'))
  await db.transaction((tx) => tx`update pg_index set indisvalid = false where indexrelid = 'later_one'::regclass`)
  assert.deepEqual(await migrate(db, [...migrations, concurrent]), [concurrent.name])
  const rows = await db.read(
    (query) => query`
    select 1 from pg_index where indexrelid in ('later_one'::regclass, 'later_two'::regclass) and indisvalid`,
  )
  assert.equal(rows.length, 2)
})
