// The issuers that a process knows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestIssuer } from '../../../test/sign-in/test-issuer.ts'
import type { IssuerSettings } from './discovery.ts'
import { Issuers } from './issuers.ts'

const settingsFor = (issuer: string, version = '1'): IssuerSettings => ({
  businessId: 'biz_1',
  issuer,
  clientId: 'causeway',
  clientSecret: null,
  roles: { claim: 'groups', values: { admins: 'admin' } },
  scope: 'openid',
  addresses: 'public_or_loopback',
  version,
})

test('metadata is read once for all who sign in at the same time, and again after a change of the settings', async () => {
  await using server = await startTestIssuer()
  const issuers = new Issuers()
  const read = (version?: string) => issuers.of(settingsFor(server.url, version))
  const all = await Promise.all([read(), read(), read()])
  assert.ok(all.every((issuer) => issuer === all[0]))
  assert.equal(server.asked.length, 1)
  assert.notEqual(await read('2'), all[0])
  assert.equal(server.asked.length, 2)
})

test('a failure is not repeated with each request', async () => {
  await using server = await startTestIssuer()
  server.away(true)
  const issuers = new Issuers()
  for (let times = 0; times < 3; times++) await assert.rejects(issuers.of(settingsFor(server.url)))
  assert.equal(server.asked.length, 1)
})
