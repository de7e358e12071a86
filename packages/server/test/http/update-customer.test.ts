// PATCH /v0/customers/{customerId}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../api-contract.ts'
import { operatorWorld } from './operator-world.ts'

const world = await operatorWorld()
after(() => world.stop())
const { operate } = world

test('200 a new name leaves the status alone, and a new status the name', async () => {
  const id = await world.newCustomer('Before')
  const renamed = (await operate('PATCH', `/v0/customers/${id}`, { name: 'After' })).body.data
  assert.deepEqual([renamed.name, renamed.status], ['After', 'active'])
  const suspended = (await operate('PATCH', `/v0/customers/${id}`, { status: 'suspended' })).body.data
  assert.deepEqual([suspended.name, suspended.status], ['After', 'suspended'])
  assert.deepEqual((await operate('GET', `/v0/customers/${id}`)).body.data, suspended)
})

test('200 every key of a suspended customer is refused at once, and works again once it is readmitted', async () => {
  const { customerId, apiKey: key } = await world.otherBusiness()
  const ask = () => world.checked('GET', '/v0/whoami', undefined, { key })
  await operate('PATCH', `/v0/customers/${customerId}`, { status: 'suspended' })
  assertError(await ask(), 403, 'business_suspended')
  await operate('PATCH', `/v0/customers/${customerId}`, { status: 'active' })
  assert.equal((await ask()).status, 200)
})

test('400 an unknown status or field, a bad name, nothing at all', async () => {
  const path = `/v0/customers/${await world.newCustomer()}`
  assertError(await operate('PATCH', path, { status: 'deleted' }), 400, 'invalid_value', { param: 'status' })
  assertError(await operate('PATCH', path, { name: '' }), 400, 'invalid_length', { param: 'name' })
  assertError(await operate('PATCH', path, { id: 'biz_1' }), 400, 'unknown_field', { param: 'id' })
  assertError(await operate('PATCH', path, {}), 400, 'invalid_length')
})
