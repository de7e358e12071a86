// The lease of an event, of a pull and of a reconciliation step: a replica that hangs for longer than its lease commits
// nothing once another replica has taken the work, whatever that replica has done with it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { leaseEvent, leaseOfEvent, lockDueEvent, lockHeldEvent, postponeEvent } from '../src/events/work.store.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { type Lease, LeaseLostError, underLease } from '../src/platform/postgres/leases.ts'
import type { Tx } from '../src/platform/postgres/query.ts'
import { claimDatabase } from '../src/provider/connection/kind.store.ts'
import {
  claimEventPull,
  claimRereadStep,
  endEventPull,
  leaseOfPull,
  leaseOfStep,
  saveRereadStep,
} from '../src/reconcile/store.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 6 })
after(async () => {
  await db.close()
  await database.drop()
})

let serial = 0
await db.transaction((tx) => claimDatabase(tx, 'bridge'))
await db.transaction((tx) => tx`create table marks (id bigint primary key)`)

/** @returns whether a transaction under the lease is committed */
async function commits(lease: Lease): Promise<boolean> {
  const id = ++serial
  const work = (tx: Tx) => tx`insert into marks (id) values (${id})`
  const error = await underLease({ db }, lease)
    .db.transaction(work)
    .then(
      () => null,
      (thrown: unknown) => thrown,
    )
  assert.ok(error === null || error instanceof LeaseLostError, String(error))
  const isStored = (await db.read((query) => query`select 1 from marks where id = ${id}`)).length > 0
  assert.equal(isStored, error === null)
  return isStored
}

const takeEvent = () =>
  db.transaction(async (tx) => {
    const event = await lockDueEvent(tx, new Date(0))
    assert.ok(event)
    return await leaseEvent(tx, event.id, -1)
  })

test('an event that another replica has taken, put off or finished is no longer held by the first', async () => {
  await db.transaction(async (tx) => {
    await tx`insert into events (id, trust, type, body) values ('evt_1', 'verified', 'test', ${Buffer.from('{}')})`
    await tx`insert into event_work (event_id) values ('evt_1')`
  })
  const first = await takeEvent()
  assert.equal(await commits(leaseOfEvent(first)), true, 'a lease that ended, and that nobody took')
  const second = await takeEvent()
  assert.deepEqual([await commits(leaseOfEvent(first)), await commits(leaseOfEvent(second))], [false, true])
  await db.transaction((tx) => postponeEvent(tx, second.id, 60, { error: 'not yet', counts: false }))
  assert.equal(await commits(leaseOfEvent(second)), false)
  assert.equal(await db.transaction((tx) => lockHeldEvent(tx, second)), undefined)
})

test('an event whose row another transaction holds is not waited for: that transaction may wait for this one', async () => {
  await db.transaction((tx) => tx`update event_work set due_at = now() - interval '1 second'`)
  const held = await takeEvent()
  await db.transaction(async (tx) => {
    await tx`select 1 from event_work for update`
    assert.equal(await commits(leaseOfEvent(held)), false)
  })
  assert.equal(await commits(leaseOfEvent(held)), true)
})

test('a pull that another replica goes on with is no longer held by the first, also when the other has ended it', async () => {
  const first = await db.transaction((tx) => claimEventPull(tx, -1))
  const second = await db.transaction((tx) => claimEventPull(tx, 60_000))
  assert.ok(first && second)
  assert.deepEqual([await commits(leaseOfPull(first)), await commits(leaseOfPull(second))], [false, true])
  await db.transaction((tx) => endEventPull(tx, second.fence, { eager: false, failures: 0, nextInSeconds: 60 }))
  assert.equal(await commits(leaseOfPull(first)), false)
})

test('a step of the walk that another replica has taken is no longer held by the first, also when the other is through', async () => {
  const first = await db.transaction((tx) => claimRereadStep(tx, -1))
  const second = await db.transaction((tx) => claimRereadStep(tx, 60_000))
  assert.ok(first && second)
  assert.deepEqual([await commits(leaseOfStep(first)), await commits(leaseOfStep(second))], [false, true])
  const after = { businessId: 'biz', id: 'eu' }
  await db.transaction((tx) => saveRereadStep(tx, second.fence, { stage: 'end_users', after }, 60))
  assert.equal(await commits(leaseOfStep(first)), false)
})
