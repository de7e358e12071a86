// The proof of the lists proved: it asks every operation that reads, and its rows are such as the product writes.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { listCompleted, sumCompleted } from '../../server/src/deposits/report.store.ts'
import { depositView } from '../../server/src/deposits/service.ts'
import { listDeposits } from '../../server/src/deposits/store.ts'
import { openDatabase } from '../../server/src/platform/postgres/db.ts'
import { countByState, countDeposits } from '../../server/src/stats/store.ts'
import { testDatabase } from '../../server/test/test-database.ts'
import { listCases, notListed } from '../src/list-plans/list-cases.ts'
import { dayOf } from '../src/list-plans/rows/ids.ts'
import { seedRows } from '../src/list-plans/seed.ts'

const businesses = { large: 'biz_00000000000000000000large0', small: 'biz_00000000000000000000small0' }
const rows = 2_000

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

before(async () => {
  await db.transaction(async (tx) => {
    for (const id of Object.values(businesses)) {
      await tx`insert into businesses (id, name, search_name) values (${id}, 'A business', 'a business')`
      await tx`insert into event_streams (business_id) values (${id})`
    }
  })
  await seedRows(db, businesses, { rows, part: null }, () => {})
})

type Operation = { operationId: string; parameters?: { name?: string; in?: string; $ref?: string }[] }

test('every operation that reads is a list of the proof, with each of its filters', async () => {
  const file = new URL('../../server/openapi.json', import.meta.url)
  const { paths, components } = JSON.parse(await readFile(file, 'utf8'))
  const cases = listCases(businesses, rows)
  const missing: string[] = []
  for (const { get } of Object.values<{ get?: Operation }>(paths)) {
    if (!get || notListed.includes(get.operationId)) continue
    const own = cases.filter(({ operation }) => operation === get.operationId)
    if (own.length === 0) missing.push(get.operationId)
    for (const given of get.parameters ?? []) {
      const { name = '', in: place } = given.$ref ? components.parameters[given.$ref.split('/').at(-1) ?? ''] : given
      if (place !== 'query' || ['limit', 'cursor'].includes(name)) continue
      const isAsked = own.some(({ path }) => new RegExp(`[?&]${name}[[=]`).test(path))
      if (!isAsked) missing.push(`${name} of ${get.operationId}`)
    }
  }
  assert.deepEqual(missing, [])
})

test('the columns of a deposit are those that its activities tell, and its names find it', async () => {
  const page = { limit: 20, after: null }
  const { items } = await db.read((query) => listDeposits(query, businesses.large, {}, page))
  assert.equal(items.length, page.limit)
  for (const row of items) {
    const { id, completedAt, destinationTxHash, references, status } = depositView(row)
    assert.deepEqual([status, completedAt], [row.status, row.completedAt?.toISOString()])
    for (const q of [id, row.providerDepositId, destinationTxHash ?? '', references.traceNumber ?? '']) {
      const found = await db.read((query) => listDeposits(query, businesses.large, { q }, page))
      assert.deepEqual(
        found.items.map((one) => one.id),
        [id],
      )
    }
  }
})

test('reports and statistics count the rows', async () => {
  const span = { from: new Date(dayOf(31)), to: new Date(dayOf(-1)) }
  const { large } = businesses
  const [completed, sums, people, deposits] = await db.read(async (query) => [
    await listCompleted(query, large, span, { limit: rows, after: null }),
    await sumCompleted(query, large, span),
    await countByState(query, large, 'end_user'),
    await countDeposits(query, large, { span: 'day', ...span }),
  ])
  const some = rows * 0.9
  assert.equal(
    people.reduce((sum, { count }) => sum + count, 0),
    some,
  )
  assert.equal(
    deposits.reduce((sum, { count }) => sum + count, 0),
    some,
  )
  assert.equal(completed.items.length, some - 1) // one is in review
  assert.deepEqual(
    sums.paidIn.map(({ count, differing, grossAmount }) => ({ count, differing, grossAmount })),
    [{ count: some - 1, differing: 2, grossAmount: '179900.00' }],
  )
})
