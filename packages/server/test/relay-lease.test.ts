// The lease of a replica on its lanes: how close to its end a send may begin.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { Lease, leaseMs } from '../src/webhooks/delivery/lease.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await database.drop()
})

/** A second for a receiver to answer, and a quarter to end the sends that run. */
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
