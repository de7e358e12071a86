// One session on the embedded server, holding the advisory lock that says whose the server is. The lock dies with its holder,
// however that dies, and the password proves both ways (scram) that the server is the expected one.
import { Socket } from 'node:net'
import pg from 'pg'
import { superuser } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import type { Endpoint } from './socket.ts'

/** The database for tables, too: every cluster has it, and making another would take a seventh of a first start. */
export const database = 'postgres'
const connectTimeoutMs = 5_000
const closeMs = 1_000
const lockKey = 7_236_001 // arbitrary, the same in every version

export type Session = {
  version: string
  /** false: the server was started with `durable: false`. */
  fsync: boolean
  endpoint: Endpoint
  /** Calls `listener` when the session ends without `close`. */
  onLost(listener: () => void): void
  close(): Promise<void>
}

export type Claim = { state: 'claimed'; session: Session } | { state: 'held' | 'starting' | 'absent' }

/**
 * Tries once to take the lock.
 * @returns `held`: another process has the lock; `starting`: the server does not take connections yet
 * @throws EmbeddedError `not_ours` when another server responds
 */
export async function claim(endpoint: Endpoint, password: string): Promise<Claim> {
  const socket = new Socket()
  const client = new pg.Client({
    ...endpoint,
    user: superuser,
    password,
    database,
    ssl: false,
    application_name: 'holder of the embedded database',
    connectionTimeoutMillis: connectTimeoutMs,
    stream: () => socket,
  })
  const lost = Promise.withResolvers<void>()
  client.on('error', () => lost.resolve())
  client.on('end', () => lost.resolve())
  let isClosing = false
  const close = async () => {
    isClosing = true
    setTimeout(() => socket.destroy(), closeMs).unref() // a suspended server never ends the connection
    await client.end()
  }
  try {
    await client.connect()
    const { rows } = await client.query<{ held: boolean; version: string; fsync: boolean }>(
      `select pg_try_advisory_lock(${lockKey}) as held, current_setting('server_version') as version,
         current_setting('fsync')::boolean as fsync`,
    )
    const [row] = rows
    if (!row?.held) {
      await close()
      return { state: 'held' }
    }
    const onLost = (listener: () => void) => void lost.promise.then(() => isClosing || listener())
    return { state: 'claimed', session: { version: row.version, fsync: row.fsync, endpoint, onLost, close } }
  } catch (error) {
    isClosing = true
    socket.destroy() // the driver does not end a connection that was never made
    return { state: meaningOf(error, endpoint) }
  }
}

const meanings: Record<string, 'starting' | 'absent'> = {
  ENOENT: 'absent',
  ECONNREFUSED: 'absent',
  ECONNRESET: 'absent',
  EPIPE: 'absent',
  '57P01': 'absent', // shut down during the connection
  '57P02': 'absent', // crashed during the connection
  '57P03': 'starting', // starting up, recovering or shutting down
  '53300': 'starting', // too many connections: the server lives, and a client may leave
}

function meaningOf(error: unknown, endpoint: Endpoint): 'starting' | 'absent' {
  const text = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const meaning = meanings[code]
  if (meaning) return meaning
  // These errors of the driver have no code.
  if (/^Connection terminated|is not queryable$/.test(text)) return 'absent'
  if (/^timeout expired/.test(text)) return 'starting'
  throw new EmbeddedError(
    'not_ours',
    `A server responds at ${endpoint.host} (port ${endpoint.port}), but does not accept the password of this database: ${text}. ` +
      'Stop that server, or use another state directory (CAUSEWAY_HOME).',
    error,
  )
}
