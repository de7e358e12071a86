// Each console request reads its session, and each use of a link reads the link: both by an index, however many there
// are. Sweeps handle one page at a time.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findSession, revokeLink, sweepConsole, useLink } from '../src/console/store.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import type { Tx } from '../src/platform/postgres/query.ts'
import { assertBounded, explaining, type Plan } from './query-plan.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

const digestOf = (n: number): Buffer => Buffer.from(`digest ${n}`)

/** A tenth of the sessions and links have ended. */
before(async () => {
  await db.transaction(async (tx) => {
    await tx`insert into businesses (id, name, search_name) values ('biz_a', 'A', 'a')`
    await tx`
      insert into api_keys (business_id, id, name, digest, last_four, scopes)
      select 'biz_a', 'key_' || n, 'A', convert_to('key ' || n, 'UTF8'), 'aaaa', '{}' from generate_series(0, 2999) n`
    await tx`
      insert into console_links (business_id, id, key_id, digest, scopes, expires_at)
      select 'biz_a', 'link_' || n, 'key_' || n % 3000, convert_to('digest ' || n, 'UTF8'), '{}',
        now() + case when n % 10 = 0 then - interval '2 days' else interval '1 hour' end
      from generate_series(1, 12000) n`
    await tx`
      insert into console_sessions (business_id, id, key_id, link_id, digest, scopes, idle_until, expires_at)
      select business_id, id, key_id, id, digest, '{}', expires_at, expires_at + interval '1 hour' from console_links`
  })
  for (const table of ['api_keys', 'console_links', 'console_sessions'])
    await db.read((query) => query`vacuum (analyze) ${query.names(table)}`)
})

async function plansOf(work: (tx: Tx) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = []
  await db.transaction(async (tx) => await work(explaining(tx, plans) as Tx))
  assert.ok(plans.length > 0)
  return plans
}

const digests = { ofBusiness: [digestOf(5), digestOf(0)], ofOperator: [digestOf(-1), digestOf(-2)] }

for (const [what, work] of Object.entries<(tx: Tx) => Promise<unknown>>({
  'a session is found': async (tx) =>
    assert.equal((await findSession(tx, digests, { idleMinutes: 30, freshMinutes: 0 }))?.id, 'link_5'),
  'a link is used': (tx) => useLink(tx, [digestOf(7), digestOf(0)]),
  'a link and its session end': (tx) => revokeLink(tx, 'biz_a', 'link_9'),
}))
  test(`${what} by an index`, async () => {
    for (const plan of await plansOf(work)) assertBounded(plan, { rowsMax: 2, sortedMax: 0 })
  })

test('a sweep reads what it deletes', async () => {
  for (const plan of await plansOf((tx) => sweepConsole(tx, 20))) assertBounded(plan, { rowsMax: 20, sortedMax: 20 })
})
