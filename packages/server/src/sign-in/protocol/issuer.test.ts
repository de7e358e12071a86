// Each check of the protocol, against an issuer that can be dishonest.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT, UnsecuredJWT } from 'jose'
import { type Lies, startTestIssuer, type TestIssuer } from '../../../test/sign-in/test-issuer.ts'
import { authorizationUrl, type Checks, GrantEnded, redeemCode, refreshPerson } from './code-flow.ts'
import { discoverIssuer, type Issuer, IssuerFailed, type IssuerSettings } from './discovery.ts'
import { isAway } from './failures.ts'
import { endSessionUrl, readLogoutToken } from './logout.ts'

const settingsFor = (issuer: string): IssuerSettings => ({
  businessId: 'biz_1',
  issuer,
  clientId: 'causeway',
  clientSecret: 'secret of the client',
  roles: { claim: 'groups', values: { admins: 'admin', money: 'finance' } },
  scope: 'openid profile email',
  addresses: 'public_or_loopback',
  version: '1',
})

const redirectUri = 'http://127.0.0.1:8080/console/sign-in/callback/biz_1'
const texts = (name: string) => createHash('sha256').update(name).digest('base64url')
const checks: Checks = {
  state: texts('state'),
  nonce: texts('nonce'),
  verifier: texts('verifier'),
  maxAgeSeconds: null,
}

/** Goes to the issuer as a browser does. @returns the address that the issuer sends the browser to */
async function visit(issuer: Issuer, given: Checks = checks): Promise<URL> {
  const response = await fetch(await authorizationUrl(issuer, redirectUri, given), { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? assert.fail('no redirect'))
}

const discover = (server: TestIssuer, changes: Partial<IssuerSettings> = {}) =>
  discoverIssuer({ ...settingsFor(server.url), ...changes })

test('a person signs in, with roles, name and the time of the sign-in', async () => {
  await using server = await startTestIssuer({
    sub: 'ada',
    name: 'Ada',
    email: 'a@example.com',
    groups: ['money', 'admins', 'x'],
    sid: 's1',
  })
  const issuer = await discover(server)
  const person = await redeemCode(issuer, await visit(issuer), checks)
  const { authTime, refreshToken, ...rest } = person
  assert.deepEqual(rest, {
    subject: 'ada',
    name: 'Ada',
    email: 'a@example.com',
    roles: ['admin', 'finance'],
    sid: 's1',
  })
  assert.ok(authTime && Math.abs(authTime.getTime() - Date.now()) < 5_000)
  assert.equal(typeof refreshToken, 'string')
  assert.ok(!server.asked.includes('GET /userinfo'), 'the ID token has all that is needed')
})

test('a public client signs in without a secret', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server, { clientSecret: null })
  assert.equal((await redeemCode(issuer, await visit(issuer), checks)).subject, 'ada')
})

test('roles may come from the userinfo endpoint alone', async () => {
  await using server = await startTestIssuer({ sub: 'ada' })
  server.lies.userInfo = { sub: 'ada', name: 'Ada', groups: ['money'] }
  const issuer = await discover(server)
  const { roles, name } = await redeemCode(issuer, await visit(issuer), checks)
  assert.deepEqual([roles, name], [['finance'], 'Ada'])
  server.lies.userInfo = { sub: 'eve', name: 'Eve', groups: ['admins'] }
  await assert.rejects(redeemCode(issuer, await visit(issuer), checks), 'the userinfo of another person')
})

test('the claims of the ID token take precedence over those of the userinfo endpoint', async () => {
  await using server = await startTestIssuer({ sub: 'ada', groups: ['money'] })
  server.lies.userInfo = { sub: 'ada', name: 'Ada', groups: ['admins'] }
  const issuer = await discover(server)
  const { roles, name } = await redeemCode(issuer, await visit(issuer), checks)
  assert.deepEqual([roles, name], [['finance'], 'Ada'])
})

