// PUT /v0/sign-in

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ErrorCode } from '../../src/platform/errors.ts'
import { scopes } from '../../src/platform/http/caller.ts'
import { assertError, dataOf } from '../caller.ts'
import { startTestIssuer } from '../sign-in/test-issuer.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
const issuer = await startTestIssuer()
after(async () => {
  await issuer[Symbol.asyncDispose]()
  await world.stop()
})
const { call } = world.business
const roles = { claim: 'groups', values: { ops: 'admin', help: 'support' } }
const good = { issuer: issuer.url, clientId: 'causeway', roles }
const put = (body: unknown, options: { key?: string } = {}) => call('PUT', '/v0/sign-in', body, options)

async function storedSecret(businessId: string): Promise<string | null> {
  const [row] = await world.rows<{ clientSecretSealed: Buffer | null }>`
    select client_secret_sealed from sign_in_issuers where business_id = ${businessId}`
  const sealed = row?.clientSecretSealed ?? null
  if (sealed === null) return null
  assert.ok(!sealed.includes('secret'), 'the secret is encrypted')
  return world.inside.secrets.open(sealed, businessId)
}

test('200 a secret that is left out is kept for the same client, and dropped for another; null drops it', async () => {
  const { id, apiKey: key } = await world.otherBusiness()
  const set = async (changes: object) => dataOf(await put({ ...good, ...changes }, { key })).hasClientSecret
  assert.equal(await set({ clientSecret: 'the secret' }), true)
  assert.equal(await storedSecret(id), 'the secret')
  assert.equal(await set({ scope: 'openid offline_access' }), true)
  assert.equal(await storedSecret(id), 'the secret')
  assert.equal(await set({ clientId: 'other' }), false, 'the secret of another client')
  assert.equal(await set({ clientId: 'other', clientSecret: 'the next secret' }), true)
  assert.equal(await storedSecret(id), 'the next secret')
  await using elsewhere = await startTestIssuer()
  assert.equal(await set({ clientId: 'other', issuer: elsewhere.url }), false, 'the secret goes to no other issuer')
  assert.equal(await set({ clientId: 'other', issuer: elsewhere.url, clientSecret: 'x' }), true)
  assert.equal(await set({ clientId: 'other', issuer: elsewhere.url, clientSecret: null }), false)
})

test('200 the issuer is stored as its metadata spells it', async () => {
  await using spelt = await startTestIssuer()
  spelt.lies.metadata = (honest) => ({ ...honest, issuer: `${spelt.url}/` })
  assert.equal(dataOf(await put({ ...good, issuer: spelt.url })).issuer, `${spelt.url}/`)
})

test('200 a key with every scope may set it; a key or session with fewer may not, whatever it may write', async () => {
  const keyWith = async (given: readonly string[]) =>
    dataOf(await call('POST', '/v0/api-keys', { scopes: given })).key as string
  dataOf(await put(good, { key: await keyWith(scopes) }))
  const developer = await keyWith(['webhooks:read', 'webhooks:write', 'api_keys:read', 'api_keys:write'])
  for (const method of ['PUT', 'DELETE'] as const) {
    const body = method === 'PUT' ? good : undefined
    assertError(await call(method, '/v0/sign-in', body, { key: developer }), 403, 'insufficient_scope')
  }
  assert.equal((await call('GET', '/v0/sign-in')).status, 200)
})

test('400 an issuer that is no https URL, with a query, or on an address that is not public', async () => {
  for (const url of [
    'login.example.com',
    'ftp://login.example.com',
    'http://login.example.com',
    'https://me:secret@login.example.com',
    'https://login.example.com?tenant=1',
    'https://login.example.com#x',
    'https://10.0.0.1',
    'https://169.254.169.254/latest',
    'https://issuer.internal',
    'https://login.example.com:25',
  ])
    assertError(await put({ ...good, issuer: url }), 400, 'invalid_issuer', { param: 'issuer' })
})

test('400 roles that do not exist, no roles at all, scopes without openid', async () => {
  assertError(await put({ ...good, roles: { claim: 'groups', values: { a: 'owner' } } }), 400, 'invalid_value')
  assertError(await put({ ...good, roles: { claim: 'groups', values: {} } }), 400, 'invalid_length')
  assertError(await put({ ...good, roles: { claim: '', values: { a: 'admin' } } }), 400, 'invalid_length')
  assertError(await put({ issuer: issuer.url, clientId: 'x' }), 400, 'missing_field', { param: 'roles' })
  assertError(await put({ ...good, scope: 'profile email' }), 400, 'invalid_format', { param: 'scope' })
  assertError(await put({ ...good, password: 'x' }), 400, 'unknown_field', { param: 'password' })
})

test('422 an issuer that is away, names another, or is not usable; and the one before stays', async () => {
  const { apiKey: key } = await world.otherBusiness()
  dataOf(await put(good, { key }))
  await using other = await startTestIssuer()
  const refused = async (code: ErrorCode) => assertError(await put({ ...good, issuer: other.url }, { key }), 422, code)
  other.lies.metadata = (honest) => ({ ...honest, issuer: 'https://login.example.com' })
  await refused('sign_in_issuer_mismatch')
  other.lies.metadata = (honest) => ({ ...honest, token_endpoint: undefined })
  await refused('sign_in_issuer_unusable')
  other.away(true)
  await refused('sign_in_issuer_unreachable')
  assert.equal(dataOf(await call('GET', '/v0/sign-in', undefined, { key })).issuer, issuer.url)
})
