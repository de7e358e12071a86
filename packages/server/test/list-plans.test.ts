// Lists by metadata, by state, and the search: there is a plan that reads as many rows as a page has, by indexes, and
// sorts no more than these, however many objects match. With few rows the planner may prefer to read them all, so
// sequential scans are disabled.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listCompleted, listDiffering, sumCompleted } from '../src/deposits/report.store.ts'
import {
  type DepositFilter,
  listAccountsToRead,
  listDeposits,
  nextDepositReadDueMs,
  noteDepositsRead,
} from '../src/deposits/store.ts'
import { type SearchPlace, searchEndUsers } from '../src/end-users/search.store.ts'
import { type EndUserFilter, listEndUsers } from '../src/end-users/store.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { type Page, type PageRequest, readPage } from '../src/platform/postgres/paging.ts'
import type { Query, Tx } from '../src/platform/postgres/query.ts'
import { listVirtualAccounts, type VirtualAccountFilter } from '../src/virtual-accounts/store.ts'
import { assertBounded, blocksOf, explaining, type Plan } from './query-plan.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

/**
 * Two businesses with as many end-users, accounts and deposits each, half of them with one label or reference and a hundredth
 * with another.
 */
before(async () => {
  await db.transaction(async (tx) => {
    await tx`insert into businesses (id, name, search_name) values ('biz_a', 'A', 'a'), ('biz_b', 'B', 'b')`
    await tx`
      insert into end_users (business_id, id, external_user_id, provider, email, search_name, search_email, type, metadata, kyc_status,
        created_at)
      select 'biz_' || (array['a', 'b'])[n % 2 + 1], 'eu_' || n, 'user-' || n, 'bridge', 'person-' || n || '@example.com', 'user-' || n,
        'person-' || n || '@example.com', 'individual',
        jsonb_build_object('plan', case when n % 4 < 2 then 'gold' else 'silver' end, 'nth', (n / 100)::text),
        case when n % 600 = 1 then 'paused' else 'approved' end, now() - make_interval(mins => n)
      from generate_series(1, 12000) n`
    await tx`
      insert into virtual_accounts (business_id, id, end_user_id, provider, source_currency, destination_payment_rail,
        destination_currency, destination_address, metadata, status, pending_destination, created_at)
      select business_id, 'va_' || id, id, provider, 'usd', 'solana', 'usdc', 'x', metadata,
        case when kyc_status = 'paused' then 'failed' else 'active' end,
        case when kyc_status = 'paused' then '{}'::jsonb end, created_at from end_users`
    await tx`
      insert into deposits (business_id, id, virtual_account_id, end_user_id, provider_deposit_id, status, state, source_currency,
        destination_currency, completed_at, difference, search_terms, created_at)
      select business_id, 'dep_' || id, id, end_user_id, 'p_' || id, case when status = 'failed' then 'in_review' else 'completed' end, '{}',
        'usd', 'usdc', created_at, case when substr(id, 7)::int % 3 = 0 then 'net_differs' end,
        array['dep_' || id, metadata->>'plan', metadata->>'nth'], created_at from virtual_accounts`
  })
  for (const table of ['end_users', 'virtual_accounts', 'deposits', 'lookup_terms'])
    await db.read((query) => query`vacuum (analyze) ${query.names(table)}`)
})

for (const q of ['user-', 'user-1', 'person-', 'nobody'])
  test(`the first page and the second of end-users found by ${q}`, async () => {
    const limit = 20
    const plans: Plan[] = []
    const pageAfter = (after: SearchPlace | null) =>
      db.of('biz_a').transaction(async (tx) => {
        for (const way of ['seqscan', 'bitmapscan']) await tx.unsafe(`set local enable_${way} = off`)
        return await searchEndUsers(explaining(tx, plans), 'biz_a', { q }, { limit, after })
      })
    const last = (await pageAfter(null))[limit - 1]
    if (last) await pageAfter(last)
    for (const plan of plans) assertBounded(plan, { rowsMax: 2 * (limit + 1), sortedMax: 2 * (limit + 1) })
  })

type List = (query: Query, page: PageRequest) => Promise<unknown>

const endUsers =
  (filter: EndUserFilter): List =>
  (query, page) =>
    listEndUsers(query, 'biz_a', filter, page)
