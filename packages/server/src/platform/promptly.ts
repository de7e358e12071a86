// Transactions that a caller waits for.

import type { Deps } from '../app/context.ts'
import type { ApiError } from './errors.ts'
import { isLockWaitOver, waitBriefly } from './postgres/lock-order.ts'
import type { Tx } from './postgres/query.ts'

/**
 * A transaction that does not wait for a row which another one holds and does not let go: its connection would be missing
 * to everybody else.
 * @param busy what the caller is told then
 */
export async function promptly<T>(deps: Deps, busy: () => ApiError, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await deps.db.transaction(async (tx) => {
      await waitBriefly(tx)
      return await work(tx)
    })
  } catch (error) {
    if (isLockWaitOver(error)) throw busy()
    throw error
  }
}
