// PgBouncer of Debian's package before a PostgreSQL, on loopback.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, listens } from '../ports.ts'
import { openHome, type Program, requireProgram, startProgram, untilProgram } from '../programs.ts'
import type { Connection } from './session.ts'

export type PoolMode = 'session' | 'transaction' | 'statement'

export type Pooler = AsyncDisposable & {
  port: number
  /** postgresql:// to a database behind the pooler. */
  urlOf(database?: string): string
  program: Program
}

export type PoolerOptions = {
  mode: PoolMode
  /** Server connections of a database: fewer than clients, or nobody would share any. */
  serversMax?: number
}

/** @param server its user must be one who may log in with a password */
export async function startPooler(server: Connection, { mode, serversMax = 20 }: PoolerOptions): Promise<Pooler> {
  await using stack = new AsyncDisposableStack()
  const file = requireProgram('pgbouncer', 'pgbouncer')
  const home = stack.use(openHome())
  const folder = home.folder('pgbouncer')
  const port = await freePort()
  const { username, password } = server
  const users = join(folder, 'users.txt')
  writeFileSync(users, `"${username}" "${password}"\n`, { mode: 0o644 })
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: users,
    pool_mode: mode,
    default_pool_size: serversMax,
    max_client_conn: 1_000,
    // A pooled connection to a database of a test that is over is in the way of the next.
    server_idle_timeout: 5,
    logfile: '',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const config = join(folder, 'pgbouncer.ini')
  const databases = `* = host=${server.host} port=${server.port}`
  writeFileSync(config, `[databases]\n${databases}\n[pgbouncer]\n${lines.join('\n')}\n`, { mode: 0o644 })
  const program = stack.use(startProgram('PgBouncer', { file, args: [config] }))
  await untilProgram('listened', program, () => listens(port))
  const held = stack.move()
  return {
    port,
    program,
    urlOf: (database = server.database) =>
      `postgresql://${username}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
