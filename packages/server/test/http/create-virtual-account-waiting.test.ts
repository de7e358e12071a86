// POST /v0/virtual-accounts with `onPendingKyc: "wait"`: the account is asked for now and opens when KYC is approved.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'

test('200 with onPendingKyc "wait" the account is pending, and opens by itself once KYC is approved', async () => {
  const person = await world.business.user()
  const pending = (await call('POST', path, accountRequest(person, { onPendingKyc: 'wait' }))).body.data
  assert.equal(pending.status, 'pending')
  for (const name of ['bankName', 'bankAccountNumber', 'bankRoutingNumber', 'beneficiaryName', 'beneficiaryAddress'])
    assert.equal(pending[name], '', name)
  assert.deepEqual(await world.business.events('virtual_account.created', pending.id), [])
  await world.business.submit(person)
  const open = await world.business.accountReached(pending.id, 'active')
  assert.match(open['bankAccountNumber'] ?? '', /^\d+$/)
  assert.equal((await world.provider.accountsOf(person)).length, 1)
  const [event] = await world.business.events('virtual_account.created', pending.id)
  assert.deepEqual(event.payload.data, open)
})

test('200 an account that waited is failed, and an event says so, when the provider refuses it after all', async () => {
  const person = await world.business.user()
  const pending = (await call('POST', path, accountRequest(person, { onPendingKyc: 'wait' }))).body.data
  await world.provider.fails({
    path: '^/v0/customers/[^/]+/virtual_accounts$',
    method: 'POST',
    mode: 'status',
    status: 400,
    body: { code: 'invalid_parameters', message: 'no', source: { location: 'body', key: { destination: 'no' } } },
  })
  await world.business.submit(person)
  const failed = await world.business.accountReached(pending.id, 'failed')
  assert.equal(failed['bankAccountNumber'], '')
  const [event] = await world.business.events('virtual_account.failed', pending.id)
  assert.deepEqual(event.payload.data, failed)
  assert.deepEqual(await world.provider.accountsOf(person), [])
})

test('200 with onPendingKyc "wait" an approved end-user gets an active account at once, and "reject" changes nothing', async () => {
  const user = await world.business.user('approved')
  for (const onPendingKyc of ['wait', 'reject'])
    assert.equal((await call('POST', path, accountRequest(user, { onPendingKyc }))).body.data.status, 'active')
})

test('200 accounts that are asked for while the approval comes all open, each once', async () => {
  const people = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const person = await world.business.user()
      const approval = world.business.submit(person)
      const ids = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const request = accountRequest(person, { onPendingKyc: 'wait' })
          return (await call('POST', path, request)).body.data.id as string
        }),
      )
      await approval
      return { person, ids }
    }),
  )
  for (const { person, ids } of people) {
    await until(`the accounts of ${person}`, async () => {
      const accounts = await world.business.accounts(person)
      return accounts.length === ids.length && accounts.every((account) => account['status'] === 'active')
    })
    assert.equal((await world.provider.accountsOf(person)).length, ids.length)
  }
})

test('200 an account that waits for a rejected end-user stays pending, and takes neither change nor switch', async () => {
  const person = await world.business.user('submitted', { mail: '+reject' })
  await world.business.reached(person, 'rejected')
  const { id } = (await call('POST', path, accountRequest(person, { onPendingKyc: 'wait' }))).body.data
  const answer = await call('POST', `${path}/${id}/deactivate`)
  assert.equal(answer.body.error.code, 'account_state_conflict')
  assert.equal((await call('GET', `${path}/${id}`)).body.data.status, 'pending')
})

test('200 an approval that is being taken in while the account is asked for is not missed', async () => {
  const person = await world.business.user('approved')
  const { db } = world.inside
  // The stored status lags behind the provider. Then the approval comes, and has already looked for waiting accounts.
  await db.transaction((tx) => tx`update end_users set kyc_status = 'under_review' where external_user_id = ${person}`)
  const asked = await db.transaction(async (tx) => {
    await tx`select 1 from end_users where external_user_id = ${person} for update`
    const request = call('POST', path, accountRequest(person, { onPendingKyc: 'wait' }))
    await until('the request to wait for the approval', async () => {
      const waiting =
        await tx`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    await tx`update end_users set kyc_status = 'approved' where external_user_id = ${person}`
    return { request }
  })
  assert.equal((await asked.request).body.data.status, 'active')
})
