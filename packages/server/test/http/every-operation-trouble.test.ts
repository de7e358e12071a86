// The matrix when the service has problems: too many requests, an internal failure, an unavailable database. Every
// operation reports it as openapi.json declares, reveals no internals, and recovers automatically.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { FixedLimits } from '../../src/platform/config.ts'
import { catalogue } from '../../src/platform/errors.ts'
import { openClient } from '../../src/platform/postgres/client.ts'
import { assertDeclared, assertError, type Operation, operations, until } from '../caller.ts'
import { openWorld } from '../world.ts'
import { edgeServer } from './edge-server.ts'
import { bodyOf, credentialOf, pathOf, realNames, sender } from './operation-matrix.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const names = await realNames(world)
const send = sender(world, names)
const { apiKey } = world.business
const { secret: adminSecret } = world.operator
const ofOperator = operations.filter(({ auth }) => auth === 'operator')

/** A second server on the same database, with other settings. */
function secondServer(env: Record<string, string>, limits: Partial<FixedLimits> = {}) {
  const { deploymentSecrets, providerUrl } = world.inside.config
  return edgeServer({
    database: world.database,
    limits,
    env: {
      DEPLOYMENT_SECRET: deploymentSecrets.join(),
      ADMIN_SECRET: adminSecret,
      PROVIDER_KIND: 'sandbox',
      PROVIDER_URL: providerUrl,
      ...env,
    },
  })
}

describe('429', async () => {
  const env = { RATE_LIMIT_REQUESTS: '1', RATE_LIMIT_WINDOW_SECONDS: '600' }
  const server = await secondServer(env, { failedAuthPerMinute: 1 })
  after(() => server.stop())
  const bearer = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } })
  await server.call('GET', '/v0/whoami', undefined, bearer(apiKey))
  const guessed = 'a'.repeat(30)
  for (let guess = 0; guess < 2; guess++) await server.call('GET', '/v0/customers', undefined, bearer(guessed))

  for (const operation of operations.filter(({ auth }) => auth !== 'none')) {
    test(`429 ${operation.id}: told how long to wait, and what the limit is`, async () => {
      // The right operator secret always passes; after too many guesses, a caller has to wait.
      const credential = operation.auth === 'operator' ? guessed : credentialOf(world, operation)
      const options = bearer(credential ?? '')
      const answer = await server.call(operation.method, pathOf(operation, names), bodyOf(operation, names), options)
      assertDeclared(operation, answer)
      assertError(answer, 429, 'rate_limited')
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      if (operation.auth === 'operator') return
      assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=1;w=600')
      assert.match(answer.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/)
    })
  }
})

describe('500', async () => {
  const server = await secondServer({})
  after(() => server.stop())
  const { db } = world.inside
  const tables = [
    ...[
      'requests',
      'console_links',
      'staff',
      'onboarding_links',
      'brandings',
      'sign_in_issuers',
      'end_users',
      'virtual_accounts',
      'deposits',
      'information_requests',
      'webhook_endpoints',
      'events',
      'deliveries',
      'replays',
      'audit_log',
      'event_work',
      'event_pull',
      'alert_channels',
      'alerts',
      'alert_messages',
    ],
  ]
  /** Reads the catalogue of PostgreSQL alone. */
  const ofNoTable = 'getStorageStatus'
  const beyondBusinesses = [
    'getProviderStatus',
    'getRelayStatus',
    'listHeldEvents',
    'listAllInformationRequests',
    'getHeldEvent',
    'retryHeldEvent',
    'listOperatorStaff',
    'signOutOperatorStaff',
    'revokeCustomerApiKey',
    ...ofOperator.map(({ id }) => id).filter((id) => id.includes('Alert')),
    ofNoTable,
  ]
  // These read nothing but who is calling, or nothing but businesses.
  const ofBusinessesOnly = new Set([
    'whoAmI',
    'getCapabilities',
    'getKycRequirements',
    'getSandboxClock',
    'moveSandboxClock',
    'listSandboxFaults',
    'addSandboxFault',
    'clearSandboxFaults',
    ...ofOperator.map(({ id }) => id).filter((id) => !beyondBusinesses.includes(id)),
  ])

  async function fails(operation: Operation): Promise<void> {
    server.deps.apiKeyCache.forget() // who calls is looked up, and not remembered from before
    const credential = credentialOf(world, operation)
    const answer = await server.call(operation.method, pathOf(operation, names), bodyOf(operation, names), {
      headers: credential === null ? {} : { authorization: `Bearer ${credential}` },
    })
    assertDeclared(operation, answer)
    assertError(answer, 500, 'internal_error')
    assert.equal(answer.body.error.message, catalogue.internal_error.message)
    for (const inner of ['_gone', 'relation', 'column', 'select', 'PostgreSQL', '42P01', '.ts'])
      assert.ok(!answer.text.includes(inner), inner)
    const requestId = answer.headers.get('x-request-id')
    const line = server.log.find((entry) => entry['requestId'] === requestId && entry['message'] === 'unexpected error')
    assert.match(JSON.stringify(line), /PostgreSQL error 42/)
  }

  test('500 every operation whose table is gone: nothing inside is told, the log has it under the request id', async () => {
    const move = (changes: string[]) =>
      db.transaction(async (tx) => {
        for (const change of changes) await tx.unsafe(`alter table ${change}`)
      })
    await move([
      ...tables.map((name) => `${name} rename to ${name}_gone`),
      'api_keys rename last_four to last_four_gone',
    ])
    try {
      for (const operation of operations)
        if (!ofBusinessesOnly.has(operation.id) && operation.id !== ofNoTable) await fails(operation)
    } finally {
      await move([
        ...tables.map((name) => `${name}_gone rename to ${name}`),
        'api_keys rename last_four_gone to last_four',
      ])
    }
    await move(['businesses rename to businesses_gone'])
    try {
      for (const operation of operations) if (ofBusinessesOnly.has(operation.id)) await fails(operation)
    } finally {
      await move(['businesses_gone rename to businesses'])
    }
    assert.equal((await world.business.call('GET', '/v0/whoami')).status, 200)
  })
})

test('503 every operation while the database is away; then all goes on by itself', async () => {
  const { database } = world.database
  const { query: admin, close } = await openClient(
    { ...world.database, database: 'postgres' },
    { applicationName: 'test' },
  )
  try {
    await admin.unsafe(`alter database ${database} allow_connections false`)
    await until('no connection', async () => {
      const cut = await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`
      return cut.length === 0
    })
    world.inside.apiKeyCache.forget() // for a second who calls would be remembered
    for (const operation of operations) {
      const answer = await send(operation)
      assertError(answer, 503, 'database_unavailable')
      assert.ok(Number(answer.headers.get('retry-after')) > 0, operation.id)
    }
    assert.equal((await fetch(`${world.url}/healthz`)).status, 200)
    assert.equal((await fetch(`${world.url}/readyz`)).status, 503)
  } finally {
    await admin.unsafe(`alter database ${database} allow_connections true`)
    await close()
  }
  await until('the database', async () => (await world.business.call('GET', '/v0/whoami')).status === 200)
  assert.equal((await fetch(`${world.url}/readyz`)).status, 200)
})
