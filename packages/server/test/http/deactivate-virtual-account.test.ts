// POST /v0/virtual-accounts/{id}/deactivate

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const upstream = '/[^/]+/deactivate'
const person = await world.business.user('approved')

/** An account that is active; `act` deactivates it. */
async function account() {
  const { id = '' } = await world.business.account(person)
  return { id, person, act: () => call('POST', `/v0/virtual-accounts/${id}/deactivate`) }
}

test('200 the account is deactivated, everything else as it was, and one event says so', async () => {
  const { id, act } = await account()
  const before = (await call('GET', `/v0/virtual-accounts/${id}`)).body.data
  const { data } = (await act()).body
  assert.deepEqual({ ...data, updatedAt: '' }, { ...before, status: 'deactivated', updatedAt: '' })
  const events = await world.business.events('virtual_account.deactivated', id)
  assert.equal(events.length, 1)
  assert.deepEqual(events[0].payload.data, data)
})

test('200 a repeat answers the same and makes no second event', async () => {
  const { id, act } = await account()
  const first = await act()
  assert.deepEqual((await act()).body, first.body)
  assert.equal((await world.business.events('virtual_account.deactivated', id)).length, 1)
})

test('200 a deactivated account takes no deposits, and is changed at the provider', async () => {
  const { id, person, act } = await account()
  await act()
  const [theirs] = await world.provider.accountsOf(person)
  assert.equal(theirs?.status, 'deactivated')
  const deposit = await call('POST', '/v0/sandbox/deposits', { virtualAccountId: id, amount: '10.00' })
  assertError(deposit, 422, 'account_state_conflict')
})

test('400 an id longer than any id is refused', async () => {
  const answer = await call('POST', `/v0/virtual-accounts/${'v'.repeat(65)}/deactivate`)
  assertError(answer, 400, 'invalid_path', { param: 'id' })
})

test('409 while the provider works on one request another one waits, and the account ends deactivated', async () => {
  const { id, act } = await account()
  await world.provider.fails({ about: person, mode: 'delay', delay_ms: 1_200, under: upstream })
  const answers = await Promise.all([act(), act(), act()])
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(refused.length, 2)
  for (const answer of refused) assertError(answer, 409, 'account_change_in_progress')
  await world.business.accountReached(id, 'deactivated')
  assert.equal((await world.business.events('virtual_account.deactivated', id)).length, 1)
})

test('422 an account that is pending cannot be deactivated', async () => {
  const request = accountRequest(await world.business.user(), { onPendingKyc: 'wait' })
  const { id } = (await call('POST', '/v0/virtual-accounts', request)).body.data
  const answer = await call('POST', `/v0/virtual-accounts/${id}/deactivate`)
  assertError(answer, 422, 'account_state_conflict', { details: ['status'] })
})

test('422 a refusal of the provider changes nothing', async () => {
  const { id, act } = await account()
  await world.provider.fails({
    about: person,
    mode: 'status',
    status: 400,
    body: { code: 'frozen', message: 'no' },
    under: upstream,
  })
  assertError(await act(), 422, 'provider_rejected')
  assert.equal((await call('GET', `/v0/virtual-accounts/${id}`)).body.data.status, 'active')
  assert.equal((await act()).status, 200)
})

test('503 a provider that answers 500 is unavailable, and the account is deactivated by itself', async () => {
  const { id, act } = await account()
  await world.provider.fails({ about: person, mode: 'status', status: 500, under: upstream })
  assertError(await act(), 503, 'provider_unavailable')
  await world.business.accountReached(id, 'deactivated')
})

test('504 an answer that is lost leaves the outcome unknown, and the account is deactivated by itself, told about once', async () => {
  const { id, act } = await account()
  await world.provider.fails({ about: person, mode: 'cut_after', under: upstream })
  assertError(await act(), 504, 'provider_timeout')
  await world.business.accountReached(id, 'deactivated')
  const events = await until('the event', async () => {
    const found = await world.business.events('virtual_account.deactivated', id)
    return found.length > 0 && found
  })
  assert.equal(events.length, 1)
})
