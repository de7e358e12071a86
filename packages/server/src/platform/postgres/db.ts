// The one way to PostgreSQL: pools for what differs in kind, retry, and what a database failure means to a caller.

import { type ApiError, fail } from '../errors.ts'
import { type ComingTarget, openClient, openPool } from './client.ts'
import { Patience } from './deadline-tracker.ts'
import { type Handlers, type Listener, startListener } from './listener.ts'
import type { Query, Tx } from './query.ts'
import { ConnectionError, isServerError, isStalePlan } from './session.ts'

export type BusinessDatabase = Pick<Database, 'read' | 'transaction'>

export type Database = {
  /** @throws ApiError `database_unavailable` when the database is away, full or read-only */
  read<T>(work: (query: Query) => PromiseLike<T>): Promise<T>
  /**
   * Commits what `work` did, or nothing. Runs `work` again when PostgreSQL rolled it back for a conflict, so `work`
   * must have no effect outside the database. A lost answer to COMMIT is never retried.
   * @throws ApiError `database_unavailable`
   */
  transaction<T>(work: (tx: Tx) => PromiseLike<T>): Promise<T>
  /**
   * Runs exactly one statement, which is a transaction by itself: one round trip where a transaction has three. When its
   * answer is lost it may run a second time, so it must find what the first one did.
   * @throws ApiError `database_unavailable`: it may have been committed or not
   */
  statement<T>(work: (query: Query) => PromiseLike<T>): Promise<T>
  /** The same for a statement on a queue: whatever it holds at the moment, each row is found by an index. */
  byIndex<T>(work: (query: Query) => PromiseLike<T>): Promise<T>
  /**
   * The same database, seen by one business: no other's rows are there, whatever a statement asks for (row-security.sql).
   * Statements and queues that cross businesses are not reached from it.
   */
  of(businessId: string): BusinessDatabase
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
const stalePlan = 'STALE_PLAN'
const conflictCodes = new Set(['40001', '40P01', stalePlan])
/**
 * SQLSTATE classes that mean "not now": connection, refused log-in, no such database, resources, operator intervention,
 * system; and a database that is read-only (25006) or closed to connections (55000).
 */
const unavailablePattern = /^(08|28|3D|53|57|58)|^(25006|55000)$/

// Reads are short. What has no connection by now meets a database that is away, or a pool that is worn out.
const waitMsMax = 10_000

// A process that hangs in a transaction must not keep everybody's rows locked until its connection is given up.
const sessionParameters = { TimeZone: 'UTC', idle_in_transaction_session_timeout: '10s' }

// Single statements have connections of their own: intake and sending go on while requests fill the pool. One batch of
// each kind is in flight at a time. They are planned once: planning the intake anew costs 1.3 ms, running it for one row 0.8.
const planned = { ...sessionParameters, plan_cache_mode: 'force_generic_plan', jit: 'off', enable_seqscan: 'off' }

// Whoever plans while a queue is empty, its usual state, would go through all of it later: 100,000 rows for each page of 256.
const plannedByIndex = {
  ...planned,
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/** @param options `waitMs`: how long a read may take, and a transaction may wait for its connection */
export function openDatabase(
  target: ComingTarget,
  options: { poolMax: number; applicationName?: string; waitMs?: number },
): Database {
  const applicationName = options.applicationName ?? 'causeway'
  const [reserved, indexed] = options.poolMax >= 10 ? [2, 3] : [1, 1]
  const poolOf = (max: number, parameters: Readonly<Record<string, string>>) =>
    openPool(target, { applicationName, parameters, max })
  const general = poolOf(Math.max(1, options.poolMax - reserved - indexed), sessionParameters)
  const single = poolOf(reserved, planned)
  const byIndex = poolOf(indexed, plannedByIndex)
  const patience = new Patience(options.waitMs ?? waitMsMax, () =>
    unavailable(new DatabaseError('NO_ANSWER', null, null)),
  )
  const listeners: Listener[] = []
  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    unlessConflict(() => translated(() => patience.bound(work)))
  const seenBy = (businessId: string | null): BusinessDatabase => ({
    read: (work) => bounded(() => general.use(work, businessId)),
    transaction: (work) =>
      unlessConflict(() => translated(() => general.transaction(work, (begin) => patience.bound(begin), businessId))),
  })

  return {
    ...seenBy(null),
    of: seenBy,
    statement: (work) => bounded(() => single.use(work)),
    byIndex: (work) => bounded(() => byIndex.use(work)),
    async listen(handlers) {
      const open = async () => openClient(await target, { applicationName, parameters: sessionParameters })
      listeners.push(await translated(() => startListener(open, handlers)))
    },
    ping: () =>
      patience
        .bound(() => general.use((query) => query`select 1`))
        .then(() => true)
        .catch(() => false),
    hurry: (limitMs) => patience.shorten(limitMs),
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()))
      await Promise.all([general, single, byIndex].map((pool) => pool.close()))
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

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translate(error)
  }
}

function translate(error: unknown): unknown {
  if (error instanceof ConnectionError) return unavailable(new DatabaseError(error.code, null, null))
  if (!isServerError(error)) return error
  const code = isStalePlan(error) ? stalePlan : (error.code ?? 'XX000')
  const safe = new DatabaseError(code, error.constraint ?? null, error.table ?? error.routine ?? null)
  return unavailablePattern.test(code) ? unavailable(safe) : safe
}

function unavailable(cause: DatabaseError): ApiError {
  return fail('database_unavailable', { retryAfterSeconds: 2, cause })
}

/** The row that must be there: `insert … returning` and the like. */
export function only<T>(rows: readonly T[]): T {
  const row = rows[0]
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, found ${rows.length}`)
  return row
}