/** Changes of the issuer's response on its way through the browser. */
const changedResponses: Readonly<Record<string, (query: URLSearchParams) => void>> = {
  'another state': (query) => query.set('state', texts('other')),
  'no state': (query) => query.delete('state'),
  'two states': (query) => query.append('state', texts('other')),
  'another code': (query) => query.set('code', 'guessed'),
  'no code': (query) => query.delete('code'),
  'the response of another issuer': (query) => query.set('iss', 'https://login.example.com'),
  'a response without its issuer, which the metadata promises': (query) => query.delete('iss'),
  'an error': (query) => query.set('error', 'access_denied'),
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds
const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const lies: Readonly<Record<string, Lies>> = {
  'another nonce': { claims: (claims) => ({ ...claims, nonce: texts('other') }) },
  'no nonce': { claims: ({ nonce: _nonce, ...claims }) => claims },
  'an expired token': { claims: (claims) => ({ ...claims, exp: inSeconds(-60) }) },
  'a token without an end': { claims: ({ exp: _exp, ...claims }) => claims },
  'a token for another client': { claims: (claims) => ({ ...claims, aud: 'other' }) },
  'a token for two clients, issued to the other': {
    claims: (claims) => ({ ...claims, aud: ['causeway', 'other'], azp: 'other' }),
  },
  'a token of another issuer': { claims: (claims) => ({ ...claims, iss: 'https://login.example.com' }) },
  'a token without a person': { claims: ({ sub: _sub, ...claims }) => claims },
  'a subject that the database cannot store': { claims: (claims) => ({ ...claims, sub: 'a\u0000b' }) },
  'a token that a foreign key signed': { isForged: true },
  'a token with changed claims': {
    idToken(signed) {
      const [header, , signature] = signed.split('.')
      const changed = JSON.stringify({ ...payloadOf(signed), groups: ['admins', 'money'] })
      return [header, Buffer.from(changed).toString('base64url'), signature].join('.')
    },
  },
  'a token without a signature': { idToken: (signed) => new UnsecuredJWT(payloadOf(signed)).encode() },
  'no token': { idToken: () => undefined },
}

for (const [name, change] of Object.entries(changedResponses))
  test(`a sign-in ends with ${name}`, async () => {
    await using server = await startTestIssuer()
    const issuer = await discover(server)
    const callback = await visit(issuer)
    change(callback.searchParams)
    await assert.rejects(redeemCode(issuer, callback, checks), (error) => !isAway(error))
    assert.deepEqual(server.asked.includes('POST /token'), name === 'another code')
  })

test('a sign-in ends at the redirect URI of another business', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  const callback = await visit(issuer)
  callback.pathname = callback.pathname.replace('biz_1', 'biz_2')
  await assert.rejects(redeemCode(issuer, callback, checks), (error) => !isAway(error))
})

for (const [name, lie] of Object.entries(lies))
  test(`a sign-in ends with ${name}`, async () => {
    await using server = await startTestIssuer()
    const issuer = await discover(server)
    Object.assign(server.lies, lie)
    await assert.rejects(redeemCode(issuer, await visit(issuer), checks), (error) => !isAway(error))
    for (const member of Object.keys(lie)) delete server.lies[member as keyof Lies]
    assert.equal((await redeemCode(issuer, await visit(issuer), checks)).subject, 'ada', 'only the lie was refused')
  })

test('a token that is signed with the secret of the client is refused: everybody with the secret could sign in', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  const callback = await visit(issuer)
  const claims = {
    iss: server.url,
    aud: 'causeway',
    sub: 'ada',
    iat: inSeconds(0),
    exp: inSeconds(300),
    nonce: checks.nonce,
  }
  const signed = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from('secret of the client'))
  server.lies.idToken = () => signed
  await assert.rejects(redeemCode(issuer, callback, checks))
})

