// PATCH /v0/customers/{customerId}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator

test('200 a new name leaves the status alone, and a new status the name', async () => {
  const id = (await world.otherBusiness('Before')).id
  const renamed = (await operate('PATCH', `/v0/customers/${id}`, { name: 'After' })).body.data
  assert.deepEqual([renamed.name, renamed.status], ['After', 'active'])
  const suspended = (await operate('PATCH', `/v0/customers/${id}`, { status: 'suspended' })).body.data
  assert.deepEqual([suspended.name, suspended.status], ['After', 'suspended'])
  assert.deepEqual((await operate('GET', `/v0/customers/${id}`)).body.data, suspended)
})

test('200 every key of a suspended customer is refused at once, and works again once it is readmitted', async () => {
  const { id: customerId, apiKey: key } = await world.otherBusiness()
  const ask = () => world.business.call('GET', '/v0/whoami', undefined, { key })
  await operate('PATCH', `/v0/customers/${customerId}`, { status: 'suspended' })
  assertError(await ask(), 403, 'business_suspended')
  await operate('PATCH', `/v0/customers/${customerId}`, { status: 'active' })
  assert.equal((await ask()).status, 200)
})

test('400 an unknown status or field, a bad name, nothing at all', async () => {
  const path = `/v0/customers/${(await world.otherBusiness()).id}`
  assertError(await operate('PATCH', path, { status: 'deleted' }), 400, 'invalid_value', { param: 'status' })
  assertError(await operate('PATCH', path, { name: '' }), 400, 'invalid_length', { param: 'name' })
  assertError(await operate('PATCH', path, { id: 'biz_1' }), 400, 'unknown_field', { param: 'id' })
  assertError(await operate('PATCH', path, {}), 400, 'invalid_length')
})
