// Writes at the provider: the intent is there before the call, an unknown outcome is settled under the same key, and a
// lost lease settles nothing.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from './caller.ts'
import { solanaWallet } from './people.ts'
import { accountPath } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

let externalUserId = ''
before(async () => {
  externalUserId = await world.business.user('approved')
})

type Operation = {
  id: string
  state: string
  attempts: number
  providerKey: string
  subjectId: string
  errorCode: string | null
}

async function newestOperation(kind: string): Promise<Operation | undefined> {
  const rows = await world.rows<Operation>`
      select id, state, attempts, provider_key, subject_id, error_code from operations where kind = ${kind}
      order by created_at desc, id limit 1`
  return rows[0]
}

let fee = 0
/** Each with a different fee: the same request twice would be the same account. */
function createAccount() {
  fee += 1
  const route = { source: { currency: 'usd' }, destination: solanaWallet, developer_fee_percent: `0.${fee}` }
  return world.business.call('POST', '/v0/virtual-accounts', { externalUserId, ...route })
}

const keysAtProvider = async (): Promise<number> =>
  (await world.provider.control('GET', '/state')).body.idempotency_keys.count

async function createdEvents(accountId: string): Promise<number> {
  const { data } = (await world.business.call('GET', '/v0/events?eventType=virtual_account.created&limit=100')).body
  return data.filter((event: { payload: { data: { id: string } } }) => event.payload.data.id === accountId).length
}

test('the intent and its key are committed before the provider is called', async () => {
  const before = await world.provider.accountIds()
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'delay', delay_ms: 1_200 })
  const answer = createAccount()
  const operation = await until('the intent', async () => {
    const row = await newestOperation('virtual_account.create')
    return row?.state === 'running' && row
  })
  assert.ok(operation.providerKey.length > 0)
  assert.equal(operation.attempts, 1)
  assert.deepEqual(await world.provider.accountIds(), before, 'the provider has done nothing yet')
  const pending = await world.business.call('GET', `/v0/virtual-accounts/${operation.subjectId}`)
  assert.equal(pending.body.data.status, 'pending')
  assert.equal((await answer).status, 200)
  assert.equal((await newestOperation('virtual_account.create'))?.state, 'done')
})

test('an outcome that is unknown is settled under the same key: one account here, one there, told once', async () => {
  const before = await world.provider.accountIds()
  const keysBefore = await keysAtProvider()
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'cut_after' })
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'status', status: 500 })
  const answer = await createAccount()
  assert.equal(`${answer.status} ${answer.body.error.code}`, '504 provider_timeout')
  const operation = await newestOperation('virtual_account.create')
  const accountId = operation?.subjectId ?? ''
  const settled = await until('the settling', async () => {
    const row = await newestOperation('virtual_account.create')
    return row?.state === 'done' && row
  })
  assert.equal(settled.id, operation?.id)
  assert.equal(settled.providerKey, operation?.providerKey)
  assert.ok(settled.attempts >= 3, 'cut, refused with 500, answered')
  const account = await world.business.call('GET', `/v0/virtual-accounts/${accountId}`)
  assert.equal(account.body.data.status, 'active')
  assert.equal((await world.provider.accountIds()).length, before.length + 1)
  assert.equal(await keysAtProvider(), keysBefore + 1)
  assert.equal(await createdEvents(accountId), 1)
})

test('however often a repeat failed, the next one comes within half a minute', async () => {
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'cut_after' })
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'status', status: 503, times: 1_000 })
  assert.equal((await createAccount()).status, 504)
  const operation = await newestOperation('virtual_account.create')
  assert.ok(operation)
  await world.rows`update operations set attempts = 40, lease_until = now() where id = ${operation.id} and state = 'unknown'`
  world.inside.wake('resume')
  const dueIn = await until('a repeat', async () => {
    const [row] = await world.rows<{ attempts: number; state: string; dueIn: number }>`
        select attempts, state, extract(epoch from lease_until - now())::float8 as due_in from operations where id = ${operation.id}`
    return row && row.attempts === 41 && row.state === 'unknown' && row.dueIn
  })
  assert.ok(dueIn <= 30, `it is due in ${dueIn} s`)
  await world.provider.recovers()
  await world.rows`update operations set lease_until = now() where id = ${operation.id}`
  world.inside.wake('resume')
  await until('the settling', async () => (await newestOperation('virtual_account.create'))?.state === 'done')
})

