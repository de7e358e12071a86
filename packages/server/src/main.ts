// The only composition root: configuration → database → services → HTTP and loops; and the shutdown.

import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { DocsSite } from './app/docs/site.ts'
import { type HostReplica, takeOverOnHost } from './app/host-replicas.ts'
import { createApp } from './app/http-server.ts'
import { createLoopRegistry, type Loops, notifyPeers, type Role } from './app/loops.ts'
import { beginStore, type GivenDatabase, type OpenStore } from './app/open-store.ts'
import { probeRoutes } from './app/routes.ts'
import type { Running } from './app/services.ts'
import { beginAudit } from './audit/log.ts'
import { ApiKeyCache } from './businesses/api-key-cache.ts'
import { LastUsedBuffer } from './businesses/last-used-buffer.ts'
import { RequestLogBuffer } from './businesses/requests/buffer.ts'
import { flushRequests } from './businesses/requests/service.ts'
import type { ConsoleSite } from './console/site.ts'
import { createGroupCommit } from './events/ingest/group-commit.ts'
import { LocalRelay } from './events/local-relay.ts'
import { createEventReaders } from './events/stream/readers.ts'
import type { OnboardingSite } from './onboarding/site.ts'
import { type Config, ConfigError, providerOf } from './platform/config.ts'
import { createSender } from './platform/guarded-http/sender.ts'
import type { App } from './platform/http/app.ts'
import { sharedRateLimits } from './platform/http/limits/rate-limit.ts'
import type { Redis } from './platform/http/limits/redis.ts'
import type { Log } from './platform/observe/log.ts'
import { metrics } from './platform/observe/metrics.ts'
import type { Database, Handlers } from './platform/postgres/database.ts'
import { Audience } from './platform/postgres/listening/audience.ts'
import { keysChannel, streamChannel } from './platform/postgres/notify.ts'
import { endWriter, requireDeploymentSecrets } from './platform/secrets/deployment-secrets.ts'
import { createSecretBox } from './platform/secrets/secret-box.ts'
import { pooledRandomBytes } from './platform/values/random-bytes.ts'
import { createProvider } from './provider/adapters.ts'
import { createEventVerifier } from './provider/connection/event-keys.ts'
import { requireProvider } from './provider/connection/kind.ts'
import { listProviderWebhooks } from './provider/connection/webhooks.store.ts'
import { createSandboxControl } from './provider/emulator.ts'
import { takeLanesFromDead } from './webhooks/delivery/lanes.store.ts'

export type RunningServer = {
  /** The listening URL, for example `http://127.0.0.1:8080`. */
  url: string
  /** The parts of the running process, for the command line and for tests. */
  deps: Running
  /** The documentation site, which a local environment builds. */
  docs: DocsSite
  /** The console, which a local environment builds. */
  console: ConsoleSite
  /** The onboarding page, which a local environment builds. */
  onboarding: OnboardingSite
  /** Stops accepting requests, finishes work in progress within the grace period, releases leases. */
  stop(): Promise<void>
}

// Extra time of a shutdown step beyond the grace period, for a database that may never respond.
const stopMarginMs = 3_000

type MakeProvider = typeof createProvider

/**
 * Creates the core of a process. The only place where clock and randomness are injected. @param wake of the running
 * loops
 */
export function createDeps(
  config: Config,
  log: Log,
  db: Database,
  wake: Running['wake'] = () => {},
  role: Role = 'all',
  makeProvider: MakeProvider = createProvider,
): Running {
  const instanceId = randomBytes(8).toString('hex')
  const localRelay = new LocalRelay(instanceId)
  const provider = makeProvider(config, log)
  const audience = new Audience()
  return {
    config,
    db,
    log,
    provider,
    hasKycPages: provider.hostedKyc !== null,
    sandbox:
      config.providerKind === 'sandbox'
        ? createSandboxControl(new URL(config.providerUrl).origin, config.providerTimeoutMs)
        : null,
    secrets: createSecretBox(config.deploymentSecrets),
    lastUsedBuffer: new LastUsedBuffer(),
    requestLog: new RequestLogBuffer(),
    apiKeyCache: new ApiKeyCache(),
    instanceId,
    role,
    localRelay,
    groupCommit: createGroupCommit(providerOf(config), db, log, localRelay),
    eventReaders: createEventReaders(audience),
    pageReaders: createEventReaders(audience),
    audience,
    now: () => Date.now(),
    randomBytes: pooledRandomBytes(),
    verifyEvent: createEventVerifier(provider.events, {
      configuredKeys: config.providerWebhookPublicKeys ?? [],
      storedKeys: async () => (await db.read(listProviderWebhooks)).map((row) => row.publicKey),
      now: () => Date.now(),
    }),
    wake,
  }
}

/**
 * Starts the service and returns when it listens and its loops run.
 * @param role which part of the service to run. Default: all of it
 * @throws ConfigError if stored data needs a secret, or a provider key, that is not given
 */
