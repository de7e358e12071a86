// POST /v0/console-links

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { signIn } from '../console-browser.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/console-links'
const scopes = ['end_users:read', 'events:read']
const minutesTo = (time: string) => Math.round((Date.parse(time) - Date.now()) / 60_000)

test('200 a link for ten minutes, whose code stands behind the # of its address', async () => {
  const { data } = (await call('POST', path, { scopes })).body
  assert.deepEqual(Object.keys(data).sort(), ['expiresAt', 'id', 'scopes', 'url'])
  assert.match(data.id, /^console_link_/)
  assert.deepEqual(data.scopes, scopes)
  assert.equal(minutesTo(data.expiresAt), 10)
  const { origin, pathname, search, hash } = new URL(data.url)
  assert.deepEqual([origin, pathname, search], [world.url, '/console/link', ''])
  assert.match(hash, /^#svc_link_[\w-]{43}$/)
})

test('200 a link lives as long as asked for, and never longer than the key that made it', async () => {
  assert.equal(minutesTo((await call('POST', path, { scopes, expiresInMinutes: 60 })).body.data.expiresAt), 60)
  const expiresAt = new Date(Date.now() + 300_000).toISOString()
  const { key } = (await call('POST', '/v0/api-keys', { expiresAt })).body.data
  assert.equal((await call('POST', path, { scopes, expiresInMinutes: 60 }, { key })).body.data.expiresAt, expiresAt)
})

test('400 no scopes, unknown, repeated or missing ones, a time out of bounds: refused by name', async () => {
  for (const [body, code, param] of [
    [{ scopes: [] }, 'invalid_length', 'scopes'],
    [{ scopes: ['everything'] }, 'invalid_value', 'scopes.0'],
    [{ scopes: ['events:read', 'events:read'] }, 'invalid_value', 'scopes'],
    [{}, 'missing_field', 'scopes'],
    [{ scopes, expiresInMinutes: 0 }, 'invalid_value', 'expiresInMinutes'],
    [{ scopes, expiresInMinutes: 61 }, 'invalid_value', 'expiresInMinutes'],
    [{ scopes, expiresInMinutes: '5' }, 'invalid_type', 'expiresInMinutes'],
    [{ scopes, returnPath: '//evil.example.com' }, 'unknown_field', 'returnPath'],
  ] as const)
    assertError(await call('POST', path, body), 400, code, { param })
})

test('403 a key cannot make a link that may do more than itself', async () => {
  const { key } = (await call('POST', '/v0/api-keys', { scopes: ['api_keys:write', 'events:read'] })).body.data
  assertError(await call('POST', path, { scopes }, { key }), 403, 'insufficient_scope')
  assert.equal((await call('POST', path, { scopes: ['events:read'] }, { key })).status, 200)
})

test('422 an Idempotency-Key with another body; a repeat gets the same link, which still works once', async () => {
  const headers = { 'idempotency-key': 'link-1' }
  const first = await call('POST', path, { scopes }, { headers })
  const repeat = await call('POST', path, { scopes }, { headers })
  assert.equal(repeat.text, first.text)
  assertError(await call('POST', path, { scopes: ['events:read'] }, { headers }), 422, 'idempotency_key_reused')
  const code = first.body.data.url.split('#')[1]
  await signIn(world.url, { code })
  await assert.rejects(signIn(world.url, { code }), /console_link_invalid/)
})