const accounts =
  (filter: VirtualAccountFilter): List =>
  (query, page) =>
    listVirtualAccounts(query, 'biz_a', filter, page)
const deposits =
  (filter: DepositFilter): List =>
  (query, page) =>
    listDeposits(query, 'biz_a', filter, page)

const createdBefore = new Date(Date.now() - 5_000 * 60_000)
const lists: Readonly<Record<string, List>> = {
  'all end-users': endUsers({}),
  'end-users approved': endUsers({ kycStatus: 'approved' }),
  'end-users paused': endUsers({ kycStatus: 'paused' }),
  'end-users offboarded': endUsers({ kycStatus: 'offboarded' }),
  'end-users approved before a time': endUsers({ kycStatus: 'approved', createdBefore }),
  'virtual accounts that failed': accounts({ status: 'failed' }),
  'virtual accounts in a currency': accounts({ sourceCurrency: 'usd' }),
  'virtual accounts in a currency that none has': accounts({ sourceCurrency: 'eur' }),
  'virtual accounts whose destination waits': accounts({ destinationChange: 'waiting' }),
  'virtual accounts of an end-user': accounts({ externalUserId: 'user-7' }),
  'deposits in review': deposits({ status: 'in_review' }),
  'deposits in a currency': deposits({ sourceCurrency: 'usd' }),
  'deposits in a currency that none has': deposits({ sourceCurrency: 'eur' }),
  'deposits refunded': deposits({ status: 'refunded' }),
  'deposits completed before a time': deposits({ status: 'completed', createdBefore }),
  'deposits of an end-user': deposits({ externalUserId: 'user-7' }),
  'deposits of nobody': deposits({ externalUserId: 'nobody' }),
  "a deposit by the provider's id": deposits({ providerDepositId: 'p_va_eu_7' }),
}
const labels = ['gold', '50', 'none'].flatMap((value) => {
  const metadata: Record<string, string> = value === '50' ? { nth: value } : { plan: value }
  return [
    [`end-users with ${value}`, endUsers({ metadata })],
    [`virtual accounts with ${value}`, accounts({ metadata })],
    [`deposits found by ${value}`, deposits({ q: value })],
  ] as const
})

for (const [name, list] of [...Object.entries(lists), ...labels])
  test(`the first page and the second of ${name}`, async () => {
    const limit = 20
    const plans: Plan[] = []
    const pageAfter = (key: PageRequest['after']) =>
      db.of('biz_a').transaction(async (tx) => {
        for (const way of ['seqscan', 'bitmapscan', 'sort']) await tx.unsafe(`set local enable_${way} = off`)
        return (await list(explaining(tx, plans), { limit, after: key })) as Page<unknown>
      })
    const { next } = await pageAfter(null)
    if (next) await pageAfter(next)
    for (const plan of plans) assertBounded(plan, { rowsMax: limit + 1, sortedMax: limit + 1 })
  })

/** @returns the most blocks that a statement of a page read, 5,900 end-users behind the first */
async function blocksOfDeepPage(filter: EndUserFilter): Promise<number> {
  const plans: Plan[] = []
  await db.of('biz_a').transaction(async (tx) => {
    for (const way of ['seqscan', 'bitmapscan', 'sort']) await tx.unsafe(`set local enable_${way} = off`)
    const [last] = await tx<{ at: Date; id: string }[]>`
      select created_at as at, id from end_users where business_id = 'biz_a' order by created_at desc offset 5900 limit 1`
    const { items } = await listEndUsers(explaining(tx, plans), 'biz_a', filter, { limit: 20, after: last ?? null })
    assert.equal(items.length, 20)
  })
  return Math.max(...plans.map(blocksOf))
}

// The 5,900 entries before the page are about 70 blocks of an index.
const deepBlocksMax = 42

test('a page in the depth of a list reads no entry before it', async () => {
  for (const filter of [{}, { createdBefore: new Date() }])
    assert.ok((await blocksOfDeepPage(filter)) <= deepBlocksMax, JSON.stringify(filter))
})

test('a page in the depth of a list by a state reads no entry before it', async () => {
  for (const filter of [{ kycStatus: 'approved' }, { kycStatus: 'approved', createdBefore: new Date() }] as const)
    assert.ok((await blocksOfDeepPage(filter)) <= deepBlocksMax, JSON.stringify(filter))
})

