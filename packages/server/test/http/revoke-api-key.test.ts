// DELETE /v0/api-keys/{id}

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { formatApiKey } from '../../src/businesses/api-key.rules.ts'
import { assertError, assertSameAnswer } from '../caller.ts'
import { signIn } from '../console-browser.ts'
import { openPage } from '../onboarding-page.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const newKey = async (body = {}) => (await call('POST', '/v0/api-keys', body)).body.data
const codeOf = ({ url }: { url: string }) => url.split('#')[1] ?? ''
const revoke = (id: string, options = {}) => call('DELETE', `/v0/api-keys/${id}`, undefined, options)

test('200 the key is dead at once, and the answer says when it died', async () => {
  const { id, key } = await newKey()
  const { data } = (await revoke(id)).body
  assert.equal(data.id, id)
  assert.match(data.revokedAt, /Z$/)
  assert.ok(!('key' in data))
  assertError(await call('GET', '/v0/whoami', undefined, { key }), 401, 'api_key_invalid')
})

test('200 a key may revoke itself, and is told so', async () => {
  const { id, key } = await newKey()
  assert.equal((await revoke(id, { key })).status, 200)
  assertError(await call('GET', '/v0/whoami', undefined, { key }), 401, 'api_key_invalid')
})

/** Things that a leaked key may create: another key, a session by a link, and what these create in turn. */
async function leak() {
  const { apiKey: owner, user: newUser } = await world.otherBusiness()
  const leaked = (await call('POST', '/v0/api-keys', {}, { key: owner })).body.data
  const direct = (await call('POST', '/v0/api-keys', {}, { key: leaked.key })).body.data
  const scopes = ['api_keys:write', 'end_users:write']
  const link = (await call('POST', '/v0/console-links', { scopes }, { key: direct.key })).body.data
  const session = await signIn(world.url, { code: codeOf(link) })
  const bySession = (await session.ask('POST', '/v0/api-keys', { scopes })).body.data
  const user = await newUser()
  const onboarding = (await call('POST', `/v0/end-users/${user}/onboarding-links`, {}, { key: bySession.key })).body
    .data
  const kept = (await call('POST', '/v0/api-keys', {}, { key: owner })).body.data
  const works = async (key: string) =>
    (await world.business.call('GET', '/v0/whoami', undefined, { key })).status === 200
  return { owner, leaked, direct, link, session, bySession, onboarding, kept, works }
}

test('200 with everything that it created, directly or indirectly: keys, console links, sessions, onboarding links', async () => {
  const { owner, leaked, direct, link, session, bySession, onboarding, kept, works } = await leak()
  const page = await openPage(world, onboarding)
  const { data } = (await call('DELETE', `/v0/api-keys/${leaked.id}?withCreated=true`, undefined, { key: owner })).body
  const { apiKeys, ...alsoRevoked } = data.alsoRevoked
  assert.deepEqual(apiKeys.toSorted(), [direct.id, bySession.id].toSorted())
  assert.deepEqual(alsoRevoked, {
    consoleLinks: [link.id],
    onboardingLinks: [onboarding.id],
  })
  for (const { key } of [leaked, direct, bySession]) assert.ok(!(await works(key)))
  assert.equal((await session.ask('GET', '/v0/whoami')).status, 401)
  assertError(await page.ask('GET', '/state'), 401, 'onboarding_session_ended')
  assert.ok(await works(kept.key), 'a key that somebody else issued')
})

test('200 a key that was revoked before still ends what it created', async () => {
  const { owner, leaked, direct, works } = await leak()
  await call('DELETE', `/v0/api-keys/${leaked.id}`, undefined, { key: owner })
  assert.ok(await works(direct.key), 'a revocation alone ends the key alone')
  const again = await call('DELETE', `/v0/api-keys/${leaked.id}?withCreated=true`, undefined, { key: owner })
  assert.equal(again.status, 200)
  assert.ok(!(await works(direct.key)))
})

test('200 while the key creates others at the same moment: none is left', async () => {
  const { apiKey: owner } = await world.otherBusiness()
  const leaked = (await call('POST', '/v0/api-keys', {}, { key: owner })).body.data
  const issue = () => world.business.call('POST', '/v0/api-keys', {}, { key: leaked.key })
  const [first, revoked, ...others] = await Promise.all([
    issue(),
    world.business.call('DELETE', `/v0/api-keys/${leaked.id}?withCreated=true`, undefined, { key: owner }),
    ...Array.from({ length: 12 }, issue),
  ])
  assert.equal(revoked.status, 200)
  for (const { status, body } of [first, ...others]) {
    assert.ok(status === 200 || status === 401 || status === 409, String(status))
    if (status === 200)
      assertError(await call('GET', '/v0/whoami', undefined, { key: body.data.key }), 401, 'api_key_invalid')
  }
})

test('403 a key cannot end one that may do more than itself; one that may do no more it can', async () => {
  const strong = await newKey()
  const [weak, sibling] = [await newKey({ scopes: ['api_keys:write'] }), await newKey({ scopes: ['api_keys:write'] })]
  assertError(await revoke(strong.id, { key: weak.key }), 403, 'insufficient_scope')
  assert.equal((await call('GET', '/v0/whoami', undefined, { key: strong.key })).status, 200)
  assert.equal((await revoke(sibling.id, { key: weak.key })).status, 200)
})

test('a revoked key, and one whose time is over, read byte for byte as one that never was', async () => {
  const ask = (key: string) => call('GET', '/v0/whoami', undefined, { key })
  const unknown = await ask(formatApiKey('test', randomBytes(64)))
  assertError(unknown, 401, 'api_key_invalid')
  const [revoked, expired] = [await newKey(), await newKey()]
  await revoke(revoked.id)
  await world.rows`update api_keys set expires_at = now() where id = ${expired.id}`
  assertSameAnswer(await ask(revoked.key), unknown)
  assertSameAnswer(await ask(expired.key), unknown)
})

test('400 an id longer than any id is refused', async () => {
  assertError(await revoke('k'.repeat(65)), 400, 'invalid_path', { param: 'id' })
})

test("404 an absent key, one that is revoked already, and another business's: byte for byte the same", async () => {
  const { id } = await newKey()
  await revoke(id)
  const absent = await revoke('key_00000000000000000000000000')
  assertError(absent, 404, 'api_key_not_found')
  assertSameAnswer(await revoke(id), absent)
  const { apiKey: key } = await world.otherBusiness()
  const other = await newKey()
  assertSameAnswer(await revoke(other.id, { key }), absent)
  assert.equal((await call('GET', '/v0/whoami', undefined, { key: other.key })).status, 200)
})
