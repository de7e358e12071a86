// The database as services use it: its types and its error, independent of the pools.

import type { Query, Tx } from './query.ts'

/** `not_writing`: reads succeed, but no write has been committed for a while. */
export type Health = 'well' | 'away' | 'not_writing'

/** How long a connection keeps its server process: see `pooling`. */
export type Pooling = 'none' | 'session' | 'transaction' | 'statement'

/**
 * Receives the notification payload. An empty payload means that notifications may have been lost: re-read everything.
 */
export type Handlers = Readonly<Record<string, (payload: string) => void>>

/** Uses the connection that listens, of which there is none at times. */
export type FollowsConnection = { moveTo(connection: { query: Query } | null): void }

/** `statementMs`: 0 is no limit. */
export type TimeLimits = { lockMs?: number; statementMs?: number }

export type Use = <T>(work: (query: Query) => PromiseLike<T>) => Promise<T>

export type BusinessDatabase = {
  /** @throws ApiError `database_unavailable` if the database is unavailable, full or read-only */
  read: Use
  /**
   * Commits all of `work`, or nothing. Runs `work` again when PostgreSQL rolled it back for a conflict, so `work` must
   * have no effect outside the database. A lost response to COMMIT is never retried.
   * @param limits for its statements, instead of the limits of a request
   * @throws ApiError `database_unavailable`
   */
  transaction<T>(work: (tx: Tx) => PromiseLike<T>, limits?: TimeLimits): Promise<T>
  /**
   * Runs exactly one statement as its own transaction, in one round trip. If its response is lost, the statement may run a
   * second time, so it must find the result of its first run.
   * @throws ApiError `database_unavailable`: it may have been committed or not
   */
  statement: Use
}

export type Database = BusinessDatabase & {
  /** Like `statement`, for a statement on a queue: each row is found by an index, however full the queue is. */
  byIndex: Use
  /**
   * Runs statements outside a transaction and without a time limit, on a separate connection without a pooler. `create
   * index concurrently` can run nowhere else.
   */
  alone: Use
  /** The same database, limited to one business: no statement finds rows of another business (row-security.sql). */
  of(businessId: string): BusinessDatabase
  /**
   * Calls the handler of a channel for each notification, and every handler after each reconnect, because notifications
   * may have been lost. @param audience those who wait for `streamChannel`
   */
  listen(handlers: Handlers, audience?: FollowsConnection): Promise<void>
  ping(): Promise<boolean>
  /**
   * Reports within two seconds whether the database responds and accepts writes. Uses connections outside the pools.
   */
  health(): Promise<Health>
  /** Detects a pooler between this process and PostgreSQL. @throws ApiError `database_unavailable` */
  pooling(): Promise<Pooling>
  /** Shortens every wait for the database to `waitMs`, including the current waits. */
  beginShutdown(waitMs: number): void
  close(): Promise<void>
}

/** An error of PostgreSQL, without any part that could contain a caller's data. */
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
 * Returns the row that must exist, for example of `insert … returning`.
 * @throws Error if there is none, or more than one
 */
export function only<T>(rows: readonly T[]): T {
  const row = rows[0]
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, found ${rows.length}`)
  return row
}
