// The fence of an operation: two that both believe they hold it, and both still at work.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { insertOperation, settleOperation, takeOverOperation } from '../src/provider/operations/operations.store.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

test('whoever lost an operation settles nothing, in no way, while the next holder is still at work', async () => {
  const businessId = 'biz_1'
  await db.transaction((tx) => tx`insert into businesses (id, name) values (${businessId}, 'One')`)
  const intent = {
    businessId,
    id: 'op_1',
    kind: 'virtual_account.create',
    subjectId: 'va_1',
    providerKey: 'key',
    fingerprint: null,
    request: null,
    leaseMs: -1,
  } as const
  const former = await db.transaction((tx) => insertOperation(tx, intent))
  assert.ok(former)
  const holder = await db.transaction((tx) => takeOverOperation(tx, former, 60_000))
  assert.equal(holder?.attempts, former.attempts + 1)
  assert.ok(!(await db.transaction((tx) => takeOverOperation(tx, former, 60_000))), 'the lease of the holder runs')
  const held = { businessId, id: intent.id, attempts: former.attempts }
  const outcomes = [
    { state: 'done' },
    { state: 'failed', errorCode: 'refused' },
    { state: 'unknown', errorCode: 'timeout', retryInMs: 0 },
  ] as const
  for (const outcome of outcomes) {
    assert.equal(await db.transaction((tx) => settleOperation(tx, held, outcome)), false, outcome.state)
  }
  const [stored] = await db.read((query) => query`select * from operations where id = ${intent.id}`)
  assert.deepEqual(stored, holder)
  assert.equal(await db.transaction((tx) => settleOperation(tx, holder, { state: 'done' })), true)
})
