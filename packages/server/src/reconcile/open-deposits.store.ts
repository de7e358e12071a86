// Who reads open deposits, and when. One row; the deposits decide which are due.

import { endedSql, type Lease, LeaseLostError, leaseEndSql } from '../platform/postgres/leases.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'

export type OpenDepositStep = {
  /** Raised by each replica that takes the next step. */
  fence: number
  /** Consecutive steps for which the provider was unavailable. */
  failures: number
}

/** @returns undefined if no step may start, or another replica has it */
export async function claimOpenDepositStep(tx: Tx, leaseMs: number): Promise<OpenDepositStep | undefined> {
  const rows = await tx<OpenDepositStep[]>`
    update open_deposit_walk set fence = fence + 1, lease_until = ${leaseEndSql(tx, leaseMs)}
    where due_at <= now() and lease_until <= now()
    returning fence, failures`
  return rows[0]
}

/** The lease of a step: what the step has read is applied by one replica at a time. */
export const leaseOfOpenDepositStep = ({ fence }: OpenDepositStep): Lease => ({
  lock: (tx) => tx`select 1 from open_deposit_walk where fence = ${fence} for share`,
  lost: () => new LeaseLostError('the reading of open deposits'),
})

/** Ends a step. Does nothing if another replica has taken it. */
export async function endOpenDepositStep(
  tx: Tx,
  fence: number,
  { failures, nextInSeconds }: { failures: number; nextInSeconds: number },
): Promise<void> {
  await tx`
    update open_deposit_walk set failures = ${failures}, lease_until = ${endedSql(tx)},
      due_at = now() + make_interval(secs => ${nextInSeconds})
    where fence = ${fence}`
}

/** @returns milliseconds until the next step may start */
export async function nextOpenDepositStepMs(query: Query): Promise<number> {
  const rows = await query<{ ms: number }[]>`
    select (extract(epoch from greatest(due_at, lease_until) - now()) * 1000)::float8 as ms from open_deposit_walk`
  return rows[0]?.ms ?? 0
}
