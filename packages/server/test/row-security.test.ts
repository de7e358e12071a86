// Row-level security as the database enforces it: on every table of a business, for a role that owns nothing, until the
// transaction ends; with an owner that is not a superuser; created again if a dump has lost it.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { startServer } from '../src/main.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { type ConnectionOptions, openClient } from '../src/platform/postgres/client.ts'
import { DatabaseError } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { inTurn } from '../src/platform/postgres/partitions/partitions.ts'
import { businessRole, isSecured, secureRows } from '../src/platform/postgres/row-security.ts'
import { parseConfig } from '../src/platform/settings.ts'
import { request } from './caller.ts'
import { realNames } from './http/operation-matrix.ts'
import { testDatabase } from './test-database.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
await realNames(world)
const owner = world.business.id
const stranger = (await world.otherBusiness()).id
const { db } = world.inside

type Table = { name: string; isForced: boolean; owner: string; key: string }
const tables = await db.read(
  (query) => query<Table[]>`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as is_forced, c.relowner::regrole::text as owner,
      case when c.relname = 'businesses' then 'id' else 'business_id' end as key
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (c.relname = 'businesses' or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'business_id' and not a.attisdropped))`,
)

test('every table of a business is behind the wall, and the role before it owns nothing', async () => {
  assert.ok(tables.length > 12)
  for (const table of tables)
    assert.deepEqual([table.isForced, table.owner === businessRole], [true, false], table.name)
  const [role] = await db.read(
    (query) => query`select rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname = ${businessRole}`,
  )
  assert.deepEqual({ ...role }, { rolsuper: false, rolbypassrls: false, rolcanlogin: false })
})

test('a business sees its own rows alone, in every table, in a read and in a transaction', async () => {
  let seen = 0
  for (const { name, key } of tables) {
    const whole = await db.read(
      (query) => query`select 1 from ${query.names(name)} where ${query.names(key)} = ${owner}`,
    )
    const ask = (business: string) => [
      db
        .of(business)
        .read((query) => query<{ of: string }[]>`select ${query.names(key)} as of from ${query.names(name)}`),
      db.of(business).transaction((tx) => tx<{ of: string }[]>`select ${tx.names(key)} as of from ${tx.names(name)}`),
    ]
    for (const rows of await Promise.all(ask(owner))) {
      assert.deepEqual([rows.length, rows.every((row) => row.of === owner)], [whole.length, true], name)
      seen += rows.length
    }
    for (const rows of await Promise.all(ask(stranger)))
      assert.ok(
        rows.every((row) => row.of === stranger),
        name,
      )
    for (const rows of await Promise.all(ask(''))) assert.equal(rows.length, 0, name)
  }
  assert.ok(seen > 40)
})

test('a business writes no row of another, and none that it gives to another', async () => {
  const { count } = await db.of(stranger).transaction((tx) => tx`update end_users set metadata = '{}'`)
  assert.equal(count, 0)
  await assert.rejects(
    db.of(stranger).transaction((tx) => tx`insert into event_streams (business_id, position) values (${owner}, 9)`),
    (error) => error instanceof DatabaseError && error.code === '42501',
  )
})

test('an owner that is no superuser: told what it lacks, and all works once it is given that', async () => {
  await using login = await newLogin()
  const config = parseConfig(
    { PROVIDER_URL: world.provider.url, PROVIDER_API_KEY: world.provider.apiKey, PORT: '0' },
    { deploymentSecret: 'd'.repeat(32), adminSecret: 'operator-secret-of-this-test' },
  )
  const start = () => startServer(config, createLog('silent'), login.connection)
  await assert.rejects(start, /As an administrator of the database, once: create role causeway_business nologin/)
  await login.admin.unsafe(`grant ${businessRole} to ${login.connection.username}`)
  const server = await start()
  try {
    const call = (method: string, path: string, body: unknown, key: string) =>
      request(method, `${server.url}${path}`, body, { headers: { authorization: `Bearer ${key}` } })
    const customer = await call('POST', '/v0/customers', { name: 'One' }, config.adminSecret)
    const { key } = (await call('POST', `/v0/customers/${customer.body.data.id}/api-keys`, {}, config.adminSecret)).body
      .data
    assert.equal((await call('POST', '/v0/end-users', { externalUserId: 'ada' }, key)).status, 200)
    const events = await call('GET', '/v0/events', undefined, key)
    assert.deepEqual(
      events.body.data.map(({ eventType }: { eventType: string }) => eventType),
      ['end_user.created'],
    )
  } finally {
    await server.stop()
  }
})

test('a database restored without roles and policies is secured again at the next start', async () => {
  const database = await testDatabase()
  const own = openDatabase(database.connection, { poolMax: 2 })
  try {
    const business = await own.transaction(
      (tx) =>
        tx<
          { id: string }[]
        >`insert into businesses (id, name, search_name) values ('biz_1', 'One', 'one') returning id`,
    )
    await own.transaction(async (tx) => {
      await tx.unsafe(
        `drop policy one_business on end_users; drop policy one_business on businesses; alter table end_users no force row level security`,
      )
    })
    assert.equal(await own.read(isSecured), false)
    await migrate(own)
    assert.equal(await own.read(isSecured), true)
    assert.equal((await own.of(business[0]?.id ?? '').read((query) => query`select 1 from end_users`)).length, 0)
    const [table] = await own.read(
      (query) => query`select relforcerowsecurity as is_forced from pg_class where oid = 'end_users'::regclass`,
    )
    assert.deepEqual({ ...table }, { isForced: true })
  } finally {
    await own.close()
    await database.drop()
  }
})

/** A new login with a database that it owns. */
async function newLogin() {
  const { query: admin, close } = await openClient(
    { ...world.database, database: 'postgres' },
    { applicationName: 'test' },
  )
  const username = `login_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await admin.unsafe(`create role ${username} login password '${password}'`)
  await admin.unsafe(`create database ${username} owner ${username}`)
  const connection: ConnectionOptions = { ...world.database, database: username, username, password }
  return {
    connection,
    admin,
    async [Symbol.asyncDispose]() {
      await admin.unsafe(`drop database ${username} with (force)`)
      await admin.unsafe(`drop owned by ${username}`).catch(() => {})
      await admin.unsafe(`drop role ${username}`)
      await close()
    },
  }
}

test('a replica that builds the wall keeps no other from making the weeks of the history, nor the other way round', async () => {
  await db.transaction(async (tx) => {
    await secureRows(tx)
    assert.equal(await inTurn(db, async () => 'made'), 'made')
  })
  const built = await inTurn(db, async () => await db.transaction((tx) => secureRows(tx).then(() => 'built')))
  assert.equal(built, 'built')
})
