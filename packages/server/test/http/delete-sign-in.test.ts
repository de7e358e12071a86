// DELETE /v0/sign-in

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { issuerUrl } from '../sign-in/issuer-metadata.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const signIn = { issuer: issuerUrl, clientId: 'causeway', roles: { claim: 'groups', values: { ops: 'admin' } } }

test('200 it is gone, and that of another business stays', async () => {
  const { apiKey: key } = await world.otherBusiness()
  for (const options of [{ key }, {}]) dataOf(await call('PUT', '/v0/sign-in', signIn, options))
  assert.deepEqual(dataOf(await call('DELETE', '/v0/sign-in', undefined, { key })), { deleted: true })
  assertError(await call('GET', '/v0/sign-in', undefined, { key }), 404, 'sign_in_not_set')
  assert.equal((await call('GET', '/v0/sign-in')).status, 200)
})

test('404 there is none', async () => {
  const { apiKey: key } = await world.otherBusiness()
  assertError(await call('DELETE', '/v0/sign-in', undefined, { key }), 404, 'sign_in_not_set')
})