test('a code works once, and only with the verifier of its attempt', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  const callback = await visit(issuer)
  await redeemCode(issuer, callback, checks)
  await assert.rejects(redeemCode(issuer, callback, checks), /invalid_grant|error/)
  const second = await visit(issuer)
  await assert.rejects(redeemCode(issuer, second, { ...checks, verifier: texts('other') }))
})

test('a fresh sign-in is refused if the person signed in too long ago, or if the issuer does not say when', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  const fresh = { ...checks, maxAgeSeconds: 300 }
  assert.ok((await authorizationUrl(issuer, redirectUri, fresh)).searchParams.get('max_age') === '300')
  assert.equal((await redeemCode(issuer, await visit(issuer, fresh), fresh)).subject, 'ada')
  server.lies.claims = (claims) => ({ ...claims, auth_time: inSeconds(-400) })
  await assert.rejects(redeemCode(issuer, await visit(issuer, fresh), fresh))
  server.lies.claims = ({ auth_time: _at, ...claims }) => claims
  await assert.rejects(redeemCode(issuer, await visit(issuer, fresh), fresh))
})

/** Metadata that cannot be trusted or used, each with its reason. */
const metadata = {
  'the name of another issuer': ['mismatch', { issuer: 'https://login.example.com' }],
  'a name for all tenants': ['mismatch', { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }],
  'no authorization endpoint': ['unusable', { authorization_endpoint: undefined }],
  'no token endpoint': ['unusable', { token_endpoint: undefined }],
  'no keys': ['unusable', { jwks_uri: undefined }],
  'an endpoint without TLS': ['unusable', { token_endpoint: 'http://login.example.com/token' }],
  'a sign-in page that is a script': ['unusable', { authorization_endpoint: 'javascript:alert(1)' }],
  'no code flow': ['unusable', { response_types_supported: ['id_token'] }],
  'PKCE without S256': ['unusable', { code_challenge_methods_supported: ['plain'] }],
} as const

for (const [name, [reason, changes]] of Object.entries(metadata))
  test(`metadata with ${name} is ${reason}`, async () => {
    await using server = await startTestIssuer()
    server.lies.metadata = (honest) => ({ ...honest, ...changes })
    await assert.rejects(discover(server), (error) => error instanceof IssuerFailed && error.reason === reason)
  })

test('metadata without methods of PKCE is accepted', async () => {
  await using server = await startTestIssuer()
  server.lies.metadata = ({ code_challenge_methods_supported: _methods, ...honest }) => honest
  const issuer = await discover(server)
  assert.equal((await redeemCode(issuer, await visit(issuer), checks)).subject, 'ada')
})

test('an issuer that is away, or on an address that is not allowed, is unreachable', async () => {
  await using server = await startTestIssuer()
  const isUnreachable = (error: unknown) => error instanceof IssuerFailed && error.reason === 'unreachable'
  await assert.rejects(discover(server, { addresses: 'public' }), isUnreachable)
  const issuer = await discover(server)
  const callback = await visit(issuer)
  server.away(true)
  await assert.rejects(discover(server), isUnreachable)
  await assert.rejects(redeemCode(issuer, callback, checks), (error) => isAway(error))
})

test('a refresh returns the roles of now, and the next refresh token', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  server.change({ groups: ['money'] })
  const person = await refreshPerson(issuer, 'a refresh token', 'ada')
  assert.deepEqual(person.roles, ['finance'])
  assert.notEqual(person.refreshToken, 'a refresh token')
})

test('a refresh without an ID token reads the userinfo endpoint, and keeps the refresh token', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  server.lies.refresh = () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer' } })
  const person = await refreshPerson(issuer, 'a refresh token', 'ada')
  assert.deepEqual([person.roles, person.refreshToken], [['admin'], 'a refresh token'])
  server.lies.userInfo = { sub: 'eve', groups: ['admins'] }
  await assert.rejects(refreshPerson(issuer, 'a refresh token', 'ada'), 'the userinfo of another person')
})

