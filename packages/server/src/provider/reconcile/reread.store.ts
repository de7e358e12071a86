// How far the walk has got that reads everything at the provider again. One row.

import type { Query, Tx } from '../../platform/postgres/query.ts'

export type RereadStage = 'end_users' | 'virtual_accounts'

export type RereadWalkRow = {
  stage: RereadStage
  afterBusinessId: string
  afterId: string
  /** Fencing token: raised by whoever takes the next step. */
  run: number
  /** Steps in a row for which the provider was away. */
  failures: number
  /** When the last complete walk began: what happened before was read by it. */
  coveredTo: Date | null
}

/** Crosses businesses. @returns undefined when no step is due, or another replica has it */
export async function claimRereadStep(tx: Tx, leaseMs: number): Promise<RereadWalkRow | undefined> {
  const rows = await tx<RereadWalkRow[]>`
    update reread_walk set run = run + 1, lease_until = now() + make_interval(secs => ${leaseMs / 1000}),
      began_at = coalesce(began_at, now())
    where due_at <= now() and lease_until <= now()
    returning *`
  return rows[0]
}

/** The step is done. Does nothing when another replica has taken it meanwhile. */
export async function saveRereadStep(
  tx: Tx,
  run: number,
  next: { stage: RereadStage; after: { businessId: string; id: string } },
  nextInSeconds: number,
): Promise<void> {
  await tx`
    update reread_walk set stage = ${next.stage}, after_business_id = ${next.after.businessId}, after_id = ${next.after.id},
      lease_until = now(), due_at = now() + make_interval(secs => ${nextInSeconds}), failures = 0
    where run = ${run}`
}

/** The step is tried again, later. */
export async function postponeRereadStep(tx: Tx, run: number, delaySeconds: number): Promise<void> {
  await tx`
    update reread_walk set failures = failures + 1, lease_until = now(), due_at = now() + make_interval(secs => ${delaySeconds})
    where run = ${run}`
}

/** The walk is complete. One that was asked for while it ran comes after `againInSeconds`. */
export async function endRereadWalk(
  tx: Tx,
  run: number,
  { nextInSeconds, againInSeconds }: { nextInSeconds: number; againInSeconds: number },
): Promise<void> {
  await tx`
    update reread_walk set stage = 'end_users', after_business_id = '', after_id = '', lease_until = now(),
      due_at = now() + make_interval(secs => case when requested_at > began_at then ${againInSeconds}::float8 else ${nextInSeconds}::float8 end),
      covered_to = began_at, ended_at = now(), began_at = null, failures = 0
    where run = ${run}`
}

/** Makes a walk due; when one has just ended, only once `againInSeconds` have passed since. */
export async function requestRereadWalk(tx: Tx, againInSeconds: number): Promise<void> {
  await tx`
    update reread_walk set requested_at = now(),
      due_at = least(due_at, greatest(now(), ended_at + make_interval(secs => ${againInSeconds})))`
}

/** Milliseconds until the next step is due. */
export async function nextRereadDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number }[]>`
    select (extract(epoch from greatest(due_at, lease_until) - now()) * 1000)::float8 as ms from reread_walk`
  return rows[0]?.ms ?? null
}
