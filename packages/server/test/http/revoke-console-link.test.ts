// DELETE /v0/console-links/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer } from '../caller.ts'
import { signIn } from '../console-browser.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const newLink = async (scopes = ['events:read']) => (await call('POST', '/v0/console-links', { scopes })).body.data
const revoke = (id: string, options = {}) => call('DELETE', `/v0/console-links/${id}`, undefined, options)
const codeOf = ({ url }: { url: string }) => url.split('#')[1] ?? ''

test('200 a link that is revoked opens nothing', async () => {
  const link = await newLink()
  const { data } = (await revoke(link.id)).body
  assert.deepEqual([data.id, data.scopes, data.expiresAt], [link.id, link.scopes, link.expiresAt])
  assert.ok(Math.abs(Date.parse(data.revokedAt) - Date.now()) < 60_000)
  await assert.rejects(signIn(world.url, { code: codeOf(link) }), /console_link_invalid/)
})

test('200 the session that a link has opened ends with it, the session of another link does not', async () => {
  const [link, other] = [await newLink(), await newLink()]
  const ended = await signIn(world.url, { code: codeOf(link) })
  const kept = await signIn(world.url, { code: codeOf(other) })
  assert.equal((await ended.ask('GET', '/v0/whoami')).status, 200)
  await revoke(link.id)
  assertError(await ended.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
  assert.equal((await kept.ask('GET', '/v0/whoami')).status, 200)
})

test('200 with everything that its session created; what the key of the link created elsewhere stays', async () => {
  const link = await newLink(['api_keys:write', 'events:read'])
  const session = await signIn(world.url, { code: codeOf(link) })
  const issued = (await session.ask('POST', '/v0/api-keys', { scopes: ['events:read', 'api_keys:write'] })).body.data
  const next = (await session.ask('POST', '/v0/console-links', { scopes: ['events:read'] })).body.data
  const elsewhere = (await call('POST', '/v0/api-keys', { scopes: ['events:read'] })).body.data
  const { data } = (await call('DELETE', `/v0/console-links/${link.id}?withCreated=true`)).body
  assert.deepEqual(data.alsoRevoked, { apiKeys: [issued.id], consoleLinks: [next.id], onboardingLinks: [] })
  assertError(await call('GET', '/v0/whoami', undefined, { key: issued.key }), 401, 'api_key_invalid')
  await assert.rejects(signIn(world.url, { code: codeOf(next) }), /console_link_invalid/)
  assert.equal((await call('GET', '/v0/whoami', undefined, { key: elsewhere.key })).status, 200)
})

test('200 a sign-in and the end of its link at the same moment: no session is left, whichever was first', async () => {
  for (let round = 0; round < 10; round++) {
    const link = await newLink()
    const [signedIn, revoked] = await Promise.all([
      signIn(world.url, { code: codeOf(link) }).catch(() => null),
      revoke(link.id),
    ])
    assert.equal(revoked.status, 200)
    if (signedIn) assertError(await signedIn.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
  }
})

test('403 a key cannot revoke a link that may do more than itself', async () => {
  const { key } = (await call('POST', '/v0/api-keys', { scopes: ['api_keys:write'] })).body.data
  const { id } = await newLink()
  assertError(await revoke(id, { key }), 403, 'insufficient_scope')
})

test("404 an absent link, one that is revoked already, and another business's: byte for byte the same", async () => {
  const { id } = await newLink()
  await revoke(id)
  const absent = await revoke('console_link_00000000000000000000000000')
  assertError(absent, 404, 'console_link_not_found')
  assertSameAnswer(await revoke(id), absent)
  const { apiKey: key } = await world.otherBusiness()
  assertSameAnswer(await revoke((await newLink()).id, { key }), absent)
})
