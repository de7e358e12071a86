// Detects a pooler between this process and PostgreSQL. A pooler announces its own number instead of the server's
// process ID, and may give each transaction another server process.

import { setTimeout as delay } from 'node:timers/promises'
import { type Client, openClient, type Target } from '../client.ts'
import type { Pooling } from '../database.ts'
import type { Query } from '../query.ts'
import { isServerError } from '../session.ts'

/** If other clients share the pooler, the first pair of connections may look like session mode. */
const rounds = 5
/** If the server process is kept for the first connection, the second may have to wait for its own. */
const waitMs = 3_000

/**
 * Opens two connections, and checks whether the first keeps its server process while the second is in a transaction.
 * @throws ConnectionError, or ServerError: the database refuses the connection
 */
export async function readPooling(target: Target, applicationName: string): Promise<Pooling> {
  await using opened = new AsyncDisposableStack()
  const open = async (): Promise<Client> => {
    const client = await openClient(target, { applicationName })
    opened.defer(() => client.close())
    return client
  }
  const one = await open()
  if ((await processOf(one.query)) === one.announcedPid) return 'none'
  const other = await open()
  const compared = compare(one.query, other.query).catch((error: unknown): Pooling => {
    // PgBouncer: "transaction blocks not allowed in statement pooling mode".
    if (isServerError(error) && /statement pooling/.test(error.message)) return 'statement'
    throw error
  })
  return await Promise.race([compared, delay(waitMs, 'session' as const, { ref: false })])
}

async function compare(one: Query, other: Query): Promise<Pooling> {
  for (let round = 0; round < rounds; round++) {
    const before = await processOf(one)
    await other.unsafe('begin')
    const taken = await processOf(other)
    const after = await processOf(one)
    await other.unsafe('rollback')
    if (taken === before || after !== before) return 'transaction'
  }
  return 'session'
}

async function processOf(query: Query): Promise<number | undefined> {
  const rows = await query.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

/** Identifies one running server and one of its databases. */
export async function readIdentity(query: Query): Promise<string | undefined> {
  const rows = await query<{ identity: string }[]>`
    select current_database() || ' ' || pg_postmaster_start_time()::text as identity`
  return rows[0]?.identity
}
