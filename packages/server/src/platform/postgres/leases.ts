// Leases: the right to work on a row until a time of the database's clock. Owns how a lease is dated, checked and ended.
// Each store names its leased row, and a fence that changes with each holder.

import type { BusinessDatabase } from './database.ts'
import type { Query, Statement, Tx } from './query.ts'

/** A lease, as its holder knows it. */
export type Lease = {
  /** Locks the leased row while the fence is the holder's. @returns no row when the lease has another holder */
  lock(tx: Tx): Statement<object[]>
  /** Creates the error for a holder that has lost the lease. */
  lost(): Error
}

/** Another holder has taken the lease, and does the work. */
export class LeaseLostError extends Error {
  constructor(what: string) {
    super(`another holder has taken the lease of ${what}`)
    this.name = 'LeaseLostError'
  }
}

/** The end of a lease that is taken now. */
export const leaseEndSql = (query: Query, leaseMs: number) => query`now() + make_interval(secs => ${leaseMs / 1000})`

/** Ends a lease: the next holder can take it at once. Rounded down, because a column keeps milliseconds. */
export const endedSql = (query: Query) => query`date_trunc('milliseconds', now())`

const confirmed = new WeakSet<Tx>()

const divisionByZero = '22012'

/**
 * Sends a statement that locks or changes the leased row while the fence is the holder's, and returns it. Without a row
 * PostgreSQL itself refuses to commit, because nobody waits for the response before COMMIT.
 * @param lost creates the error that the transaction then throws
 * @param committed is called once the transaction is committed
 */
export function requireHeld(tx: Tx, lost: Lease['lost'], row: Statement<object[]>, committed?: () => void): void {
  confirmed.add(tx)
  const answer = tx`with held as (${row}) select 1 / count(*) from held`.catch((error: unknown) => {
    throw error instanceof Error && 'code' in error && error.code === divisionByZero ? lost() : error
  })
  tx.send(answer, committed)
}

/**
 * Creates the dependencies of a holder: its transactions commit only while the lease is held. The check is the last statement
 * and locks the row, so a next holder waits for the COMMIT, and nobody waits for the row during the work.
 */
export function underLease<Deps extends { db: BusinessDatabase }>(deps: Deps, lease: Lease): Deps {
  const { db } = deps
  const transaction: BusinessDatabase['transaction'] = (work, limits) =>
    db.transaction(async (tx) => {
      const result = await work(tx)
      if (!confirmed.has(tx)) requireHeld(tx, lease.lost, lease.lock(tx))
      return result
    }, limits)
  return { ...deps, db: { ...db, transaction } }
}
