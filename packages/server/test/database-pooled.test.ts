// With a separate direct address, nothing relies on a connection that a pooler changes between transactions: no
// prepared statement, no setting. A failure test with the real program shows what a pooler does.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addressProblem } from '../src/platform/postgres/connecting/address-problems.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const { connection } = database
const pooled = openDatabase(connection, { poolMax: 3, direct: connection })
const plain = openDatabase(connection, { poolMax: 3 })
after(async () => {
  await pooled.close()
  await plain.close()
  await database.drop()
})

const settingsOf = (query: Query) => query<{ name: string; setting: string }[]>`
  select name, setting from pg_settings where name = any(${[
    'TimeZone',
    'lock_timeout',
    'statement_timeout',
    'random_page_cost',
    'enable_hashjoin',
    'plan_cache_mode',
    'idle_in_transaction_session_timeout',
  ]}) order by name`

test('every statement has the settings that a connection without a pooler has', async () => {
  for (const way of ['read', 'statement', 'byIndex'] as const)
    assert.deepEqual([...(await pooled[way](settingsOf))], [...(await plain[way](settingsOf))], way)
  const limits = { lockMs: 123, statementMs: 4_567 }
  const [with_, without] = await Promise.all([
    pooled.transaction(settingsOf, limits),
    plain.transaction(settingsOf, limits),
  ])
  assert.deepEqual([...with_], [...without])
  assert.ok(with_.some(({ name, setting }) => name === 'lock_timeout' && setting === '123'))
})

test('nothing stays with the connection: no setting, no prepared statement, no role', async () => {
  for (let round = 0; round < 3; round++) {
    await pooled.read((query) => query`select ${round}::int`)
    await pooled.of('biz_of_nobody').read((query) => query`select ${round}::int`)
    await pooled.transaction((tx) => tx`select ${round}::int`)
  }
  // In the middle of one text, behind `commit`, a statement sees what the next user of the connection would.
  const left = await pooled.read((query) =>
    query.unsafe<
      { prepared: number; lock: string; who: boolean }[]
    >(`commit; select (select count(*)::int from pg_prepared_statements) as prepared,
      current_setting('lock_timeout') as lock, current_user = session_user as who`),
  )
  assert.deepEqual([...left], [{ prepared: 0, lock: '0', who: true }])
})

test('notifications are listened for at the direct address', async () => {
  const refused = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none' }, { poolMax: 3, direct: connection })
  const { promise: heard, resolve } = Promise.withResolvers<string>()
  await refused.listen({ pooled_news: resolve })
  await plain.transaction((tx) => tx`select pg_notify('pooled_news', 'arrived')`)
  assert.equal(await heard, 'arrived')
  await refused.close()
})

test('what the addresses lead to is told: a pooler without a direct address, a direct one that is none, another database', async () => {
  assert.equal(await plain.pooling(), 'none')
  assert.equal(await addressProblem('none', plain, null), null)
  assert.equal(await addressProblem('session', plain, null), null)
  assert.match(String(await addressProblem('transaction', plain, null)), /set DATABASE_DIRECT_URL/)
  assert.match(String(await addressProblem('statement', plain, plain)), /statement mode/)
  assert.equal(await addressProblem('transaction', pooled, plain), null)
  const behind = { ...plain, pooling: async () => 'transaction' as const }
  assert.match(String(await addressProblem('transaction', pooled, behind)), /must connect to PostgreSQL itself/)
  const elsewhere = openDatabase({ ...connection, database: 'postgres' }, { poolMax: 3 })
  assert.match(String(await addressProblem('transaction', pooled, elsewhere)), /different databases/)
  await elsewhere.close()
})
