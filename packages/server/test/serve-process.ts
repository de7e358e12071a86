// `causeway serve` as a separate process on the environment's database, to be killed in the middle of its work.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { entry } from '../../cli/test/process.ts'
import type { Config } from '../src/platform/config.ts'
import type { Target } from '../src/platform/postgres/client.ts'

export type ServeProcess = AsyncDisposable & {
  url: string
  pid: number
  /** SIGKILL: the process dies at whatever instruction it is. */
  kill(): Promise<void>
  /** SIGTERM. @returns its exit code; null when a signal ended it */
  terminate(): Promise<number | null>
  /** SIGSTOP: it keeps its connections and does nothing more, not even for a response that arrives. */
  freeze(): void
}

/** The parts of the environment that a server needs: the database, and a configuration to share. */
export type ServeWorld = { database: Target; inside: { config: Config } }

export type ServeProgram = {
  /** The command that starts the command line: another build of it, or a wrapper. */
  command?: readonly [string, ...string[]]
  /** Gets all that the process writes. */
  hear?: (text: string) => void
}

// The last resort: a run that ends by a signal, perhaps in the middle of a start, leaves no server behind.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export async function startServe(
  world: ServeWorld,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  { command = [process.execPath, entry], hear = () => {} }: ServeProgram = {},
): Promise<ServeProcess> {
  const { config } = world.inside
  const [program, ...before] = command
  const child = spawn(program, [...before, 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...addressOf(world.database),
      PORT: '0',
      CAUSEWAY_HOME: '/dev/null/no-state-folder',
      LOG_LEVEL: 'warn',
      DEPLOYMENT_SECRET: config.deploymentSecrets.join(','),
      ADMIN_SECRET: config.adminSecret,
      PROVIDER_KIND: config.providerKind,
      PROVIDER_URL: config.providerUrl,
      PROVIDER_API_KEY: config.providerApiKey,
      PROVIDER_TIMEOUT_MS: String(config.providerTimeoutMs),
      PROVIDER_CUSTOMER_TIMEOUT_MS: String(config.providerCustomerTimeoutMs),
      RECONCILE_PERIOD_SECONDS: String(config.reconcilePeriodSeconds),
      PROVIDER_WEBHOOK_PUBLIC_KEYS: (config.providerWebhookPublicKeys ?? []).join('\n'),
      ...env,
    },
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => hear(chunk.toString()))
  running.add(child)
  const exited = once(child, 'exit').finally(() => running.delete(child))
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const terminate = async () => {
    child.kill('SIGTERM')
    await exited
    return child.exitCode
  }
  const url = await listeningUrl(child, exited)
  const freeze = () => void child.kill('SIGSTOP')
  return { url, pid: child.pid ?? 0, kill, terminate, freeze, [Symbol.asyncDispose]: kill }
}

function addressOf(database: Target): Record<string, string> {
  if ('url' in database) return { DATABASE_URL: database.url }
  return {
    // The driver reads from these what a URL does not say, a socket directory among it.
    DATABASE_URL: `postgres:///${database.database}`,
    PGHOST: database.host,
    PGPORT: String(database.port),
    PGUSER: database.username,
    PGPASSWORD: database.password,
  }
}

async function listeningUrl(child: ChildProcess, exited: Promise<unknown>): Promise<string> {
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString()
  })
  const { promise, resolve } = Promise.withResolvers<string>()
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /listens on (http\S+)/.exec(line)?.[1]
      if (url) resolve(url)
    })
  }
  return await Promise.race([
    promise,
    exited.then(() => Promise.reject(new Error(`causeway serve ended: ${complaint}`))),
  ])
}
