// GET /v0/customers/{customerId}/sign-in

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { issuerUrl } from '../sign-in/issuer-metadata.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator
const signIn = { issuer: issuerUrl, clientId: 'causeway', roles: { claim: 'groups', values: { ops: 'admin' } } }

test('200 the same as the business reads', async () => {
  const { id, call } = await world.otherBusiness()
  const set = dataOf(await call('PUT', '/v0/sign-in', signIn))
  assert.deepEqual(dataOf(await operate('GET', `/v0/customers/${id}/sign-in`)), set)
})

test('404 before it is set, and a business that is not there', async () => {
  const { id } = await world.otherBusiness()
  assertError(await operate('GET', `/v0/customers/${id}/sign-in`), 404, 'sign_in_not_set')
  const absent = '/v0/customers/biz_00000000000000000000000000/sign-in'
  assertError(await operate('GET', absent), 404, 'customer_not_found')
})
