// PUT /v0/customers/{customerId}/sign-in

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { issuerUrl } from '../sign-in/issuer-metadata.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator
const signIn = { issuer: issuerUrl, clientId: 'causeway', roles: { claim: 'groups', values: { ops: 'admin' } } }

test('200 the business reads what the operator has set', async () => {
  const { id, call } = await world.otherBusiness()
  const set = dataOf(await operate('PUT', `/v0/customers/${id}/sign-in`, signIn))
  assert.deepEqual(dataOf(await call('GET', '/v0/sign-in')), set)
  assert.equal(set.redirectUri, `${world.url}/console/sign-in/callback/${id}`)
})

test('400 an issuer that is no URL', async () => {
  const path = `/v0/customers/${(await world.otherBusiness()).id}/sign-in`
  assertError(await operate('PUT', path, { ...signIn, issuer: 'login' }), 400, 'invalid_issuer', { param: 'issuer' })
})

test('404 a business that is not there, before its issuer is asked', async () => {
  const path = '/v0/customers/biz_00000000000000000000000000/sign-in'
  assertError(await operate('PUT', path, { ...signIn, issuer: 'http://127.0.0.1:9' }), 404, 'customer_not_found')
})

test('422 an issuer that cannot be reached', async () => {
  const path = `/v0/customers/${(await world.otherBusiness()).id}/sign-in`
  const answer = await operate('PUT', path, { ...signIn, issuer: 'http://127.0.0.1:9' })
  assertError(answer, 422, 'sign_in_issuer_unreachable')
})
