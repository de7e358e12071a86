// A complete local environment: database, sandbox provider, server, a first business with its key, and a webhook inbox. `causeway
// dev`, `causeway demo` and the tests use it.

import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import type { GivenDatabase } from '../../../server/src/app/open-store.ts'
import type { RunningServer } from '../../../server/src/main.ts'
import type { Config, FixedLimits } from '../../../server/src/platform/config.ts'
import type { Log } from '../../../server/src/platform/observe/log.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import { parseConfig } from '../../../server/src/platform/settings.ts'
import { localSecrets } from '../local-state.ts'
import { type Emulator, type Provider, startSandboxProcess } from './sandbox-process.ts'

export type WorldOptions = {
  /** The state folder. */
  home: string
  port: number
  sandboxPort: number
  /** A function loads the log while the processes start. */
  log: Log | (() => Promise<Log>)
  /** Settings by environment name. The settings that the world decides win. */
  env?: Readonly<Record<string, string | undefined>>
  limits?: Partial<FixedLimits>
  /** A running database. Default: the embedded database. */
  database?: ConnectionOptions
  /** A running sandbox provider, stopped with the world. Default: a separate process. */
  emulator?: Promise<Emulator>
  sandboxArgs?: readonly string[]
}

/** The content of `.causeway/dev.json`. */
export type WorldFacts = {
  baseUrl: string
  apiKey: string
  adminSecret: string
  customerId: string
  providerUrl: string
  providerApiKey: string
  tosOrigin: string
  consoleUrl: string
}

export type World = {
  facts: WorldFacts
  inboxUrl: string
  signingSecret: string
  server: RunningServer
  sandbox: Emulator
  /** The embedded database; null with another database. */
  connection: ConnectionOptions | null
  /** The directory to which the database of a removed state folder was renamed. */
  setAside: string | null
  stop(): Promise<void>
}

/**
 * The settings before the start, with placeholders for the settings that the start decides.
 * @throws ConfigError with every problem at once
 */
export function checkSettings(env: Readonly<Record<string, string | undefined>>): Config {
  const later = 'decided when the world starts'
  const secrets = { deploymentSecret: later.padEnd(32), adminSecret: later }
  return parseConfig({ ...env, ...providerEnv({ url: 'http://127.0.0.1', apiKey: later }) }, secrets)
}

/** A running part. `beginShutdown` stops automatic restarts of a part. */
type Part = { stop(): Promise<void>; beginShutdown?(): void }

/** Starts everything or nothing: after a failure, the started parts are stopped. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const secrets = await localSecrets(options.home)
  const { postgres, sandbox } = startBelow(options)
  const parts: Promise<Part>[] = postgres ? [postgres, sandbox] : [sandbox]
  const stop = (): Promise<void> => stopAll(parts.splice(0).reverse())
  try {
    const { startServer, seed, log } = await loadServer(options)
    const emulator = await sandbox
    // In a local environment, every currency can be tried, independent of the end-user's country.
    const endorsements = { KYC_ENDORSEMENTS: 'base,sepa,spei' }
    const env = {
      ...endorsements,
      ...options.env,
      PORT: String(options.port),
      CAUSEWAY_HOME: options.home,
      ...providerEnv(emulator),
    }
    const config = { ...parseConfig(env, secrets), ...options.limits }
    const starting = startServer(config, log, options.database ?? (postgres ? ours(postgres) : undefined))
    parts.push(starting)
    const server = await starting
    const { customerId, apiKey, inboxUrl, signingSecret } = await seed(server.deps, {
      serverUrl: server.url,
      sandboxUrl: emulator.url,
      home: options.home,
    })
    const facts = {
      baseUrl: server.url,
      apiKey,
      adminSecret: config.adminSecret,
      customerId,
      providerUrl: config.providerUrl,
      providerApiKey: emulator.apiKey,
      tosOrigin: new URL(emulator.url).origin,
      consoleUrl: `${server.url}/console`,
    }
    const { setAside = null, connection = null } = (await postgres) ?? {}
    return { facts, inboxUrl, signingSecret, server, sandbox: emulator, connection, setAside, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const ours = (postgres: Promise<EmbeddedPostgres>): GivenDatabase => ({
  isOurs: true,
  connection: postgres.then(({ connection }) => connection),
})

/** Loads the server's modules while its processes start: they are most of what a start reads. */
async function loadServer({ log }: WorldOptions) {
  const [{ startServer }, { seed }] = await Promise.all([
    import('../../../server/src/main.ts'),
    import('./first-business.ts'),
  ])
  return { startServer, seed, log: typeof log === 'function' ? await log() : log }
}

/** Stops each part in turn, even after a failure: a remaining process would keep this one from ending. */
async function stopAll(coming: readonly Promise<Part>[]): Promise<void> {
  const ends = await Promise.allSettled(coming)
  const parts = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  for (const part of parts) part.beginShutdown?.()
  const failures: unknown[] = []
  for (const part of parts) await part.stop().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

type Below = { postgres: Promise<EmbeddedPostgres> | null; sandbox: Promise<Emulator> }

/** Starts the processes that the server needs. They start while this process loads the server's modules. */
function startBelow(options: WorldOptions): Below {
  const needsDatabase = options.database === undefined && !options.env?.['DATABASE_URL']
  const postgres = needsDatabase ? startEmbedded({ home: options.home, unclaimed: 'setAside' }) : null
  const sandbox =
    options.emulator ??
    startSandboxProcess({
      port: options.sandboxPort,
      stateDir: join(options.home, 'sandbox'),
      ...(options.sandboxArgs ? { args: options.sandboxArgs } : {}),
    })
  for (const part of [postgres, sandbox]) part?.catch(() => {}) // thrown at the await
  return { postgres, sandbox }
}

function providerEnv(sandbox: Provider): Record<string, string> {
  return {
    CAUSEWAY_MODE: 'sandbox',
    PROVIDER_KIND: 'sandbox',
    PROVIDER_URL: `${sandbox.url}/v0`,
    PROVIDER_API_KEY: sandbox.apiKey,
  }
}