test('a refusal settles an operation as failed, and leaves neither account nor repeat', async () => {
  await world.provider.fails({
    method: 'POST',
    path: accountPath,
    mode: 'status',
    status: 400,
    body: { code: 'invalid_parameters', message: 'Please resubmit the following parameters' },
  })
  const answer = await createAccount()
  assert.equal(answer.status, 422, answer.text)
  const operation = await newestOperation('virtual_account.create')
  assert.equal(operation?.state, 'failed')
  assert.equal(operation?.errorCode, 'invalid_parameters')
  assert.equal((await world.business.call('GET', `/v0/virtual-accounts/${operation?.subjectId}`)).status, 404)
})

test('a holder whose lease was lost settles nothing: whoever took over does, once', async () => {
  const before = await world.provider.accountIds()
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'delay', delay_ms: 1_500 })
  const slow = createAccount()
  const operation = await until('the intent', async () => {
    const row = await newestOperation('virtual_account.create')
    return row?.state === 'running' && row
  })
  await world.rows`update operations set lease_until = now() where id = ${operation.id}`
  world.inside.wake('resume')
  await until('the take-over to be done', async () => {
    const row = await newestOperation('virtual_account.create')
    return row?.state === 'done' && row.attempts === 2
  })
  const answer = await slow
  assert.equal(`${answer.status} ${answer.body.error?.code}`, '504 provider_timeout')
  assert.equal((await world.provider.accountIds()).length, before.length + 1)
  assert.equal(await createdEvents(operation.subjectId), 1)
})

test('a deactivation whose answer is lost is carried out once, and told once', async () => {
  const { id } = await world.business.account(externalUserId, { source: { currency: 'mxn' } })
  await world.provider.fails({ method: 'POST', path: '/deactivate$', mode: 'cut_after' })
  const answer = await world.business.call('POST', `/v0/virtual-accounts/${id}/deactivate`)
  assert.equal(answer.status, 504, answer.text)
  await until('the settling', async () => {
    const account = await world.business.call('GET', `/v0/virtual-accounts/${id}`)
    return account.body.data.status === 'deactivated'
  })
  const { data } = (await world.business.call('GET', '/v0/events?eventType=virtual_account.deactivated')).body
  assert.equal(data.length, 1)
})

test('a ToS link whose answer is lost is completed by itself, and handed to the next who asks', async () => {
  const user = await world.business.user()
  await world.provider.fails({ method: 'POST', path: '/tos_links$', mode: 'cut_after' })
  assert.equal((await world.business.call('POST', `/v0/end-users/${user}/tos-link`)).status, 504)
  await until('the settling', async () => (await newestOperation('tos_link.create'))?.state === 'done')
  const links = (await world.provider.control('GET', '/state')).body.tos_sessions.count
  const again = await world.business.call('POST', `/v0/end-users/${user}/tos-link`)
  assert.equal(again.status, 200, again.text)
  assert.equal(
    (await world.provider.control('GET', '/state')).body.tos_sessions.count,
    links,
    'no second link was made',
  )
})

test('a KYC link whose answer was lost is made good by itself, and there is one', async () => {
  const user = await world.business.user()
  const counts = async (): Promise<number> => (await world.provider.control('GET', '/state')).body.kyc_links.count
  const before = await counts()
  await world.provider.fails({ method: 'POST', path: '^/v0/kyc_links$', mode: 'cut_after' })
  const answer = await world.business.call('GET', `/v0/end-users/${user}/kyc-links`)
  assert.equal(answer.body.error.code, 'provider_timeout')
  await until('the settling', async () => (await newestOperation('kyc_link.create'))?.state === 'done')
  assert.notEqual((await world.business.call('GET', `/v0/end-users/${user}/kyc-links`)).body.data.kycLink, null)
  assert.equal(await counts(), before + 1)
})
