// One session on the embedded server, holding the advisory lock that says whose it is. The lock dies with its holder,
// however that dies, and the password proves both ways (scram) that the server is the one we think.
import postgres from 'postgres'
import { superuser } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import type { Endpoint } from './socket.ts'

export const applicationDatabase = 'causeway'
const connectTimeoutS = 5
const lockKey = 7_236_001 // arbitrary, the same in every version

export type Session = {
  version: string
  /** false: the server was started with `durable: false`. */
  fsync: boolean
  endpoint: Endpoint
  /** Runs when the session ends without `close`. */
  onLost(listener: () => void): void
  ensureDatabase(): Promise<void>
  close(): Promise<void>
}

export type Claim = { state: 'claimed'; session: Session } | { state: 'held' | 'starting' | 'absent' }

/** Tries once: takes the lock if the server answers and nobody holds it. */
export async function claim(endpoint: Endpoint, password: string): Promise<Claim> {
  let lost = false
  let listener: (() => void) | null = null
  const sql = postgres({
    ...endpoint,
    username: superuser,
    password,
    database: 'postgres',
    ssl: false,
    max: 1,
    max_lifetime: null, // the default closes a connection after half an hour, and the lock with it
    idle_timeout: 0,
    connect_timeout: connectTimeoutS,
    fetch_types: false,
    onnotice: () => {},
    onclose: () => {
      lost = true
      listener?.()
    },
    connection: { application_name: 'causeway: holder of the embedded database' },
  })
  const close = () => {
    listener = null
    return sql.end({ timeout: 1 })
  }
  try {
    const [row] = await sql<{ held: boolean; version: string; fsync: boolean }[]>`
      select pg_try_advisory_lock(${lockKey}) as held, current_setting('server_version') as version,
             current_setting('fsync')::boolean as fsync`
    if (!row?.held) {
      await close()
      return { state: 'held' }
    }
    const ensureDatabase = async () => {
      const found = await sql`select 1 from pg_database where datname = ${applicationDatabase}`
      if (found.length === 0) await sql`create database ${sql(applicationDatabase)}`
    }
    const onLost = (run: () => void) => {
      listener = run
      if (lost) run()
    }
    return {
      state: 'claimed',
      session: { version: row.version, fsync: row.fsync, endpoint, onLost, ensureDatabase, close },
    }
  } catch (error) {
    await close()
    return { state: meaningOf(error, endpoint) }
  }
}

const meanings: Record<string, 'starting' | 'absent'> = {
  ENOENT: 'absent',
  ECONNREFUSED: 'absent',
  ECONNRESET: 'absent',
  EPIPE: 'absent',
  CONNECTION_CLOSED: 'absent',
  CONNECTION_ENDED: 'absent',
  CONNECTION_DESTROYED: 'absent',
  CONNECT_TIMEOUT: 'starting',
  '57P01': 'absent', // shut down while we asked
  '57P02': 'absent', // crashed while we asked
  '57P03': 'starting', // starting up, recovering or shutting down
  '53300': 'starting', // too many connections: alive, and someone may leave
}

function meaningOf(error: unknown, endpoint: Endpoint): 'starting' | 'absent' {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const meaning = meanings[code]
  if (meaning) return meaning
  const text = error instanceof Error ? error.message : String(error)
  throw new EmbeddedError(
    'not_ours',
    `A server answers at ${endpoint.host} (port ${endpoint.port}) but not to the password of this database: ${text}. ` +
      'Stop that server, or start with another state directory (CAUSEWAY_HOME).',
    error,
  )
}
