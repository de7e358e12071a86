// Configurations that live mode refuses. test/cli-mistakes.test.ts checks the exit code 78.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ConfigError } from './config.ts'
import { foreignProblems, parseConfig } from './settings.ts'

const random = () => randomBytes(32).toString('base64')
const good = {
  CAUSEWAY_MODE: 'live',
  PUBLIC_URL: 'https://api.example.com',
  DEPLOYMENT_SECRET: random(),
  ADMIN_SECRET: random(),
  PROVIDER_URL: 'https://provider.example.com/v0',
  PROVIDER_API_KEY: 'sk-live-x',
}

function problemsOf(changes: Record<string, string>): readonly string[] {
  try {
    parseConfig({ ...good, ...changes })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('live mode takes https to the provider, random secrets and a public address', () => {
  assert.deepEqual(problemsOf({}), [])
  assert.deepEqual(
    problemsOf({ DEPLOYMENT_SECRET: `${random()},${'ab'.repeat(20)}` }),
    [],
    'the old one is on its way out',
  )
})

for (const [changes, setting] of [
  [{ DEPLOYMENT_SECRET: 'a'.repeat(40) }, 'DEPLOYMENT_SECRET'],
  [{ DEPLOYMENT_SECRET: `${'a'.repeat(40)},${random()}` }, 'DEPLOYMENT_SECRET'],
  [{ ADMIN_SECRET: 'b'.repeat(40) }, 'ADMIN_SECRET'],
  [{ ADMIN_SECRET: 'correct-password-of-the-admin' }, 'ADMIN_SECRET'],
  [{ PUBLIC_URL: '' }, 'PUBLIC_URL'],
  [{ PROVIDER_URL: 'http://provider.example.com/v0' }, 'PROVIDER_URL'],
  [{ PROVIDER_URL: 'http://10.0.0.7/v0' }, 'PROVIDER_URL'],
  [{ PROVIDER_URL: 'http://localhost.example.com/v0' }, 'PROVIDER_URL'],
] as const) {
  test(`live mode refuses ${JSON.stringify(changes).slice(0, 70)}, and sandbox mode does not`, () => {
    const problems = problemsOf(changes)
    assert.equal(problems.length, 1, problems.join())
    assert.match(problems[0] ?? '', new RegExp(`^${setting} `))
    assert.deepEqual(problemsOf({ ...changes, CAUSEWAY_MODE: 'sandbox' }), [])
  })
}

for (const PROVIDER_URL of ['http://127.0.0.1:8081/v0', 'http://localhost:8081/v0', 'http://[::1]:8081/v0'])
  test(`live mode takes ${PROVIDER_URL}: nothing of it leaves the machine`, () => {
    assert.deepEqual(problemsOf({ PROVIDER_URL }), [])
  })

for (const value of ['0', '257', '1.5', 'many'])
  test(`WEBHOOK_CONCURRENCY ${value} is refused: 1 to 256 deliveries are in flight to an endpoint`, () => {
    assert.match(problemsOf({ WEBHOOK_CONCURRENCY: value })[0] ?? '', /^WEBHOOK_CONCURRENCY .*1.*256/)
    assert.deepEqual(problemsOf({ WEBHOOK_CONCURRENCY: '256' }), [])
  })

test('REDIS_URL names a server, or Sentinels and their master', () => {
  assert.deepEqual(problemsOf({ REDIS_URL: 'redis+sentinel://10.0.0.1,10.0.0.2,10.0.0.3/mymaster' }), [])
  const [problem] = problemsOf({ REDIS_URL: 'redis+sentinel://10.0.0.1:26379' })
  assert.match(problem ?? '', /REDIS_URL must .* redis\+sentinel:\/\/host:26379,host:26379\/mymaster/)
})

test('the address of the database may name several hosts; one that cannot work is told without the address', () => {
  const urlOf = (attributes: string) => `postgresql://u:hunter2@a:5432,b/db?target_session_attrs=${attributes}`
  const environment = { ...good, DATABASE_URL: urlOf('read-write') }
  assert.equal(parseConfig(environment).databaseUrl, environment.DATABASE_URL)
  const [problem = '', ...others] = problemsOf({ DATABASE_URL: urlOf('standby') })
  assert.match(problem, /^DATABASE_URL must not have target_session_attrs=standby: every replica writes/)
  assert.deepEqual(others, [])
})

test('the direct address of the database stands beside that of a pooler, never alone', () => {
  const addresses = { DATABASE_URL: 'postgres://pooler/db', DATABASE_DIRECT_URL: 'postgres://a,b/db' }
  assert.deepEqual(problemsOf(addresses), [])
  assert.match(
    String(problemsOf({ DATABASE_DIRECT_URL: 'postgres://a/db' })),
    /^DATABASE_DIRECT_URL is set and DATABASE/,
  )
  assert.match(String(problemsOf({ ...addresses, DATABASE_DIRECT_URL: 'a' })), /^DATABASE_DIRECT_URL must be a URL/)
})

test('a setting of another provider is refused where it is set, and names both', () => {
  const table = {
    any: { name: 'ANY' },
    first: { name: 'FIRST', kinds: ['first'] },
    both: { name: 'BOTH', kinds: ['first', 'second'] },
    others: { name: 'OTHERS', kinds: ['third', 'fourth'] },
  }
  const env = { ANY: 'x', FIRST: 'x', BOTH: 'x', OTHERS: 'x' }
  assert.deepEqual(foreignProblems(table, env, 'second'), [
    'FIRST is set, but is only for the provider first: the provider is second',
    'OTHERS is set, but is only for the provider third or fourth: the provider is second',
  ])
  assert.deepEqual(foreignProblems(table, { FIRST: ' ', OTHERS: '' }, 'second'), [], 'an empty value counts as not set')
  assert.deepEqual(problemsOf({ KYC_ENDORSEMENTS: 'base' }), [])
})

const signIn = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'causeway',
  OIDC_ROLES: '{"claim":"groups","values":{"ops":"admin"}}',
}

test('the sign-in of the operator’s staff takes an issuer, a client and roles', () => {
  assert.deepEqual(problemsOf(signIn), [])
  assert.deepEqual(problemsOf({ ...signIn, OIDC_CLIENT_SECRET: 'x', OIDC_SCOPE: 'openid  offline_access' }), [])
  assert.deepEqual(problemsOf({ ...signIn, OIDC_ISSUER: 'http://127.0.0.1:9000' }), [])
})

for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_ROLES'])
  test(`${name} must not be missing where the others are set`, () => {
    const problems = problemsOf({ ...signIn, OIDC_CLIENT_SECRET: 'x', [name]: '' })
    assert.equal(problems.length, 1, problems.join())
    assert.match(problems[0] ?? '', new RegExp(`^${name} is not set, but OIDC_`))
  })

for (const [changes, rule] of [
  [{ OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER must use https$/],
  [{ OIDC_ISSUER: 'https://me:secret@login.example.com' }, /^OIDC_ISSUER must be the URL/],
  [{ OIDC_ISSUER: 'https://login.example.com/?a=b' }, /^OIDC_ISSUER must be the URL/],
  [{ OIDC_ISSUER: 'login.example.com' }, /^OIDC_ISSUER must be the URL/],
  [{ OIDC_ROLES: '{"claim":"groups","values":{"ops":"finance"}}' }, /^OIDC_ROLES must be JSON .*only the roles admin/],
  [{ OIDC_SCOPE: 'profile email' }, /^OIDC_SCOPE must be names of scopes/],
] as const)
  test(`the sign-in refuses ${JSON.stringify(changes)}`, () => {
    const problems = problemsOf({ ...signIn, ...changes })
    assert.equal(problems.length, 1, problems.join())
    assert.match(problems[0] ?? '', rule)
  })
