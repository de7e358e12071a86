// How far the provider's information requests have been read. One row.

import { endedSql, type Lease, LeaseLostError, leaseEndSql } from '../platform/postgres/leases.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'

export type InformationRequestPullRow = {
  /** First the requests that the provider lists, then the open requests that were not listed. */
  stage: 'listed' | 'held'
  afterId: string | null
  /** Read in this stage. */
  pages: number
  /** Raised by each replica that takes the pull. */
  fence: number
  /** Consecutive. */
  failures: number
  beganAt: Date
  refusedSince: Date | null
}

/** Takes the pull when it is due. @returns undefined when nothing is due, or another replica has it */
export async function claimInformationRequestPull(
  tx: Tx,
  leaseMs: number,
): Promise<InformationRequestPullRow | undefined> {
  const rows = await tx<InformationRequestPullRow[]>`
    update information_request_pull set fence = fence + 1, lease_until = ${leaseEndSql(tx, leaseMs)},
      began_at = coalesce(began_at, now())
    where due_at <= now() and lease_until <= now()
    returning *`
  return rows[0]
}

/** The lease of a pull: what a page brings is applied by one replica at a time. */
export const leaseOfInformationRequestPull = ({ fence }: InformationRequestPullRow): Lease => ({
  lock: (tx) => tx`select 1 from information_request_pull where fence = ${fence} for share`,
  lost: () => new LeaseLostError('the pull of information requests'),
})

/** Saves where the pull continues. Does nothing if another replica has taken the pull. */
export async function saveInformationRequestPull(
  tx: Tx,
  fence: number,
  next: Pick<InformationRequestPullRow, 'stage' | 'afterId' | 'pages'>,
): Promise<void> {
  await tx`
    update information_request_pull set stage = ${next.stage}, after_id = ${next.afterId}, pages = ${next.pages},
      lease_until = ${endedSql(tx)}, failures = 0
    where fence = ${fence}`
}

/** Tries the same page again, later. */
export async function postponeInformationRequestPull(tx: Tx, fence: number, delaySeconds: number): Promise<void> {
  await tx`
    update information_request_pull set failures = failures + 1, lease_until = ${endedSql(tx)},
      due_at = now() + make_interval(secs => ${delaySeconds})
    where fence = ${fence}`
}

/** Ends the running pull: it has read everything, or the provider does not allow reading. */
export async function endInformationRequestPull(
  tx: Tx,
  fence: number,
  { isRefused, nextInSeconds }: { isRefused: boolean; nextInSeconds: number },
): Promise<void> {
  await tx`
    update information_request_pull set stage = 'listed', after_id = null, pages = 0, lease_until = ${endedSql(tx)}, failures = 0,
      due_at = now() + make_interval(secs => case when requested_at > began_at then 0 else ${nextInSeconds}::float8 end),
      covered_to = case when ${isRefused} then covered_to else began_at end,
      refused_since = case when ${isRefused} then coalesce(refused_since, now()) end,
      began_at = null
    where fence = ${fence}`
}

/** Makes a pull due, or the next one when a pull runs. */
export async function requestInformationRequestPull(tx: Tx): Promise<void> {
  await tx`update information_request_pull set requested_at = now(), due_at = least(due_at, now())`
}

/** @returns milliseconds until a pull is due or its next page is free to be taken */
export async function nextInformationRequestPullDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number }[]>`
    select (extract(epoch from greatest(due_at, lease_until) - now()) * 1000)::float8 as ms from information_request_pull`
  return rows[0]?.ms ?? null
}
