// Lists of deliveries: for every filter there is a plan that reads a bounded number of rows by indexes, and sorts at
// most a page. With few rows the planner may prefer to read them all, so sequential scans are disabled.

import { after, before, test } from 'node:test'
import { type DeliveryFilter, listDeliveries, scannedMax } from '../src/events/deliveries.store.ts'
import type { Database } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { makeWeeks, weeksFrom } from '../src/platform/postgres/partitions/partitions.ts'
import { idTime } from '../src/platform/values/ids.ts'
import { assertBounded, explaining, type Plan } from './query-plan.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

const eventCount = 12_000
const dayMs = 86_400_000
const endpointOf = (business: string, n: number) => `whe_${business}${String(n).padStart(6, '0')}`

before(async () => {
  const firstMs = Date.now() - 20 * dayMs
  await makeWeeks(db, weeksFrom(firstMs, 4))
  await writeHistory(db, firstMs)
  for (const table of ['events', 'deliveries', 'finished_deliveries', 'delivery_attempts'])
    await db.read((query) => query`vacuum (analyze) ${query.names(table)}`)
})

/** Two businesses with two endpoints each; of 100 deliveries 40 failed and 40 wait, half of them after a failure. The last tenth is another type's. */
async function writeHistory(db: Database, firstMs: number): Promise<void> {
  const times = Array.from({ length: 100 }, (_, n) => idTime(firstMs + (n * 19 * dayMs) / 100))
  await db.transaction(async (tx) => {
    await tx`insert into businesses (id, name, search_name) values ('biz_a', 'A', 'a'), ('biz_b', 'B', 'b')`
    await tx`
      create temporary table past on commit drop as
      select 'evt_' || t.prefix || lpad(n::text, 16, '0') as id, 'biz_' || (array['a', 'b'])[n % 2 + 1] as business_id,
        (n + 1) / 2 + 1 as position, n
      from generate_series(0, ${eventCount - 1}::int) n
        join unnest(${times}::text[]) with ordinality as t (prefix, nth) on t.nth = n * 100 / ${eventCount}::int + 1`
    await tx`
      insert into events (id, business_id, external_user_id, position, trust, type, body)
      select id, business_id, 'user-' || n % 1000, position, 'verified',
        case when n < ${eventCount / 10}::int then 'rare.type' else 'usual.type' end, '{}' from past`
    const deliveries = tx`
      select 'dlv_' || substr(p.id, 5) || lpad(e::text, 6, '0') as id,
        'whe_' || right(p.business_id, 1) || lpad(e::text, 6, '0') as endpoint_id, p.position as sequence, p.business_id,
        p.id as event_id, p.n % 100 as kind
      from past p cross join generate_series(0, 1) e`
    await tx`
      insert into deliveries (endpoint_id, sequence, id, business_id, event_id, ordered, attempts)
      select endpoint_id, sequence, id, business_id, event_id, false, kind % 2 from (${deliveries}) d where kind between 40 and 79`
    await tx`
      insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, status, attempts, created_at)
      select id, endpoint_id, sequence, business_id, event_id, case when kind < 40 then 'exhausted' else 'delivered' end, 1, now()
      from (${deliveries}) d where kind not between 40 and 79`
  })
}

const filters: readonly DeliveryFilter[] = (
  ['pending', 'retrying', 'exhausted', 'cancelled', 'delivered', undefined] as const
).flatMap((status) =>
  [
    {},
    { webhookEndpointId: endpointOf('a', 1) },
    { eventType: 'rare.type' },
    { externalUserId: 'user-500' },
    { externalUserId: 'nobody' },
    { webhookEndpointId: endpointOf('a', 1), externalUserId: 'nobody' },
    { createdAfter: new Date(Date.now() - 15 * dayMs), createdBefore: new Date(Date.now() - 9 * dayMs) },
    { webhookEndpointId: endpointOf('a', 1), createdBefore: new Date(Date.now() - 9 * dayMs) },
    { webhookEndpointId: 'whe_of_nobody', eventType: 'rare.type', externalUserId: 'user-500' },
  ].map((filter) => ({ ...(status && { status }), ...filter })),
)

for (const filter of filters)
  test(`the first page and the second of ${JSON.stringify(filter)}`, async () => {
    const limit = 20
    const plans: Plan[] = []
    const list = (after: { at: Date; id: string } | null) =>
      db.of('biz_a').transaction(async (tx) => {
        for (const way of ['seqscan', 'bitmapscan', 'sort']) await tx.unsafe(`set local enable_${way} = off`)
        return await listDeliveries(explaining(tx, plans), 'biz_a', filter, { limit, after })
      })
    const { next } = await list(null)
    if (next) await list(next)
    for (const plan of plans) assertBounded(plan, { rowsMax: scannedMax, sortedMax: 5 * limit })
  })
