// Outcomes while the database is slow or unavailable: they are kept and written later, and almost no new sends start.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../../../test/caller.ts'
import { databaseLink } from '../../../test/database-link.ts'
import { testDatabase } from '../../../test/test-database.ts'
import { createLog } from '../../platform/observe/log.ts'
import { openDatabase } from '../../platform/postgres/db.ts'
import { renewOwner } from './lanes.store.ts'
import { OutcomeWriter } from './outcome-writer.ts'
import type { Outcome } from './outcomes.store.ts'

const database = await testDatabase()
const link = await databaseLink(database.connection)
const db = openDatabase(link.connection, { poolMax: 6 })
after(async () => {
  await db.close()
  await link[Symbol.asyncDispose]()
  await database.drop()
})

const endpointId = 'whe_1'
const owner = 'me'
const waitingCount = 40
const slowMs = 50

function outcomeOf(sequence: number): Outcome {
  return {
    endpointId,
    fence: 1,
    sequence,
    attempts: 0,
    attemptsBefore: 0,
    status: 'delivered',
    retryInMs: null,
    outcome: 'http_200',
    httpStatus: 200,
    responseBody: '',
    responseHeaders: null,
    responseSealed: null,
    sentAs: null,
    detail: null,
    durationMs: 1,
    startedAt: new Date(),
  }
}

const addDeliveries = (from: number, to: number) =>
  db.statement(
    (query) => query`
      insert into deliveries (endpoint_id, sequence, id, business_id, event_id, ordered)
      select ${endpointId}, n, 'dlv_' || n, 'biz_1', 'evt_' || n, false from generate_series(${from}::int, ${to}::int) n`,
  )

const newWriter = () =>
  new OutcomeWriter(
    db,
    createLog('silent', () => {}),
    owner,
  )

test('what was answered while the database was away is written when it is back, and nothing more is begun meanwhile', async () => {
  await db.statement((query) => renewOwner(query, owner, 60_000))
  await db.statement(
    (query) => query`
      insert into endpoint_lanes (endpoint_id, business_id, owner, fence) values (${endpointId}, 'biz_1', ${owner}, 1)`,
  )
  await addDeliveries(1, waitingCount)
  const writer = newWriter()
  assert.deepEqual(await writer.write(outcomeOf(1), true), null)
  assert.equal(writer.isBehind(), false)

  link.cut()
  const few = writer.write(outcomeOf(2), true)
  const cutMs = performance.now()
  await until('a try in vain', () => link.refused() > 0 && performance.now() - cutMs > slowMs)
  assert.equal(writer.isBehind(), false, 'a few may wait: a receiver with a pace of its own is not held up')
  const rest = Array.from({ length: waitingCount - 2 }, async (_, index) => {
    const result = await writer.write(outcomeOf(index + 3), true)
    assert.equal(writer.isBehind(), false, 'whoever hears of it can begin the next')
    return result
  })
  await until('being behind', () => writer.isBehind())
  link.restore()
  const results = await Promise.all([few, ...rest])
  // Nothing was committed before the cut, so this writer stores each outcome exactly once.
  assert.deepEqual(new Set(results), new Set([null]))
  const left = await db.read((query) => query`select 1 from deliveries where endpoint_id = ${endpointId}`)
  assert.equal(left.length, 0)
})

test('an outcome that the database refuses loses no other of its batch', async () => {
  await addDeliveries(101, 103)
  const writer = newWriter()
  const unwritable = { ...outcomeOf(102), detail: 'a\u0000' }
  const results = await Promise.all([outcomeOf(101), unwritable, outcomeOf(103)].map((one) => writer.write(one, false)))
  assert.deepEqual(results, [null, 'lost', null])
})

test('outcomes that nothing waits for share a statement: a few, or those that came before one that a send waits for', async () => {
  const writer = newWriter()
  const statements = async (from: number, to: number): Promise<number> => {
    const rows = await db.read(
      (query) => query`
        select distinct xmin::text from finished_deliveries where endpoint_id = ${endpointId} and sequence between ${from} and ${to}`,
    )
    return rows.length
  }
  const writeLater = async (sequence: number, isAwaited: boolean) => {
    await turn()
    return writer.write(outcomeOf(sequence), isAwaited)
  }
  await addDeliveries(201, 230)
  assert.equal(await writer.write(outcomeOf(201), false), null)
  await Promise.all([writer.write(outcomeOf(202), false), writer.write(outcomeOf(203), false), writeLater(204, true)])
  assert.equal(await statements(202, 204), 1)
  const many = Array.from({ length: 8 }, (_, at) => writer.write(outcomeOf(205 + at), false))
  assert.deepEqual(new Set(await Promise.all(many)), new Set([null]))
  assert.equal(await statements(205, 212), 1)
  // One that comes while a statement runs waits for company again, or for one that is awaited.
  const first = writer.write(outcomeOf(213), true)
  await turn()
  const rest = [writer.write(outcomeOf(214), false), writer.write(outcomeOf(215), true)]
  await Promise.all([first, ...rest])
  assert.equal(await statements(214, 215), 1)
})
