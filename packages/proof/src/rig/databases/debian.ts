// PostgreSQL 15 of Debian's package on loopback, with a separate data folder, to be stopped, killed and started again.

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf, killIfThere } from '../exit.ts'
import { freePort } from '../ports.ts'
import {
  type Home,
  openHome,
  type Program,
  requireProgram,
  runProgram,
  startProgram,
  untilProgram,
} from '../programs.ts'
import type { Connection } from './session.ts'

export type DebianPostgres = AsyncDisposable & {
  connection: Connection
  /** postgresql:// with user and password. */
  url: string
  dataFolder: string
  /** SIGKILL to the postmaster and all it started, as a host dies. */
  kill(): Promise<void>
  /** @param mode pg_ctl's: fast ends sessions, immediate makes no checkpoint */
  stop(mode?: 'smart' | 'fast' | 'immediate'): Promise<void>
  /** Resolves when the database accepts queries again. */
  start(): Promise<void>
  isRunning(): boolean
  /** Resolves when the server has ended without a command, for example after a PANIC or on a full disk. */
  ended(): Promise<void>
  log(): string
}

export type PostgresOptions = {
  /** postgresql.conf, by name. */
  settings?: Readonly<Record<string, string>>
  /**
   * An empty folder of the programs' user, for example on a separate filesystem. Default: a folder that is removed at the end.
   */
  dataFolder?: string
  /** The superuser's password of the cluster in the data folder, for example a restored one. Default: a new password. */
  password?: string
  port?: number
  /** Comes before the server's command line, for example faketime. */
  env?: Readonly<Record<string, string>>
}

const username = 'causeway'
const database = 'causeway'
const stopMsMax = 10_000

export async function startDebianPostgres(options: PostgresOptions = {}): Promise<DebianPostgres> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(openHome())
  const dataFolder = options.dataFolder ?? home.folder('data')
  const password = options.password ?? (await makeCluster(home, dataFolder))
  const port = options.port ?? (await freePort())
  const settings = { unix_socket_directories: '', listen_addresses: '127.0.0.1', ...options.settings }
  const args = ['-D', dataFolder, '-p', String(port)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  let server: Program | null = null

  const start = async (): Promise<void> => {
    server = startProgram('PostgreSQL', { file: programOf('postgres'), args, env: options.env ?? {} })
    const check = { file: programOf('pg_isready'), args: ['-h', '127.0.0.1', '-p', String(port)] }
    await untilProgram('took connections', server, () => runProgram(check).then(() => true))
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server?.isRunning()) return
    const children = signal === 'SIGKILL' ? childrenOf(server.pid) : []
    server.signal(signal)
    for (const child of children) killIfThere(child)
    await server.ended
  }
  await start()
  stack.defer(async () => {
    const late = setTimeout(() => server?.signal('SIGQUIT'), stopMsMax) // a crash at the same time can leave it waiting
    await end('SIGINT')
    clearTimeout(late)
  })
  if (options.password === undefined)
    await runProgram({
      file: programOf('createdb'),
      args: ['-h', '127.0.0.1', '-p', String(port), '-U', username, database],
      env: { PGPASSWORD: password },
    })
  const owned = stack.move()
  return {
    connection: { host: '127.0.0.1', port, username, password, database },
    url: `postgresql://${username}:${password}@127.0.0.1:${port}/${database}`,
    dataFolder,
    kill: () => end('SIGKILL'),
    stop: (mode = 'fast') => end(stopSignals[mode]),
    start,
    isRunning: () => server?.isRunning() ?? false,
    async ended() {
      await server?.ended
    },
    log: () => server?.log() ?? '',
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const stopSignals = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** @throws MissingProgram */
export function programOf(name: string): string {
  return requireProgram(name, 'postgresql-15')
}

/** @returns the password of its superuser */
async function makeCluster(home: Home, dataFolder: string): Promise<string> {
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(home.path, 'password')
  writeFileSync(passwordFile, password, { mode: 0o644 })
  const access = ['-U', username, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  await runProgram({ file: programOf('initdb'), args: ['-D', dataFolder, ...access, '-E', 'UTF8', '--no-locale'] })
  return password
}
