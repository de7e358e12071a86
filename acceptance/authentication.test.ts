// Specification, "Authentication"; contract, chapter 2. A service counts failed authentications by address: 20 a minute.

import assert from 'node:assert/strict'
import test from 'node:test'
import { adminSecret, apiKey, call, needsOperator, refusalOf, refuse, succeed, until } from './call.ts'
import * as people from './people.ts'

interface Key {
  readonly id: string
  readonly key: string
}

const createKey = (name: string, scopes?: string[]) =>
  succeed<Key>('POST', '/v0/api-keys', { body: { name, ...(scopes && { scopes }) } })

test('a key that is missing, malformed, unknown or sent by another scheme is refused', async () => {
  const refused: [code: string, authorization: string | null][] = [
    ['api_key_missing', null],
    ['api_key_malformed', 'Bearer svc_test_short'],
    ['wrong_auth_scheme', `Basic ${btoa(`${apiKey}:`)}`],
  ]
  for (const [code, authorization] of refused) {
    const options = { key: null, ...(authorization !== null && { headers: { authorization } }) }
    const reply = await call('GET', '/v0/whoami', options)
    refusalOf(401, code, reply)
    assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/)
  }
})

test('a key reads and writes only what its scopes allow', async () => {
  const { id, key } = await createKey('reader', ['end_users:read'])
  await succeed('GET', '/v0/end-users?limit=1', { key })
  const body = { externalUserId: people.newName('scope') }
  await refuse(403, 'insufficient_scope', 'POST', '/v0/end-users', { key, body })
  await refuse(403, 'insufficient_scope', 'GET', '/v0/events', { key })
  await refuse(404, 'holder_not_found', 'GET', people.pathOf(body.externalUserId))
  await succeed('DELETE', `/v0/api-keys/${id}`)
})

test('a request sent two seconds after its key was revoked is refused', async () => {
  const { id, key } = await createKey('revoked')
  await succeed('GET', '/v0/whoami', { key })
  await succeed('DELETE', `/v0/api-keys/${id}`)
  const revokedAt = performance.now()
  async function read() {
    const sentAfterMs = performance.now() - revokedAt
    return { sentAfterMs, reply: await call('GET', '/v0/whoami', { key }) }
  }
  const isRefused = ({ reply, sentAfterMs }: Awaited<ReturnType<typeof read>>) => {
    if (reply.status !== 401) assert.ok(sentAfterMs < 2_000)
    return reply.status === 401
  }
  refusalOf(401, 'api_key_invalid', (await until('the key is refused', read, isRefused)).reply)
})

test('a rolled key is replaced at once', async () => {
  const old = await createKey('rolled')
  const rolled = await succeed<Key>('POST', `/v0/api-keys/${old.id}/roll`, { body: { expiresInHours: 0 } })
  assert.notEqual(rolled.key, old.key)
  await succeed('GET', '/v0/whoami', { key: rolled.key })
  await until(
    'the old key is refused',
    () => call('GET', '/v0/whoami', { key: old.key }),
    ({ status }) => status === 401,
  )
  await succeed('DELETE', `/v0/api-keys/${rolled.id}`)
})

test('a business does not reach what is for the operator', async () => {
  await refuse(401, 'wrong_auth_scheme', 'GET', '/v0/customers')
})

test('the operator does not act as a business', { skip: needsOperator }, async () => {
  await succeed('GET', '/v0/customers', { key: adminSecret ?? '' })
  const { status } = await call('GET', '/v0/end-users', { key: adminSecret ?? '' })
  assert.equal(status, 401)
})

test('a response to a key says how much is left', async () => {
  const { headers } = await call('GET', '/v0/whoami')
  assert.ok(headers.get('ratelimit') && headers.get('ratelimit-policy'))
})
