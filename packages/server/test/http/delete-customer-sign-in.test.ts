// DELETE /v0/customers/{customerId}/sign-in

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { issuerUrl } from '../sign-in/issuer-metadata.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator
const signIn = { issuer: issuerUrl, clientId: 'causeway', roles: { claim: 'groups', values: { ops: 'admin' } } }

test('200 the business has none afterwards', async () => {
  const { id, call } = await world.otherBusiness()
  dataOf(await call('PUT', '/v0/sign-in', signIn))
  assert.deepEqual(dataOf(await operate('DELETE', `/v0/customers/${id}/sign-in`)), { deleted: true })
  assertError(await call('GET', '/v0/sign-in'), 404, 'sign_in_not_set')
})

test('404 there is none, and a business that is not there', async () => {
  const { id } = await world.otherBusiness()
  assertError(await operate('DELETE', `/v0/customers/${id}/sign-in`), 404, 'sign_in_not_set')
  const absent = '/v0/customers/biz_00000000000000000000000000/sign-in'
  assertError(await operate('DELETE', absent), 404, 'customer_not_found')
})
