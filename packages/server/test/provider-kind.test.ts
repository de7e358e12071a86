// A database with rows of another provider: the start is refused, and looks at no row to find that out.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ConfigError } from '../src/platform/config.ts'
import { findOtherProvider } from '../src/provider/connection/kind.store.ts'
import { scansOf } from './scans.ts'
import { openWorld, type World } from './world.ts'

let world: World
let business: string
before(async () => {
  world = await openWorld({ alone: true })
  business = world.business.id
})
after(() => world.stop())

const rows: Record<string, () => Promise<unknown>> = {
  end_users: () => world.rows`
    insert into end_users (business_id, id, external_user_id, provider, search_name, type)
    values (${business}, 'eu_other', 'other', 'hifi', 'other', 'individual') returning id`,
  virtual_accounts: async () => {
    const endUser = await world.business.user()
    await world.rows`
      insert into virtual_accounts (business_id, id, end_user_id, provider, source_currency, destination_payment_rail,
        destination_currency, destination_address)
      select ${business}, 'va_other', id, 'hifi', 'usd', 'solana', 'usdc', 'x' from end_users
      where external_user_id = ${endUser} returning id`
  },
  operations: () => world.rows`
    insert into operations (business_id, id, kind, subject_id, provider, provider_key, state, lease_until)
    values (${business}, 'op_other', 'customer.create', 'eu_x', 'hifi', 'key', 'unknown', now() + interval '1 hour') returning id`,
  provider_webhooks: () => world.rows`
    insert into provider_webhooks (provider, id, url, public_key) values ('hifi', 'ep_other', 'https://x.example', 'key') returning id`,
  reread_walk: () => world.rows`update reread_walk set provider = 'hifi' returning provider`,
  event_pull: () => world.rows`update event_pull set provider = 'hifi' returning provider`,
}

const refused = (error: unknown): boolean => {
  assert.ok(error instanceof ConfigError)
  assert.deepEqual(error.problems, [
    'PROVIDER_KIND selects the provider bridge, but the database contains data of the provider hifi: select that provider, or use another database',
  ])
  return true
}

/** Takes the row of the other provider back. */
const takeBack = async () => {
  for (const table of ['virtual_accounts', 'end_users', 'operations', 'provider_webhooks'])
    await world.inside.db.statement(
      (query) => query`delete from ${query.names(table)} where provider = 'hifi' returning provider`,
    )
  await world.rows`update reread_walk set provider = 'bridge' returning provider`
  await world.rows`update event_pull set provider = 'bridge' returning provider`
}

for (const [table, insert] of Object.entries(rows))
  test(`a start is refused for a row of another provider in ${table}`, async () => {
    await insert()
    await assert.rejects(world.replica(), refused)
    await takeBack()
    await using replica = await world.replica()
    assert.ok(replica.url)
  })

test('of two first starts with different providers, one claims the database', async () => {
  await world.rows`update event_pull set provider = 'hifi' returning provider`
  await world.rows`delete from reread_walk returning provider`
  await assert.rejects(world.replica(), refused)
  assert.deepEqual(await world.rows`select provider from event_pull union all select provider from reread_walk`, [
    { provider: 'hifi' },
  ])
  await takeBack()
})

test('another provider is looked for through indexes, however many end-users there are, before any statistics', async () => {
  await world.rows`
    insert into end_users (business_id, id, external_user_id, provider, search_name, type)
    select ${business}, 'eu_many_' || n, 'many-' || n, 'bridge', 'many-' || n, 'individual' from generate_series(1, 20000) n
    returning 1`
  await world.inside.db.transaction(async (tx) => {
    const before = await scansOf(tx, 'end_users')
    assert.equal(await findOtherProvider(tx, 'bridge'), undefined)
    const { whole, rows: read } = await scansOf(tx, 'end_users')
    assert.equal(whole - before.whole, 0)
    assert.ok(read - before.rows <= 2)
  })
})
