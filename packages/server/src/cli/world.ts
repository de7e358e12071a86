// A whole world on this machine: database, emulated provider, server, a first business with its key and a webhook inbox.
// `causeway dev`, `causeway demo` and the tests live in the same one.

import { join } from 'node:path'
import { type Config, parseConfig } from '../config.ts'
import type { RunningServer } from '../main.ts'
import type { Log } from '../observe/log.ts'
import { undici } from '../outbound.ts'
import type { ConnectionOptions } from '../store/client.ts'
import { type EmbeddedPostgres, startEmbedded } from '../store/embedded.ts'
import { localSecrets } from './local-state.ts'
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts'

export type WorldOptions = {
  /** The state folder. */
  home: string
  port: number
  sandboxPort: number
  /** Where it has to be read first: asked for when there is time. */
  log: Log | (() => Promise<Log>)
  /** Settings by their environment names; what the world decides itself wins. */
  env?: Readonly<Record<string, string | undefined>>
  /** A database that runs already; the embedded one otherwise. */
  database?: ConnectionOptions
  sandboxArgs?: readonly string[]
}

/** What `.causeway/dev.json` tells. */
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
  sandbox: SandboxProcess
  stop(): Promise<void>
}

/**
 * The settings as the world will have them, before there is a world: what it decides itself is filled in.
 * @throws ConfigError with every problem at once
 */
export function checkSettings(env: Readonly<Record<string, string | undefined>>): Config {
  const later = 'decided when the world starts'
  const secrets = { deploymentSecret: later.padEnd(32), adminSecret: later }
  return parseConfig({ ...env, ...providerEnv({ url: 'http://127.0.0.1', apiKey: later }) }, secrets)
}

/** What runs. `letGo` announces the end to a part that would otherwise bring itself up again. */
type Part = { stop(): Promise<void>; letGo?(): void }

/** Starts everything, or nothing: what was started before a failure is stopped again. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const started: Part[] = []
  const stop = (): Promise<void> => stopAll(started.splice(0).reverse())
  try {
    const secrets = await localSecrets(options.home)
    const { promise: launched, resolve: onLaunch } = Promise.withResolvers<void>()
    const below = startBelow(options, started, onLaunch)
    // To read modules keeps this process busy: what runs below must have been started before, to come up meanwhile.
    const loading = Promise.race([launched, below]).then(() => loadServer(options))
    loading.catch(() => {})
    const { postgres, sandbox } = await below
    const { startServer, furnish, log } = await loading
    const env = { ...options.env, PORT: String(options.port), CAUSEWAY_HOME: options.home, ...providerEnv(sandbox) }
    const config = parseConfig(env, secrets)
    const server = await startServer(config, log, options.database ?? postgres?.connection)
    started.push(server)
    const { customerId, apiKey, inboxUrl, signingSecret } = await furnish(server.deps, {
      serverUrl: server.url,
      sandboxUrl: sandbox.url,
      home: options.home,
    })
    const facts = {
      baseUrl: server.url,
      apiKey,
      adminSecret: config.adminSecret,
      customerId,
      providerUrl: config.providerUrl,
      providerApiKey: sandbox.apiKey,
      tosOrigin: new URL(sandbox.url).origin,
      consoleUrl: `${server.url}/`,
    }
    return { facts, inboxUrl, signingSecret, server, sandbox, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The server's modules are most of what a start has to read, and nothing below needs them. */
async function loadServer({ log }: WorldOptions) {
  const [{ startServer }, { furnish }] = await Promise.all([import('../main.ts'), import('./first-business.ts')])
  undici() // the first business calls the provider at once, and there is time while the database comes up
  return { startServer, furnish, log: typeof log === 'function' ? await log() : log }
}

/** Stops each in turn, whatever became of the one before: a process that stayed would keep this one from ending. */
async function stopAll(parts: readonly Part[]): Promise<void> {
  for (const part of parts) part.letGo?.()
  const failures: unknown[] = []
  for (const part of parts) await part.stop().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Database and provider come up side by side: together they are most of a start. */
async function startBelow(
  options: WorldOptions,
  started: Part[],
  onLaunch: () => void,
): Promise<{ postgres: EmbeddedPostgres | null; sandbox: SandboxProcess }> {
  const needsDatabase = options.database === undefined && !options.env?.['DATABASE_URL']
  if (!needsDatabase) onLaunch()
  const binaries = options.env?.['PG_BIN'] || undefined
  const [postgres, sandbox] = await Promise.allSettled([
    needsDatabase ? startEmbedded({ home: options.home, binaries, onLaunch }) : null,
    startSandboxProcess({
      port: options.sandboxPort,
      stateDir: join(options.home, 'sandbox'),
      ...(options.sandboxArgs ? { args: options.sandboxArgs } : {}),
    }),
  ])
  if (postgres.status === 'fulfilled' && postgres.value) started.push(postgres.value)
  if (sandbox.status === 'fulfilled') started.push(sandbox.value)
  if (postgres.status === 'rejected') throw postgres.reason
  if (sandbox.status === 'rejected') throw sandbox.reason
  return { postgres: postgres.value, sandbox: sandbox.value }
}

function providerEnv(sandbox: Pick<SandboxProcess, 'url' | 'apiKey'>): Record<string, string> {
  return {
    CAUSEWAY_MODE: 'sandbox',
    PROVIDER_KIND: 'sandbox',
    PROVIDER_URL: `${sandbox.url}/v0`,
    PROVIDER_API_KEY: sandbox.apiKey,
  }
}
