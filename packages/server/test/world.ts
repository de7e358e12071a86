// The local environment of the tests: the one that `causeway dev` starts, with free ports and a separate database. No
// part is mocked: a real listener, PostgreSQL, the sandbox provider over HTTP. Files of one process with the same plan
// share an environment, one file after the other; each has its own business in it.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type World as LocalWorld, startWorld } from '../../cli/src/world/world.ts'
import type { SandboxOptions } from '../../sandbox/src/app/sandbox.ts'
import type { Running } from '../src/app/services.ts'
import { type RunningServer, startServer } from '../src/main.ts'
import type { Config, FixedLimits } from '../src/platform/config.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { metrics } from '../src/platform/observe/metrics.ts'
import type { ConnectionOptions } from '../src/platform/postgres/client.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import type { Row } from '../src/platform/postgres/query.ts'
import { createProvider, type ProviderClient } from '../src/provider/adapters.ts'
import { type Business, businessOf, type Subscriber, subscribed } from './business.ts'
import { type Answer, type Call, callerOf, dataOf, until } from './caller.ts'
import { canaryPrefix } from './canary-search.ts'
import { emulate, emulateInProcess, type Provider, type ProviderIds, providerOf } from './provider.ts'
import { createProviderSigner, type ProviderSigner } from './provider-signer.ts'
import type { Receiver } from './receiver.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'

export type WorldPlan = {
  /** Settings by their environment names. */
  env?: Readonly<Record<string, string>>
  /** A world that no other file uses, for a test that stops, floods or measures it. */
  alone?: true
  limits?: Partial<FixedLimits>
  sandbox?: SandboxOptions
  /** The emulator is a process, which can be frozen. */
  provider?: 'process'
  /** Where to create its database, instead of in that of the tests. */
  cluster?: ConnectionOptions
}

export type World = {
  url: string
  /** The business of this file. */
  business: Business
  operator: { secret: string; call: Call }
  provider: Provider
  /** Signs events as the provider does. */
  signer: ProviderSigner
  /** Lines. */
  log: readonly string[]
  database: ConnectionOptions
  /** The facts that `causeway dev` writes into its state folder, about the business of this file. */
  facts: LocalWorld['facts']
  /** The webhook URL of the business of this file, as long as the test sets no other: an inbox of the emulator. */
  inboxUrl: string
  signingSecret: string
  server: Omit<RunningServer, 'deps'>
  /** The parts of the server in this process, for checks that neither HTTP nor SQL allows. */
  inside: Running
  otherBusiness(name?: string): Promise<Business>
  /** Creates another business with one end-user, and a receiver at its webhook URL. */
  subscriber(reply?: Receiver['reply']): Promise<Subscriber>
  /** Starts another server on the same database. */
  replica(plan?: ReplicaPlan): Promise<Replica>
  /** Posts an event as the provider sends it; with `signed: false`, as anyone could. A string or buffer is sent as it is. */
  post(event: unknown, options?: { signed?: boolean; at?: string }): Promise<Answer>
  /** Queries the database behind the API, even while no server runs. */
  rows<T extends object = Row>(sql: TemplateStringsArray, ...values: unknown[]): Promise<T[]>
  /** Finds the provider's IDs of an account and of its owner's customer. */
  providerIdsOf(accountId: string): Promise<ProviderIds>
  /** Waits until a request holds this Idempotency-Key. */
  keyHeld(key: string): Promise<void>
  /** Expires every lease, as if its holder had been gone for long enough. */
  leasesEnd(): Promise<void>
  stop(): Promise<void>
}

export type ReplicaPlan = {
  config?: Partial<Config>
  database?: ConnectionOptions
  log?: (line: string) => void
  /** Makes the replica's provider from the adapter of the world, e.g. without a part. */
  adapt?: (made: ProviderClient) => ProviderClient
}
export type Replica = AsyncDisposable & Omit<RunningServer, 'deps'> & { inside: Running }

