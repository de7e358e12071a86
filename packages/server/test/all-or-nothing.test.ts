// Everything that belongs to a change is stored exactly when the change is. Here the commit itself fails, as for a
// process that dies before it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { db } = world.inside
const businessId = world.business.id

/** While `work` runs, every transaction that does this to an end-user fails as it commits. */
async function whileCommitsFail(what: 'insert' | 'delete', work: () => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.unsafe(`
      create or replace function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create constraint trigger refusing after ${what} on end_users deferrable initially deferred
        for each row execute function refuse()`)
  })
  try {
    await work()
  } finally {
    await db.transaction((tx) => tx`drop trigger refusing on end_users`)
  }
}

const countOf = async (table: 'events' | 'audit_log'): Promise<number> => {
  const rows = await db.read((query) => query`select 1 from ${query.names(table)} where business_id = ${businessId}`)
  return rows.length
}

test('an end-user whose commit fails leaves no event', async () => {
  const before = await countOf('events')
  await whileCommitsFail('insert', async () => {
    assert.equal((await world.business.call('POST', '/v0/end-users', { externalUserId: 'nobody' })).status, 500)
  })
  assert.equal(await countOf('events'), before)
  assert.equal((await world.business.call('GET', '/v0/end-users/nobody')).status, 404)
  await world.business.user()
  assert.equal(await countOf('events'), before + 1, 'one that is committed has its event')
})

test('an erasure whose commit fails leaves no entry in the audit log', async () => {
  const user = await world.business.user()
  const before = await countOf('audit_log')
  await whileCommitsFail('delete', async () => {
    assert.equal((await world.business.call('DELETE', `/v0/end-users/${user}`)).status, 500)
  })
  assert.equal(await countOf('audit_log'), before)
  assert.equal((await world.business.call('DELETE', `/v0/end-users/${user}`)).status, 200)
  assert.equal(await countOf('audit_log'), before + 1, 'one that is committed has its entry')
})