test('a list before a time, and behind a key that is before or after that time, has the same order', async () => {
  const page = (filter: EndUserFilter, behind: { createdAt: Date; id: string } | null) => {
    const after = behind && { at: behind.createdAt, id: behind.id }
    return db.read(async (query) => (await listEndUsers(query, 'biz_a', filter, { limit: 3, after })).items)
  }
  for (const filter of [{}, { kycStatus: 'approved' }] satisfies EndUserFilter[]) {
    const all = await db.read(
      async (query) => (await listEndUsers(query, 'biz_a', filter, { limit: 12, after: null })).items,
    )
    const [first, fifth, eighth] = [all[0], all[4], all[7]]
    assert.ok(first && fifth && eighth)
    const before = { ...filter, createdBefore: fifth.createdAt }
    assert.deepEqual(await page(before, null), all.slice(5, 8))
    assert.deepEqual(await page(before, first), all.slice(5, 8))
    assert.deepEqual(await page(before, eighth), all.slice(8, 11))
  }
})

test('a page looks through 50,000 rows, and the next one begins behind them', async () => {
  const began = new Date()
  const read = (after: PageRequest['after']) =>
    db.read((query) => {
      const scan = query`
        select * from (
          select ${began}::timestamptz - make_interval(secs => n) as created_at, lpad(n::text, 6, '0') as id
          from generate_series(1, 120000) n
        ) r
        where ${after ? query`created_at < ${after.at}` : query`true`} order by created_at desc`
      return readPage(query, { scan, fits: query`id in ('050000', '110000')` }, { limit: 2, after })
    })
  const found: string[][] = []
  for (let after: PageRequest['after'] = null, page = 0; page < 3; page++) {
    const { items, next } = await read(after)
    found.push(items.map(({ id }) => id))
    after = next
    assert.equal(next?.id, page === 2 ? undefined : page === 0 ? '050000' : '100000')
  }
  assert.deepEqual(found, [['050000'], [], ['110000']])
})

const dayMs = 86_400_000

test('the report of a day reads the deposits of that day alone, and a page of it no more than the page', async () => {
  const limit = 20
  const to = new Date(Date.now() - dayMs)
  const day = { from: new Date(to.getTime() - dayMs), to }
  const plans: { pages: Plan[]; sums: Plan[]; differing: Plan[] } = { pages: [], sums: [], differing: [] }
  const counted = await db.of('biz_a').transaction(async (tx) => {
    for (const way of ['seqscan', 'bitmapscan', 'sort']) await tx.unsafe(`set local enable_${way} = off`)
    const { next } = await listCompleted(explaining(tx, plans.pages), 'biz_a', day, { limit, after: null })
    await listCompleted(explaining(tx, plans.pages), 'biz_a', day, { limit, after: next })
    await listDiffering(explaining(tx, plans.differing), 'biz_a', day, limit)
    const { paidIn } = await sumCompleted(explaining(tx, plans.sums), 'biz_a', day)
    return paidIn[0]?.count ?? 0
  })
  assert.equal(counted, 720)
  for (const plan of plans.pages) assertBounded(plan, { rowsMax: limit + 1, sortedMax: 0 })
  for (const plan of plans.differing) assertBounded(plan, { rowsMax: limit, sortedMax: 0 })
  for (const plan of plans.sums) assertBounded(plan, { rowsMax: counted, sortedMax: counted })
})

test('the open deposits that were read longest ago are found among all, and noted, by indexes', async () => {
  const plans: Plan[] = []
  await db.transaction(async (tx) => {
    for (const way of ['seqscan', 'bitmapscan']) await tx.unsafe(`set local enable_${way} = off`)
    const accounts = await listAccountsToRead(explaining(tx, plans), 0, 10)
    assert.equal(accounts.length, 10)
    await nextDepositReadDueMs(explaining(tx, plans), 3_600)
    for (const account of accounts.slice(0, 1))
      await noteDepositsRead(explaining(tx, plans) as Tx, account, { periodSeconds: 3_600 })
  })
  const open = 20
  for (const plan of plans) assertBounded(plan, { rowsMax: open, sortedMax: open })
})