/** The one place that knows how a running server hands out its parts. */
const insideOf = ({ deps }: RunningServer): Running => deps

/** Settings whose defaults the tests of other things would meet; each has its own tests. */
const quiet = {
  DATABASE_POOL_MAX: '10',
  // Tests look often: on a quick machine more often than a caller may.
  RATE_LIMIT_REQUESTS: '1000000',
  // Reconciliation at the provider uses up faults, and finds what a test means to post first, or has made up.
  RECONCILE_PERIOD_SECONDS: '0',
}

/** Tests refuse more events a minute than the limit of an address allows. */
const generous: Partial<FixedLimits> = { businessKycSubmissionsPerMinute: 1_000_000, failedAuthPerMinute: 100_000 }

/** The port of a pooler in transaction mode, by which the servers of the tests reach their database: `npm run proof:pgbouncer`. */
const pooler = process.env['CAUSEWAY_TEST_POOLER']

function addressesBy(port: string, { host, port: directPort, username, password, database }: ConnectionOptions) {
  const urlOf = (place: string) => `postgres://${username}:${encodeURIComponent(password)}@${place}/${database}`
  return {
    DATABASE_URL: urlOf(`127.0.0.1:${port}`),
    DATABASE_DIRECT_URL: urlOf(`${host}:${directPort}`),
    DEPLOYMENT_SECRET: 'a-deployment-secret-of-the-tests-alone',
    ADMIN_SECRET: 'an-admin-secret-of-the-tests',
  }
}

/** One for all worlds of a process: to create a key takes as long as to start a server. */
let providerSigner: ProviderSigner | null = null

type Place = { world: Promise<World>; users: number }
const shared = new Map<string, Place>()
let isKept = false

export async function openWorld({ alone, ...plan }: WorldPlan = {}): Promise<World> {
  if (alone) return await start(plan)
  const name = JSON.stringify(plan)
  const place = shared.get(name) ?? { world: start(plan), users: 0 }
  shared.set(name, place)
  place.users += 1
  const world = await place.world
  const business = await world.otherBusiness('My business')
  const { signingSecret } = dataOf(await business.call('PUT', '/v0/webhook-url', { webhookUrl: world.inboxUrl }))
  return {
    ...world,
    business,
    facts: { ...world.facts, customerId: business.id, apiKey: business.apiKey },
    signingSecret,
    async stop() {
      await world.provider.recovers()
      place.users -= 1
      if (place.users > 0 || isKept) return
      shared.delete(name)
      await world.stop()
    },
  }
}

/**
 * Keeps shared worlds open until the end of the process.
 * @returns stops them all
 */
export function keepSharedWorlds(): () => Promise<void> {
  isKept = true
  return async () => {
    for (const { world } of shared.values()) await (await world).stop()
  }
}

async function start({ env = {}, limits = {}, sandbox = {}, provider: kind, cluster }: WorldPlan): Promise<World> {
  providerSigner ??= createProviderSigner()
  const signer = providerSigner
  const home = await mkdtemp(join(tmpdir(), 'causeway-world-'))
  const database = await testDatabase(cluster)
  const log: string[] = []
  const leave = async () => {
    await database.drop()
    await rm(home, { recursive: true, force: true })
  }
  const poolerPort = cluster ? undefined : pooler
  const local = await startWorld({
    home,
    port: 0,
    sandboxPort: 0,
    ...(poolerPort === undefined && { database: database.connection }),
    env: {
      ...quiet,
      ...(poolerPort !== undefined && addressesBy(poolerPort, database.connection)),
      PROVIDER_WEBHOOK_PUBLIC_KEYS: signer.publicKey,
      PROVIDER_CUSTOMER_TIMEOUT_MS: env['PROVIDER_TIMEOUT_MS'] ?? '10000',
      ...env,
    },
    limits: { ...generous, ...limits },
    log: createLog('info', (line) => log.push(line)),
    emulator: kind === 'process' ? emulateInProcess(sandbox) : emulate(sandbox),
  }).catch(async (error: unknown) => {
    await leave() // or its connection keeps the process from ending
    throw error
  })
  return worldOf(local, { database, signer, log, leave })
}

