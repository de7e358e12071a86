// Leases: the right to work on a row until a time of the database's clock. Owns how a lease is dated, checked and ended.
// Each store names its leased row, and a fence that changes with each holder.

import type { BusinessDatabase } from './database.ts'
import type { Query, Tx } from './query.ts'

/** A lease, as its holder knows it. */
export type Lease = {
  /** Locks the leased row while the fence is the holder's. @returns no row when the lease has another holder */
  lock(tx: Tx): PromiseLike<readonly object[]>
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

/** Records that a statement of this transaction found the lease held, and has locked its row. */
export function noteHeld(tx: Tx): void {
  confirmed.add(tx)
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
      if (!confirmed.has(tx) && (await lease.lock(tx)).length === 0) throw lease.lost()
      return result
    }, limits)
  return { ...deps, db: { ...db, transaction } }
}
