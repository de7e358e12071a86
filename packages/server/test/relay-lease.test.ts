// The lease of a replica on its lanes: how close to its end a send may begin, who renews it, and how long those of others count.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { Lease, leaseMs } from '../src/webhooks/delivery/lease.ts'
import { until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

/** A second for a receiver to respond, and a quarter to end the running sends. */
const marginMs = 1_250

test('no send begins when less than the margin is left of the lease', async () => {
  const lease = new Lease(db, 'replica', () => {})
  const beforeMs = performance.now()
  await lease.renew()
  const afterMs = performance.now()
  lease.hasLapsed = false
  lease.end()
  assert.equal(lease.covers(beforeMs + leaseMs - marginMs), true)
  assert.equal(lease.covers(afterMs + leaseMs - marginMs + 1), false)
})

test('a lease that is kept is renewed before half of it is over, without a turn of the loop', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const lease = new Lease(db, 'kept', () => {})
  await lease.renew()
  const endsAt = async () => {
    const [row] = await db.read(
      (query) => query<{ at: Date }[]>`
      select lease_until as at from relay_owners where id = 'kept'`,
    )
    return row?.at.getTime() ?? 0
  }
  const first = await endsAt()
  lease.keep()
  t.mock.timers.tick(leaseMs / 2)
  await until('a renewal', async () => (await endsAt()) > first)
  lease.end()
})

test('after a time without the database the leases of others count for their length once more, from then on', async () => {
  const link = await databaseLink(database.connection)
  const cutDb = openDatabase(link.connection, { poolMax: 2 })
  const lease = new Lease(cutDb, 'cut', () => {})
  try {
    await lease.renew()
    assert.deepEqual(lease.grace(), { sinceStartMs: leaseMs, fromNowMs: 0 })
    link.cut()
    await assert.rejects(lease.renew())
    link.restore()
    await until('the database', () =>
      lease.renew().then(
        () => true,
        () => false,
      ),
    )
    const { fromNowMs } = lease.grace()
    assert.ok(fromNowMs > 0 && fromNowMs <= leaseMs, `${fromNowMs}`)
    await lease.renew()
    assert.ok(lease.grace().fromNowMs <= fromNowMs, 'counted once')
  } finally {
    lease.end()
    await cutDb.close()
    await link[Symbol.asyncDispose]()
  }
})
