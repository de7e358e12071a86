// GET /v0/sign-in

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { issuerUrl } from '../sign-in/issuer-metadata.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 the issuer, the addresses to register at it, and no secret', async () => {
  const { id, apiKey: key } = await world.otherBusiness()
  const roles = { claim: 'realm_access.roles', values: { ops: 'admin', money: 'finance' } }
  const body = { issuer: issuerUrl, clientId: 'causeway', clientSecret: 'a secret of the client', roles }
  dataOf(await call('PUT', '/v0/sign-in', body, { key }))
  const answer = await call('GET', '/v0/sign-in', undefined, { key })
  const { updatedAt, ...data } = dataOf(answer)
  assert.deepEqual(data, {
    issuer: issuerUrl,
    clientId: 'causeway',
    hasClientSecret: true,
    roles,
    scope: 'openid profile email',
    signInUrl: `${world.url}/console/sign-in/${id}`,
    redirectUri: `${world.url}/console/sign-in/callback/${id}`,
    backchannelLogoutUri: `${world.url}/console/sign-in/${id}/logout`,
    postLogoutRedirectUri: `${world.url}/console/sign-in`,
  })
  assert.ok(!answer.text.includes('a secret of the client'))
})

test('404 before it is set, whatever other businesses have', async () => {
  const { apiKey: key } = await world.otherBusiness()
  assertError(await call('GET', '/v0/sign-in', undefined, { key }), 404, 'sign_in_not_set')
})