test('a refresh ends with the grant, or if it returns another person; other errors may pass', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  const isEnd = (error: unknown) => error instanceof GrantEnded
  server.lies.refresh = () => ({ status: 400, body: { error: 'invalid_grant' } })
  await assert.rejects(refreshPerson(issuer, 'x', 'ada'), isEnd)
  delete server.lies.refresh
  await assert.rejects(refreshPerson(issuer, 'x', 'grace'), isEnd)
  for (const lie of [
    { status: 503, body: {} },
    { status: 400, body: { error: 'invalid_client' } },
  ]) {
    server.lies.refresh = () => lie
    await assert.rejects(refreshPerson(issuer, 'x', 'ada'), (error) => !isEnd(error))
  }
  delete server.lies.refresh
  server.lies.isForged = true
  await assert.rejects(refreshPerson(issuer, 'x', 'ada'), (error) => !isEnd(error))
})

test('a logout token names a session, or all of a person', async () => {
  await using server = await startTestIssuer()
  const issuer = await discover(server)
  assert.deepEqual(await readLogoutToken(issuer, await server.logoutToken('causeway')), { subject: 'ada' })
  assert.deepEqual(await readLogoutToken(issuer, await server.logoutToken('causeway', { sid: 's1' })), { sid: 's1' })
  const untyped = await server.logoutToken('causeway', {}, {})
  assert.deepEqual(await readLogoutToken(issuer, untyped), { subject: 'ada' })
})

const logoutTokens: Readonly<Record<string, (server: TestIssuer) => Promise<string>>> = {
  'for another client': (server) => server.logoutToken('other'),
  'of another issuer': (server) => server.logoutToken('causeway', { iss: 'https://login.example.com' }),
  'of long ago': (server) => server.logoutToken('causeway', { iat: inSeconds(-200), exp: inSeconds(60) }),
  'of the future': (server) => server.logoutToken('causeway', { iat: inSeconds(120), exp: inSeconds(240) }),
  'that has expired': (server) => server.logoutToken('causeway', { exp: inSeconds(-60) }),
  'without a time': (server) => server.logoutToken('causeway', { iat: undefined } as never),
  'with a nonce': (server) => server.logoutToken('causeway', { nonce: 'x' }),
  'without its event': (server) => server.logoutToken('causeway', { events: {} }),
  'with events that are a text': (server) => server.logoutToken('causeway', { events: 'backchannel-logout' }),
  'without a person': (server) => server.logoutToken('causeway', { sub: undefined } as never),
  'of another type': (server) => server.logoutToken('causeway', {}, { typ: 'at+jwt' }),
  'that a foreign key signed': (server) => {
    server.lies.isForged = true
    return server.logoutToken('causeway')
  },
  'that is an ID token': (server) =>
    server.sign({ iss: server.url, aud: 'causeway', sub: 'ada', iat: inSeconds(0), exp: inSeconds(60), jti: 'x' }),
  'that is no token': async () => 'no token',
}

for (const [name, make] of Object.entries(logoutTokens))
  test(`a logout token ${name} ends nothing`, async () => {
    await using server = await startTestIssuer()
    const issuer = await discover(server)
    const token = await make(server)
    await assert.rejects(readLogoutToken(issuer, token))
  })

test('the page that ends the session at the issuer gets the client and the way back, if there is one', async () => {
  await using server = await startTestIssuer()
  const url = new URL(endSessionUrl(await discover(server), 'https://pay.example.com/console/sign-in') ?? '')
  assert.equal(url.origin + url.pathname, `${server.url}/logout`)
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    client_id: 'causeway',
    post_logout_redirect_uri: 'https://pay.example.com/console/sign-in',
  })
  server.lies.metadata = ({ end_session_endpoint: _end, ...honest }) => honest
  assert.equal(endSessionUrl(await discover(server), 'https://pay.example.com/'), null)
})
