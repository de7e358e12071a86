// GET /v0/information-requests/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const user = await world.business.user('approved')
const { id: account = '' } = await world.business.account(user)
const deposit = await world.business.deposit(account, { amount: '40.00' }, 'completed')
const request = await world.business.informationRequest({
  externalUserId: user,
  depositId: deposit.id,
  deadlineInHours: 48,
  actionTaken: 'transaction_paused',
})

test('200 whose it is, the deposit, the deadline and what the provider did, and nothing for the operator alone', async () => {
  const { data } = (await call('GET', `/v0/information-requests/${request.id}`)).body
  const { id, deadline, openedAt, createdAt, updatedAt, ...fixed } = data
  assert.match(id, /^ireq_[0-9a-z]{26}$/)
  assert.equal(Date.parse(deadline) - Date.parse(openedAt), 48 * 3_600_000)
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(fixed, {
    externalUserId: user,
    depositId: deposit.id,
    state: 'action_required',
    actionTaken: 'transaction_paused',
    actionAtDeadline: 'pause_customer',
    closedAt: null,
  })
})

test('200 the event has what the API shows', async () => {
  const { data } = (await call('GET', `/v0/information-requests/${request.id}`)).body
  const [event] = await world.business.events('information_request.updated', request.id)
  assert.deepEqual(event.payload.data, data)
})

test('404 another business’s request reads as absent, byte for byte', async () => {
  const { apiKey } = await world.otherBusiness()
  const headers = { 'x-request-id': 'same' }
  const foreign = await call('GET', `/v0/information-requests/${request.id}`, undefined, { key: apiKey, headers })
  const absent = await call('GET', `/v0/information-requests/${request.id.replace(/.$/, '0')}`, undefined, {
    key: apiKey,
    headers,
  })
  assertError(foreign, 404, 'information_request_not_found')
  assert.equal(foreign.text, absent.text)
})
