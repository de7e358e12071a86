// Lists that are found by a label: there is a plan that reads as many rows as a page has, by indexes, and sorts none, however
// many objects have the label. A planner that has few rows before it may prefer to read them all, so it is told not to.

import { after, before, test } from 'node:test'
import { listEndUsers } from '../src/end-users/store.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import type { PageRequest } from '../src/platform/postgres/paging.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { listVirtualAccounts } from '../src/virtual-accounts/store.ts'
import { assertBounded, explaining, type Plan } from './query-plan.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

/** Two businesses with as many end-users and accounts each, half of them with one label and a hundredth with another. */
before(async () => {
  await db.transaction(async (tx) => {
    await tx`insert into businesses (id, name) values ('biz_a', 'A'), ('biz_b', 'B')`
    await tx`
      insert into end_users (business_id, id, external_user_id, type, metadata, created_at)
      select 'biz_' || (array['a', 'b'])[n % 2 + 1], 'eu_' || n, 'user-' || n, 'individual',
        jsonb_build_object('plan', case when n % 4 < 2 then 'gold' else 'silver' end, 'nth', (n / 100)::text),
        now() - make_interval(mins => n)
      from generate_series(1, 12000) n`
    await tx`
      insert into virtual_accounts (business_id, id, end_user_id, source_currency, destination_payment_rail, destination_currency,
        destination_address, metadata, created_at)
      select business_id, 'va_' || id, id, 'usd', 'solana', 'usdc', 'x', metadata, created_at from end_users`
  })
  for (const table of ['end_users', 'virtual_accounts', 'lookup_terms'])
    await db.read((query) => query`vacuum (analyze) ${query.names(table)}`)
})

const lists = {
  'end-users': (query: Query, metadata: Record<string, string>, page: PageRequest) =>
    listEndUsers(query, 'biz_a', { metadata }, page),
  'virtual accounts': (query: Query, metadata: Record<string, string>, page: PageRequest) =>
    listVirtualAccounts(query, 'biz_a', { metadata }, page),
}

for (const [name, list] of Object.entries(lists))
  for (const label of [{ plan: 'gold' }, { nth: '50' }, { plan: 'none' }])
    test(`the first page and the second of ${name} with ${JSON.stringify(label)}`, async () => {
      const limit = 20
      const plans: Plan[] = []
      const pageAfter = (key: PageRequest['after']) =>
        db.of('biz_a').transaction(async (tx) => {
          for (const way of ['seqscan', 'bitmapscan', 'sort']) await tx.unsafe(`set local enable_${way} = off`)
          return await list(explaining(tx, plans), label, { limit, after: key })
        })
      const { next } = await pageAfter(null)
      if (next) await pageAfter(next)
      for (const plan of plans) assertBounded(plan, { rowsMax: limit + 1, sortedMax: 0 })
    })
