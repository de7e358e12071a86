// The one way to PostgreSQL: pool, transactions, retry, and what a database failure means to a caller.

import postgres from 'postgres'
import { fail } from '../errors.ts'
import { type Handlers, type Listener, type OpenListeningClient, startListener } from './listener.ts'
import { Patience } from './patience.ts'

// bigint columns hold counters far below 2^53.
const int8 = { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) }
type Types = { bigint: number }

export type Sql = postgres.Sql<Types>
/** A write can only be reached with a transaction in hand. */
export type Tx = postgres.ReservedSql<Types>
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
  /**
   * Runs exactly one statement, which is a transaction by itself: one round trip where a transaction has three. When its
   * answer is lost it may run a second time, so it must find what the first one did.
   * @throws ApiError `database_unavailable`: it may have been committed or not
   */
  statement<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** The same for a statement on a queue: whatever it holds at the moment, each row is found by an index. */
  byIndex<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Calls the handler of a channel at each notification, and all after each reconnect: some may have been missed. */
  listen(handlers: Handlers): Promise<void>
  ping(): Promise<boolean>
  /** For the way out: from now on nobody waits longer than `waitMs` for the database, whoever waits already included. */
  hurry(waitMs: number): void
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
/**
 * SQLSTATE classes that mean "not now": connection, refused log-in, no such database, resources, operator intervention,
 * system; and a database that is read-only (25006) or closed to connections (55000).
 */
const unavailablePattern = /^(08|28|3D|53|57|58)|^(25006|55000)$/

// Reads are short. What has no connection by now meets a database that is away, or a pool that is worn out.
const waitMsMax = 10_000

// Single statements have connections of their own: intake and sending go on while requests fill the pool. One batch of
// each kind is in flight at a time. They are planned once: planning the intake anew costs 1.3 ms, running it for one row 0.8.
// Whoever plans while a queue is empty, its usual state, would go through all of it later: 100,000 rows for each page of 256.
const indexPlans = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

// The driver's own waits grow to 20 s and count all connections' failures together: ten within a moment, while it starts.
const reconnectSeconds = (failures: number): number => (failures === 0 ? 0 : 0.1)

/** @param options `waitMs`: how long a read may take, and a transaction may wait for its connection */
export function openDatabase(
  target: { url: string } | ConnectionOptions,
  options: { poolMax: number; applicationName?: string; waitMs?: number },
): Database {
  const settings: postgres.Options<{ bigint: typeof int8 }> = {
    max: options.poolMax,
    idle_timeout: 60,
    connect_timeout: 10,
    backoff: reconnectSeconds,
    types: { bigint: int8 },
    transform: { column: { from: postgres.toCamel } },
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'causeway',
      TimeZone: 'UTC',
      // A process that hangs in a transaction must not keep everybody's rows locked until its connection is given up.
      idle_in_transaction_session_timeout: 10_000,
    },
  }
  const connect = (given: typeof settings) =>
    'url' in target ? postgres(target.url, given) : postgres({ ...given, ...target })
  const [reserved, indexed] = options.poolMax >= 10 ? [2, 3] : [1, 1]
  const sql = connect({ ...settings, max: Math.max(1, options.poolMax - reserved - indexed) })
  const planned = { ...settings.connection, plan_cache_mode: 'force_generic_plan', jit: 'off' }
  const single = connect({ ...settings, max: reserved, connection: planned })
  const byIndex = connect({ ...settings, max: indexed, connection: { ...planned, ...indexPlans } })
  const patience = new Patience(options.waitMs ?? waitMsMax, () =>
    unavailable(new DatabaseError('NO_ANSWER', null, null)),
  )
  const listeners: Listener[] = []

  return {
    read: (work) => translated(() => patience.bound(() => work(sql))),
    statement: (work) => unlessConflict(() => translated(() => patience.bound(() => work(single)))),
    byIndex: (work) => unlessConflict(() => translated(() => patience.bound(() => work(byIndex)))),
    transaction: (work) => unlessConflict(() => translated(() => inTransaction(sql, patience, work))),
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
    ping: () =>
      patience
        .bound(() => sql`select 1`)
        .then(() => true)
        .catch(() => false),
    hurry: (limitMs) => patience.shorten(limitMs),
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()))
      // Whatever used it has ended by now; the driver would wait in vain for connections that never came up again.
      await Promise.all([sql.end({ timeout: 1 }), single.end({ timeout: 1 }), byIndex.end({ timeout: 1 })])
    },
  }
}

/** PostgreSQL rolled it back because it met another transaction: that one is over now. */
async function unlessConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const conflict = error instanceof DatabaseError && conflictCodes.has(error.code)
      if (!conflict || attempt >= conflictRetriesMax) throw error
    }
  }
}

/**
 * Not the driver's own `begin`: after a lost connection that sends a rollback, whose failure nobody can catch and which
 * ends the process. Here nothing is sent on a connection that is lost; the database rolls back by itself.
 */
async function inTransaction<T>(sql: Sql, patience: Patience, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await begin(sql, patience)
  try {
    const result = await work(tx)
    const { command } = await tx.unsafe('commit')
    // So it answers when a statement had failed and `work` passed over that.
    if (command !== 'COMMIT') throw new Error('a failed statement was passed over')
    tx.release()
    return result
  } catch (error) {
    await giveBack(tx, error)
    throw error
  }
}

/** Only the wait for a connection is bounded. One that comes too late does nothing: its caller has been answered. */
async function begin(sql: Sql, patience: Patience): Promise<Tx> {
  return await patience.bound(async (inTime) => {
    const tx = await sql.reserve()
    try {
      await tx.unsafe('begin')
      if (!inTime()) throw new Error('the connection came too late')
      return tx
    } catch (error) {
      await giveBack(tx, error)
      throw error
    }
  })
}

/** The driver takes a lost connection back by itself. */
async function giveBack(tx: Tx, error: unknown): Promise<void> {
  if (isConnectionLost(error)) return
  await tx.unsafe('rollback')
  tx.release()
}

function isConnectionLost(error: unknown): boolean {
  // After these the server hangs up.
  if (error instanceof postgres.PostgresError) return error.severity === 'FATAL' || error.severity === 'PANIC'
  return connectionCodePattern.test(codeOf(error))
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
  const code = codeOf(error)
  return connectionCodePattern.test(code) ? unavailable(new DatabaseError(code, null, null)) : error
}

/** The driver reports a lost or refused connection as an Error with a code of its own, or as the socket's error. */
const connectionCodePattern = /^(CONNECT|CONNECTION_|ECONN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT)/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function unavailable(cause: DatabaseError) {
  return fail('database_unavailable', { retryAfterSeconds: 2, cause })
}

/**
 * For the process's entry. The driver asks the database for its array types on each new connection, and nobody can catch
 * that question's failure when the connection is lost meanwhile: by itself it would end the process. (Telling the driver
 * not to ask makes it hang when a fresh connection is reserved.) Any other failure that nobody caught still ends it.
 */
export function outliveLostConnections(): void {
  process.on('unhandledRejection', (reason) => {
    if (!connectionCodePattern.test(codeOf(reason))) throw reason
  })
}

/** The row that must be there: `insert … returning` and the like. */
export function only<T>(rows: readonly T[]): T {
  const row = rows[0]
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, found ${rows.length}`)
  return row
}
