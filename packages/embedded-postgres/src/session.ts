// One session on the embedded server, holding the advisory lock that says whose it is. The lock dies with its holder,
// however that dies, and the password proves both ways (scram) that the server is the one we think.
import { type Client, openClient } from '../../server/src/platform/postgres/client.ts'
import { superuser } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import type { Endpoint } from './socket.ts'

const ownDatabase = 'postgres' // every cluster has it, and is meant to be used by it
const olderDatabase = 'causeway'
const connectTimeoutS = 5
const lockKey = 7_236_001 // arbitrary, the same in every version

export type Session = {
  version: string
  /** false: the server was started with `durable: false`. */
  fsync: boolean
  endpoint: Endpoint
  /** Runs when the session ends without `close`. */
  onLost(listener: () => void): void
  /** The one for tables: the cluster's own, as making another would take a seventh of a first start. Older clusters have one. */
  applicationDatabase: string
  close(): Promise<void>
}

export type Claim = { state: 'claimed'; session: Session } | { state: 'held' | 'starting' | 'absent' }

/** Tries once: takes the lock if the server answers and nobody holds it. */
export async function claim(endpoint: Endpoint, password: string): Promise<Claim> {
  const settings = {
    applicationName: 'causeway: holder of the embedded database',
    connectTimeoutMs: connectTimeoutS * 1_000,
  }
  try {
    const client = await openClient({ ...endpoint, username: superuser, password, database: ownDatabase }, settings)
    const claimed = await claimOn(client, endpoint)
    if (claimed.state !== 'claimed') await client.close()
    return claimed
  } catch (error) {
    return { state: meaningOf(error, endpoint) }
  }
}

async function claimOn({ query, onLost, close }: Client, endpoint: Endpoint): Promise<Claim> {
  try {
    const [row] = await query<{ held: boolean; version: string; fsync: boolean; isOlder: boolean }[]>`
      select pg_try_advisory_lock(${lockKey}) as held, current_setting('server_version') as version,
             current_setting('fsync')::boolean as fsync,
             exists (select from pg_database where datname = ${olderDatabase}) as is_older`
    if (!row?.held) return { state: 'held' }
    const { version, fsync, isOlder } = row
    const applicationDatabase = isOlder ? olderDatabase : ownDatabase
    return { state: 'claimed', session: { version, fsync, endpoint, onLost, applicationDatabase, close } }
  } catch (error) {
    await close()
    throw error
  }
}

const meanings: Record<string, 'starting' | 'absent'> = {
  ENOENT: 'absent',
  ECONNREFUSED: 'absent',
  ECONNRESET: 'absent',
  EPIPE: 'absent',
  CONNECTION_LOST: 'absent',
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
