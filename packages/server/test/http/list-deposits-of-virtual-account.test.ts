// GET /v0/virtual-accounts/{id}/deposits

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

const user = await world.business.user('approved')
const [first = '', second = ''] = [await world.business.account(user), await world.business.account(user)].map(
  ({ id }) => id,
)
const of = (accountId: string, query = '') => `/v0/virtual-accounts/${accountId}/deposits${query}`
const older = await world.business.deposit(first, { amount: '10.00' }, 'completed')
const newer = await world.business.deposit(first, { amount: '20.00', outcome: 'in_review' }, 'in_review')
const elsewhere = await world.business.deposit(second, { amount: '30.00' }, 'completed')
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

test('200 the deposits of this account and of no other, newest first', async () => {
  assert.deepEqual(idsOf(await call('GET', of(first))), [newer.id, older.id])
  assert.deepEqual(idsOf(await call('GET', of(second))), [elsewhere.id])
})

test('200 pages follow the Link header, and filters apply', async () => {
  const page = await call('GET', of(first, '?limit=1'))
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await call('GET', link.slice(new URL(link).origin.length))
  assert.deepEqual([...idsOf(page), ...idsOf(rest)], [newer.id, older.id])
  assert.deepEqual(idsOf(await call('GET', of(first, '?status=completed'))), [older.id])
})

test('200 a deposit in review that is taken on completes, one that is refused is returned', async () => {
  for (const [to, status] of [
    ['completed', 'completed'],
    ['refunded', 'refunded'],
  ] as const) {
    const order = { virtualAccountId: second, amount: '40.00', outcome: 'in_review' }
    const { providerDepositId } = (await call('POST', '/v0/sandbox/deposits', order)).body.data
    await world.business.deposit(second, { amount: '1.00' }, 'completed') // by now the other one is known, too
    await world.provider.control('POST', `/deposits/${providerDepositId}/advance`, { to })
    const deposit = await world.business.deposit(second, { amount: '1.00' }, 'completed')
    assert.ok(deposit)
    const { data } = (await call('GET', of(second, `?status=${status}`))).body
    assert.ok(
      data.some((row: { grossAmount: { value: string } }) => row.grossAmount.value === '40.00'),
      JSON.stringify(data),
    )
  }
})

test('400 a bad limit, status, cursor or parameter is refused by name', async () => {
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['status=lost', 'status'],
    ['externalUserId=x', 'externalUserId'],
  ]) {
    assertError(await call('GET', of(first, `?${query}`)), 400, 'invalid_query', { param: param ?? '' })
  }
  assertError(await call('GET', of(first, '?cursor=x')), 400, 'invalid_cursor', { param: 'cursor' })
  assertError(await call('GET', of('v'.repeat(65))), 400, 'invalid_path', { param: 'id' })
})