export async function startServer(
  config: Config,
  log: Log,
  given?: GivenDatabase,
  role: Role = 'all',
  makeProvider: MakeProvider = createProvider,
): Promise<RunningServer> {
  // A scrape reaches one process of a port: without the label, counters of different processes would look like resets.
  if (config.reusePort === 'on') metrics.setDefaultLabels({ process: String(process.pid) })
  await using started = new AsyncDisposableStack()
  const store = beginStore(config, log, given)
  started.defer(() => store.close())
  const registry = createLoopRegistry(notifyPeers({ db: store.db, log }))
  const deps = createDeps(config, log, store.db, registry.wake, role, makeProvider)
  started.defer(() => deps.provider.close())
  started.defer(() => endWriter(deps).catch(() => {})) // it expires on its own
  const redis = config.redisUrl === undefined ? null : await connectTo(config.redisUrl, log)
  started.defer(() => redis?.close())
  const handlers: Handlers = {
    ...registry.handlers(deps.instanceId),
    [streamChannel]: (businessIds) => {
      for (const readers of [deps.eventReaders, deps.pageReaders]) readers.onNotify(businessIds)
    },
    [keysChannel]: (businessIds) => {
      deps.apiKeyCache.forget()
      deps.eventReaders.onKeysChanged(businessIds)
    },
  }
  const hearing = store.usable.then(() => store.db.listen(handlers, deps.audience))
  // Made while the database comes up.
  const making = createApp(deps, {
    ...(redis ? { rateLimits: sharedRateLimits(deps, redis.commands) } : {}),
    ...(role === 'relay' ? { routes: probeRoutes } : {}),
  })
  for (const begun of [hearing, making]) begun.catch(() => {}) // both are waited for below
  started.defer(() => hearing.catch(() => {}))
  started.defer(() => making.then((made) => made.close()).catch(() => {}))
  await store.ready
  await requireProvider(deps)
  await requireEventKey(deps)
  // After the checks: a rejected start must not be recorded as a writing server, which would delay a rotation.
  await requireDeploymentSecrets(deps, deps)
  await beginAudit(deps)
  if (store.isOurs) await store.db.statement(takeLanesFromDead)
  const host = store.isOurs || role === 'api' ? null : await takeOverOnHost(deps)
  started.defer(() => host?.close())
  await hearing
  const app = await making
  const sharing = { reusePort: config.reusePort === 'on' }
  await app.listen({ host: config.host, port: config.port, ...sharing })
  started.move()
  const { webhookTimeoutMs: timeoutMs, webhookConcurrency: concurrency } = config
  const sender = createSender({ allowLoopback: config.mode === 'sandbox', timeoutMs, concurrency })
  const loops = registry.start(deps, sender, role)
  const url = addressOf(app)
  logStart(log, config, { url, role, isAlone: config.databaseUrl !== undefined && !redis })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= stopServer({ deps, store, app, redis, loops, host }))
  return { url, deps, docs: app.docs, console: app.console, onboarding: app.onboarding, stop }
}

function logStart(log: Log, { mode }: Config, { url, role, isAlone }: { url: string; role: Role; isAlone: boolean }) {
  log.info({ url, mode, role }, 'listening')
  if (isAlone) log.info('rate limits counted by this process only, several replicas need REDIS_URL')
}

/** Loaded on use: 500 modules that a start without Redis need not read. */
async function connectTo(redisUrl: string, log: Log): Promise<Redis> {
  const { connectRedis } = await import('./platform/http/limits/redis.ts')
  return await connectRedis(redisUrl, log)
}

type Parts = {
  deps: Running
  store: OpenStore
  app: App
  redis: Redis | null
  loops: Loops
  host: HostReplica | null
}

async function stopServer({ deps, store, app, redis, loops, host }: Parts): Promise<void> {
  const { log, config } = deps
  const { shutdownDelayMs, shutdownGraceMs } = config
  app.draining = true
  if (shutdownDelayMs > 0) {
    log.info({ shutdownDelayMs }, 'shutdown delayed until load balancers notice')
    await delay(shutdownDelayMs)
  }
  store.beginShutdown()
  // Without a database no work can finish. The check uses a separate connection, because the request pool may be
  // exhausted.
  const isThere = () => store.db.statement((query) => query`select 1`)
  const graceNow = async () => ((await isThere().catch(() => null)) ? shutdownGraceMs : 0)
  await inTime(log, 'requests and loops', await graceNow(), Promise.all([app.close(), loops.stop()]))
  redis?.close()
  const graceMs = await graceNow()
  await inTime(log, 'deliveries', graceMs, loops.drain(graceMs))
  await host?.close()
  await inTime(log, 'used keys', 0, deps.lastUsedBuffer.flush(store.db))
  await inTime(log, 'request log', 0, flushRequests(deps))
  await inTime(log, 'deployment secret', 0, endWriter(deps))
  await inTime(log, 'provider', 0, deps.provider.close())
  await inTime(log, 'database', 0, store.close())
  log.info('stopped')
}

/**
 * One step of the shutdown. The next step follows even if this one fails or hangs: everything that it held is leased,
 * and expires.
 */
async function inTime(log: Log, part: string, graceMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('it took too long')), graceMs + stopMarginMs)
  await Promise.race([work, late])
    .catch((err: unknown) => log.warn({ err, part }, 'shutdown step did not finish, continuing'))
    .finally(() => clearTimeout(timer))
}

function addressOf(app: App): string {
  const { port, address, family } = app.server.address() as AddressInfo // a TCP server's address is never a path
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Without a key every event would be rejected, and the provider would stop sending after two days. */
async function requireEventKey(deps: Running): Promise<void> {
  const { providerWebhookSignature, providerWebhookPublicKeys } = deps.config
  if (providerWebhookSignature !== 'required' || providerWebhookPublicKeys) return
  const stored = await deps.db.read(listProviderWebhooks)
  if (stored.length > 0) return
  const connect = deps.provider.endpoints === null ? '' : 'run "causeway provider connect", or '
  throw new ConfigError([
    `PROVIDER_WEBHOOK_SIGNATURE is required and no public key of the provider is known: ${connect}set PROVIDER_WEBHOOK_PUBLIC_KEYS`,
  ])
}
