// What services know of the database: its types and its error, apart from the pools behind them.

import type { Query, Tx } from './query.ts'

/** `not_writing`: reads are answered, and no write has been committed for a while. */
export type Health = 'well' | 'away' | 'not_writing'

/** How long a connection keeps its server process. */
export type Pooling = 'none' | 'session' | 'transaction' | 'statement'

/** Gets what a notification carried; an empty text means that anything may have happened. */
export type Handlers = Readonly<Record<string, (payload: string) => void>>

/** `statementMs`: 0 is no limit. */
export type TimeLimits = { lockMs?: number; statementMs?: number }

export type Use = <T>(work: (query: Query) => PromiseLike<T>) => Promise<T>

export type BusinessDatabase = {
  /** @throws ApiError `database_unavailable` when the database is away, full or read-only */
  read: Use
  /**
   * Commits what `work` did, or nothing. Runs `work` again when PostgreSQL rolled it back for a conflict, so `work`
   * must have no effect outside the database. A lost answer to COMMIT is never retried.
   * @param limits for its statements, in place of those of a request
   * @throws ApiError `database_unavailable`
   */
  transaction<T>(work: (tx: Tx) => PromiseLike<T>, limits?: TimeLimits): Promise<T>
}

export type Database = BusinessDatabase & {
  /**
   * Runs exactly one statement, which is its own transaction: one round trip where a transaction has three. When its
   * answer is lost the statement may run a second time, so it must find what its first run did.
   * @throws ApiError `database_unavailable`: it may have been committed or not
   */
  statement: Use
  /** Does the same for a statement on a queue: however full the queue is, each row is found by an index. */
  byIndex: Use
  /**
   * Runs statements outside a transaction and without a time limit, on a connection of its own, without a pooler:
   * `create index concurrently` can run nowhere else.
   */
  alone: Use
  /** The same database, seen by one business: no statement finds rows of another business (row-security.sql). */
  of(businessId: string): BusinessDatabase
  /** Calls the handler of a channel at each notification, and all after each reconnect: some may have been missed. */
  listen(handlers: Handlers): Promise<void>
  ping(): Promise<boolean>
  /** Says within two seconds whether the database answers and takes writes, on connections beside the pools. */
  health(): Promise<Health>
  /** Finds out what stands between this process and PostgreSQL. @throws ApiError `database_unavailable` */
  pooling(): Promise<Pooling>
  /** Shortens every wait for the database to `waitMs`, also the waits that run. */
  beginShutdown(waitMs: number): void
  close(): Promise<void>
}

/** An error of PostgreSQL, stripped of everything that could hold a caller's data. */
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

/**
 * Takes the row that must be there: of `insert … returning` and the like.
 * @throws Error when there is none, or more than one
 */
export function only<T>(rows: readonly T[]): T {
  const row = rows[0]
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, found ${rows.length}`)
  return row
}
