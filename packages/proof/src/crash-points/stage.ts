// The environment of a lane of the run: its own database, the sandbox provider, a receiver, and one server after another at one
// address. The next server is preloaded while the current one runs.

import { randomBytes } from 'node:crypto'
import { startSandboxProcess } from '../../../cli/src/world/sandbox-process.ts'
import { createDeps } from '../../../server/src/main.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import { parseConfig } from '../../../server/src/platform/settings.ts'
import { connectProvider } from '../../../server/src/provider/connection/connection.ts'
import { freePort } from '../../../server/test/caller.ts'
import { createProviderSigner, type ProviderSigner } from '../../../server/test/provider-signer.ts'
import { testDatabase } from '../../../server/test/test-database.ts'
import { type EventReceiver, openEventReceiver } from './receiver.ts'
import { type LoopArms, loadServer, type ServerProcess, type Sources } from './server-process.ts'

export type Stage = AsyncDisposable & {
  /** Past the API: to look, and to let time pass. */
  db: Database
  baseUrl: string
  adminSecret: string
  provider: { url: string; controlUrl: string; apiKey: string }
  /** Signs events as the provider would: the servers know its key, too. */
  signer: ProviderSigner
  receiver: EventReceiver
  /** The server that lives. */
  server(): ServerProcess
  /** Kills what lives, and starts the next. @param loop one to be watched from its first turn on */
  restart(env: Env, loop?: LoopArms | null): Promise<void>
  /** The same unless a server lives that has these settings and no loop that is watched. */
  need(env: Env): Promise<void>
  kill(): Promise<void>
  /** Starts the next server next to the current one, at a different address. Disposing kills it. */
  beside(env: Env): Promise<Beside>
}

export type Beside = AsyncDisposable & { baseUrl: string }

/** Settings beyond those of all servers. */
export type Env = Readonly<Record<string, string>>

const settings = {
  DATABASE_POOL_MAX: '36',
  LOG_LEVEL: 'silent',
  RATE_LIMIT_REQUESTS: '1000000',
  KYC_SUBMISSIONS_PER_MINUTE: '10000',
  PROVIDER_TIMEOUT_MS: '2000',
  PROVIDER_CUSTOMER_TIMEOUT_MS: '2000',
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRY_SECONDS: Array(20).fill('0.2').join(','),
  RECONCILE_PERIOD_SECONDS: '0',
  PROVIDER_KIND: 'sandbox',
  CAUSEWAY_MODE: 'sandbox',
}

const sandboxArgs = [
  ...['--kyc-decision-ms', '20', '--deposit-step-ms', '10'],
  ...['--webhook-retry-ms', Array(500).fill('100').join(',')],
]

export async function openStage(sources: Sources, cluster: ConnectionOptions): Promise<Stage> {
  await using started = new AsyncDisposableStack()
  const database = await testDatabase(cluster)
  started.defer(() => database.drop())
  const sandbox = await startSandboxProcess({ port: 0, args: sandboxArgs })
  started.defer(() => sandbox.stop())
  const receiver = started.use(await openEventReceiver())
  const db = openDatabase(database.connection, { poolMax: 6, applicationName: 'crash-points' })
  started.defer(() => db.close())
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const adminSecret = randomBytes(16).toString('hex')
  const signer = createProviderSigner()
  const given = {
    ...settings,
    PORT: String(port),
    ADMIN_SECRET: adminSecret,
    DEPLOYMENT_SECRET: randomBytes(24).toString('hex'),
    DATABASE_URL: 'postgres:///given',
    PROVIDER_URL: `${sandbox.url}/v0`,
    PROVIDER_API_KEY: sandbox.apiKey,
    PROVIDER_WEBHOOK_PUBLIC_KEYS: signer.publicKey,
  }
  const deps = createDeps(parseConfig(given), createLog('silent'), db)
  await connectProvider(deps, `${baseUrl}/v0/webhooks/provider`)
  await deps.provider.close()

  const servers = started.use(
    serversOf(sources, (server, env, loop) => server.go(database.connection, { ...given, ...env }, loop)),
  )
  const parts = started.move()
  return {
    db,
    baseUrl,
    adminSecret,
    provider: { url: `${sandbox.url}/v0`, controlUrl: `${sandbox.url}/_sandbox`, apiKey: sandbox.apiKey },
    signer,
    receiver,
    ...servers,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

type Servers = Pick<Stage, 'server' | 'restart' | 'need' | 'kill' | 'beside'> & AsyncDisposable
type Go = (server: ServerProcess, env: Env, loop: LoopArms | null) => Promise<void>

function serversOf(sources: Sources, go: Go): Servers {
  let next = loadServer(sources)
  let current: ServerProcess | null = null
  let currentEnv: string | null = null
  const kill = async (): Promise<void> => {
    await current?.kill()
    current = null
    currentEnv = null
  }
  const restart: Stage['restart'] = async (env, loop = null) => {
    await kill()
    current = next
    next = loadServer(sources)
    await go(current, env, loop)
    currentEnv = loop ? null : JSON.stringify(env)
  }
  return {
    server() {
      if (!current) throw new Error('no server lives')
      return current
    },
    restart,
    async need(env) {
      if (currentEnv !== JSON.stringify(env)) await restart(env)
    },
    kill,
    async beside(env) {
      const port = await freePort()
      const server = next
      next = loadServer(sources)
      await go(server, { ...env, PORT: String(port) }, null)
      return { baseUrl: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server.kill() }
    },
    async [Symbol.asyncDispose]() {
      await kill()
      await next.kill()
    },
  }
}