type Parts = { database: TestDatabase; signer: ProviderSigner; log: string[]; leave(): Promise<void> }

function worldOf(local: LocalWorld, { database, signer, log, leave }: Parts): World {
  const { facts, server } = local
  const { baseUrl: url, adminSecret: secret } = facts
  const inside = insideOf(server)
  let direct: ReturnType<typeof openDatabase> | null = null
  const rows: World['rows'] = async <T extends object>(sql: TemplateStringsArray, ...values: unknown[]) => {
    direct ??= openDatabase(database.connection, { poolMax: 2, applicationName: 'test' })
    return [...(await direct.read((query) => query<T[]>(sql, ...values)))]
  }
  const provider = providerOf(local.sandbox, async (externalUserId) => {
    const [user] = await rows<{ id: string }>`
      select provider_customer_id as id from end_users where external_user_id = ${externalUserId}`
    return user?.id ?? assert.fail(`${externalUserId} has no customer`)
  })
  const operator = { secret, ...callerOf(url, secret) }
  const otherBusiness: World['otherBusiness'] = async (name = 'Another business') => {
    const { id } = dataOf(await operator.call('POST', '/v0/customers', { name }))
    const { key: apiKey } = dataOf(await operator.call('POST', `/v0/customers/${id}/api-keys`, { name: 'First key' }))
    return businessOf({ url, id, apiKey, provider })
  }
  return {
    url,
    facts,
    operator,
    provider,
    signer,
    log,
    server,
    inside,
    rows,
    otherBusiness,
    inboxUrl: local.inboxUrl,
    signingSecret: local.signingSecret,
    database: database.connection,
    business: businessOf({ url, id: facts.customerId, apiKey: facts.apiKey, provider }),
    subscriber: async (reply) => subscribed(await otherBusiness(), reply),
    async replica({ config = {}, database: connection = database.connection, log: write = () => {}, adapt } = {}) {
      const started = await startServer(
        { ...inside.config, port: 0, ...config },
        createLog('warn', write),
        connection,
        'all',
        adapt && ((given, log) => adapt(createProvider(given, log))),
      )
      return { ...started, inside: insideOf(started), [Symbol.asyncDispose]: started.stop }
    },
    post(event, { signed = true, at = url } = {}) {
      const raw = typeof event === 'string' || Buffer.isBuffer(event) ? event : JSON.stringify(event)
      const headers: Record<string, string> = signed ? { 'x-webhook-signature': signer.sign(raw) } : {}
      return callerOf(at, null).call('POST', '/v0/webhooks/provider', undefined, { raw, headers })
    },
    async providerIdsOf(accountId) {
      const [ids] = await rows<ProviderIds>`
        select u.provider_customer_id as customer, v.provider_virtual_account_id as account
        from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id
        where v.id = ${accountId}`
      if (!ids) throw new Error('no such account')
      return ids
    },
    async keyHeld(key) {
      const look = () => rows`select 1 from idempotency_keys where key = ${key}`
      await until(`a request that holds ${key}`, async () => (await look()).length > 0)
    },
    async leasesEnd() {
      await rows`update idempotency_keys set lease_until = now() where status is null`
      await rows`update operations set lease_until = now() where state = 'running'`
    },
    async stop() {
      const counted = await metrics.metrics() // `/metrics` may be a second old
      await direct?.close()
      await local.stop()
      const leaks = [counted, ...log].filter((text) => text.includes(canaryPrefix))
      await leave()
      if (leaks.length > 0) throw new Error(`identity data was logged or counted: ${leaks[0]}`)
    },
  }
}
