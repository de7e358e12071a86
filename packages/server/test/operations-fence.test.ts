// The fence of an operation: two that both believe they hold it, and both still at work.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDeps } from '../src/main.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { parseConfig } from '../src/platform/settings.ts'
import { insertOperation, settleOperation, takeOverOperation } from '../src/provider/operations/operations.store.ts'
import { performOperation } from '../src/provider/operations/operations.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

test('whoever lost an operation settles nothing, in no way, while the next holder is still at work', async () => {
  const businessId = 'biz_1'
  await db.transaction((tx) => tx`insert into businesses (id, name, search_name) values (${businessId}, 'One', 'one')`)
  const intent = {
    businessId,
    id: 'op_1',
    kind: 'virtual_account.create',
    subjectId: 'va_1',
    provider: 'bridge',
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

test('a caller whose operation was taken over is told when to come back', async () => {
  const businessId = 'biz_2'
  await db.transaction((tx) => tx`insert into businesses (id, name, search_name) values (${businessId}, 'Two', 'two')`)
  const intent = {
    businessId,
    id: 'op_2',
    kind: 'virtual_account.create',
    subjectId: 'va_2',
    provider: 'bridge',
    providerKey: 'key',
    fingerprint: null,
    request: null,
    leaseMs: -1,
  } as const
  const former = await db.transaction((tx) => insertOperation(tx, intent))
  assert.ok(former)
  await db.transaction((tx) => takeOverOperation(tx, former, 60_000))
  const secrets = { deploymentSecret: 'd'.repeat(32), adminSecret: 'a'.repeat(24) }
  const deps = createDeps(parseConfig({ PROVIDER_API_KEY: 'key' }, secrets), createLog('silent'), db)
  const unused = async () => assert.fail('nothing is settled, undone or refused')
  const steps = { call: async () => null, lock: async () => null, settle: unused, undo: unused, rejection: assert.fail }
  await assert.rejects(performOperation(deps, null, former, steps), (error: { code: string; extra: object }) => {
    assert.equal(error.code, 'provider_timeout')
    assert.deepEqual(error.extra, { retryAfterSeconds: 5 })
    return true
  })
  await deps.provider.close()
})
