// The one way to PostgreSQL: pool, transactions, retry, and what a database failure means to a caller.

import postgres from 'postgres'
import { fail } from '../errors.ts'
import { type Listener, type OpenListeningClient, startListener } from './listener.ts'

// bigint columns hold counters far below 2^53.
const int8 = { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) }
type Types = { bigint: number }

export type Sql = postgres.Sql<Types>
/** A write can only be reached with a transaction in hand. */
export type Tx = postgres.TransactionSql<Types>
/** A read runs inside a transaction or alone. */
export type Query = Sql | Tx

export type ConnectionOptions = { host: string; port: number; username: string; password: string; database: string }

export type Database = {
  /** @throws ApiError `database_unavailable` when the database is away, full or read-only */
  read<T>(work: (query: Query) => Promise<T>): Promise<T>
  /**
   * Commits what `work` did, or nothing. Runs `work` again when PostgreSQL rolled it back for a conflict, so `work`
   * must have no effect outside the database. A lost answer to COMMIT is never retried.
   * @throws ApiError `database_unavailable`
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Calls the handler of a channel at each notification, and all after each reconnect: some may have been missed. */
  listen(handlers: Readonly<Record<string, () => void>>): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** A failure of ours inside the database, stripped of everything that could hold a caller's data. */
export class DatabaseError extends Error {
  readonly code: string
  readonly constraint: string | null
  constructor(code: string, constraint: string | null, where: string | null) {
    super(`PostgreSQL error ${code}${constraint ? ` on ${constraint}` : ''}${where ? ` (${where})` : ''}`)
    this.name = 'DatabaseError'
    this.code = code
    this.constraint = constraint
  }
}

const conflictRetriesMax = 5
const conflictCodes = new Set(['40001', '40P01'])
/** SQLSTATE classes that mean "not now": connection, resources, operator intervention, system; and read-only (25006). */
const unavailablePattern = /^(08|53|57|58)|^25006$/

export function openDatabase(
  target: { url: string } | ConnectionOptions,
  options: { poolMax: number; applicationName?: string },
): Database {
  const settings: postgres.Options<{ bigint: typeof int8 }> = {
    max: options.poolMax,
    idle_timeout: 60,
    connect_timeout: 10,
    types: { bigint: int8 },
    transform: { column: { from: postgres.toCamel } },
    onnotice: () => {},
    connection: { application_name: options.applicationName ?? 'causeway', TimeZone: 'UTC' },
  }
  const connect = (given: typeof settings) =>
    'url' in target ? postgres(target.url, given) : postgres({ ...given, ...target })
  const sql = connect(settings)
  const listeners: Listener[] = []

  return {
    read: (work) => translated(() => work(sql)),
    async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        try {
          return (await translated(() => sql.begin((tx) => work(tx)))) as T
        } catch (error) {
          const conflict = error instanceof DatabaseError && conflictCodes.has(error.code)
          if (!conflict || attempt >= conflictRetriesMax) throw error
        }
      }
    },
    async listen(handlers) {
      const open: OpenListeningClient = ({ heard, lost }) => {
        const own = { ...settings, max: 1, idle_timeout: 0, max_lifetime: null, onnotify: heard, onclose: lost }
        const client = connect(own)
        return {
          listen: async (channels) => {
            for (const channel of channels) await client`listen ${client(channel)}`
          },
          close: () => client.end({ timeout: 0 }),
        }
      }
      listeners.push(await translated(() => startListener(open, handlers)))
    },
    async ping() {
      try {
        await sql`select 1`
        return true
      } catch {
        return false
      }
    },
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()))
      // Whatever used it has ended by now; the driver would wait in vain for connections that never came up again.
      await sql.end({ timeout: 1 })
    },
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translate(error)
  }
}

function translate(error: unknown): unknown {
  if (error instanceof postgres.PostgresError) {
    const safe = new DatabaseError(error.code, error.constraint_name ?? null, error.table_name ?? error.routine ?? null)
    return unavailablePattern.test(error.code) ? unavailable(safe) : safe
  }
  // postgres.js reports a lost or refused connection as an Error with a code of its own, or as the socket's error.
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(CONNECT|CONNECTION_|ECONN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT)/.test(code))
    return unavailable(new DatabaseError(code, null, null))
  return error
}

function unavailable(cause: DatabaseError) {
  return fail('database_unavailable', { retryAfterSeconds: 2, cause })
}

/** The row that must be there: `insert … returning` and the like. */
export function only<T>(rows: readonly T[]): T {
  const row = rows[0]
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, found ${rows.length}`)
  return row
}
