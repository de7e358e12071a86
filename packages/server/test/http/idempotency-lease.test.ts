// The lease of an Idempotency-Key: what a request writes is committed only while the request holds the key, and a request that
// fails ends its lease without forgetting what the key was for.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { freshUserId } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const { db } = world.inside
const { customerId: businessId } = (await world.business.call('GET', '/v0/whoami')).body.data

let serial = 0
const freshKey = () => `lease-${process.pid}-${++serial}`
const under = (key: string) => ({ headers: { 'idempotency-key': key } })

/** Runs `work` while another transaction holds the rows that `lock` names. */
async function whileLocked<T>(lock: string, work: () => Promise<T>): Promise<T> {
  return await db.transaction(async (tx) => {
    await tx.unsafe(lock)
    return await work()
  })
}

async function fenceOf(key: string): Promise<number> {
  const [row] = await db.read(
    (query) => query<{ fence: number }[]>`select fence from idempotency_keys where key = ${key}`,
  )
  return row?.fence ?? 0
}

/** How many transactions wait for the stream of a business. */
async function waiting(): Promise<number> {
  const rows = await db.read(
    (query) => query`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%update event_streams%'`,
  )
  return rows.length
}

/** Simulates a process that hung for longer than the lease of its request. */
const endLease = (key: string) =>
  db.transaction((tx) => tx`update idempotency_keys set lease_until = now() where key = ${key}`)

test('a request that outlives its lease is rolled back when a repeat has taken the key over', async () => {
  const [key, name] = [freshKey(), `outlived-${process.pid}`]
  const ask = () => call('POST', '/v0/api-keys', { name }, under(key))
  const lock = `select 1 from businesses where id = '${businessId}' for no key update`
  const answers = await whileLocked(lock, async () => {
    const first = ask()
    await world.keyHeld(key)
    const fence = await fenceOf(key)
    await endLease(key)
    const repeat = ask()
    await until('the repeat that holds the key', async () => (await fenceOf(key)) !== fence)
    return [first, repeat]
  })
  const [first, repeat] = await Promise.all(answers)
  assert.ok(first && repeat)
  assertError(first, 409, 'idempotency_in_progress')
  assert.equal(repeat.status, 200, repeat.text)
  const again = await ask()
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [repeat.text, 'true'])
  const { data } = (await call('GET', '/v0/api-keys?limit=100')).body
  assert.equal(data.filter((one: { name: string }) => one.name === name).length, 1)
})

test('a key that is taken over while the last statements run with their COMMIT rolls all of them back', async () => {
  const [key, externalUserId] = [freshKey(), freshUserId()]
  const ask = () => call('POST', '/v0/end-users', { externalUserId }, under(key))
  const lock = `select 1 from event_streams where business_id = '${businessId}' for no key update`
  const answers = await whileLocked(lock, async () => {
    const first = ask()
    await world.keyHeld(key)
    // Its COMMIT is sent behind the statement that waits.
    await until('the event that waits', async () => (await waiting()) === 1)
    const fence = await fenceOf(key)
    await endLease(key)
    const repeat = ask()
    await until('the repeat that holds the key', async () => (await fenceOf(key)) !== fence)
    return [first, repeat]
  })
  const [first, repeat] = await Promise.all(answers)
  assert.ok(first && repeat)
  assertError(first, 409, 'idempotency_in_progress')
  assert.equal(repeat.status, 200, repeat.text)
  assert.equal((await ask()).text, repeat.text)
  const events = await world.rows<{ id: string }>`
    select end_user_id as id from events where business_id = ${businessId} and external_user_id = ${externalUserId}`
  assert.deepEqual(
    events.map(({ id }) => id),
    [repeat.body.data.id],
  )
})

test('after a response that may be tried again another body is refused, and the same body makes the one account', async () => {
  const [user, key] = [await world.business.user('approved'), freshKey()]
  await world.provider.fails({ about: user, mode: 'cut_after' })
  const ask = (developer_fee_percent: string) =>
    call('POST', '/v0/virtual-accounts', accountRequest(user, { developer_fee_percent }), under(key))
  assert.ok((await ask('0.51')).status >= 503)
  assertError(await ask('0.71'), 422, 'idempotency_key_reused', { param: 'Idempotency-Key' })
  const made = await until('the account', async () => {
    const repeat = await ask('0.51')
    return repeat.status === 200 && repeat
  })
  assert.equal((await ask('0.51')).text, made.text)
  assertError(await ask('0.71'), 422, 'idempotency_key_reused')
  assert.equal((await world.business.accounts(user)).length, 1)
  assert.equal((await world.provider.accountsOf(user)).length, 1)
})

test('a request that has lost its key does not release the key for another repeat', async () => {
  const [user, key] = [await world.business.user('approved'), freshKey()]
  const ask = () => call('POST', '/v0/virtual-accounts', accountRequest(user), under(key))
  await whileLocked(`select 1 from end_users where external_user_id = '${user}' for update`, async () => {
    const first = ask()
    await world.keyHeld(key)
    // As a repeat does that reaches another replica.
    await db.transaction(
      (tx) =>
        tx`update idempotency_keys set fence = fence + 1, lease_until = now() + interval '1 minute' where key = ${key}`,
    )
    assertError(await first, 409, 'account_change_in_progress')
  })
  assertError(await ask(), 409, 'idempotency_in_progress')
  await endLease(key)
  assert.equal((await ask()).status, 200)
  assert.equal((await world.business.accounts(user)).length, 1)
})

test('a request that finds nothing because a repeat has done its work points to the repeat', async () => {
  const [user, key] = [await world.business.user(), freshKey()]
  const { id } = (await call('POST', `/v0/end-users/${user}/onboarding-links`, {})).body.data
  const first = await db.transaction(async (tx) => {
    await tx`delete from onboarding_links where id = ${id}`
    const waiting = call('DELETE', `/v0/onboarding-links/${id}`, undefined, under(key))
    await world.keyHeld(key)
    await db.transaction((other) => other`update idempotency_keys set fence = fence + 1 where key = ${key}`)
    return { waiting }
  })
  const answer = await first.waiting
  assertError(answer, 409, 'idempotency_in_progress')
  assert.equal(answer.headers.get('retry-after'), '1')
})

test('a request that was turned away leaves its key free for another body', async () => {
  const key = freshKey()
  const issuer = (await call('POST', '/v0/api-keys', { scopes: ['api_keys:write', 'api_keys:read'] })).body.data.key
  const issue = (scopes: string[]) => call('POST', '/v0/api-keys', { scopes }, { ...under(key), key: issuer })
  assertError(await issue(['events:read']), 403, 'insufficient_scope')
  assert.equal((await issue(['api_keys:read'])).status, 200)
})
