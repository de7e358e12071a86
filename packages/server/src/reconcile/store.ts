// How far the provider's event log, or the history of all accounts, has been read; and how far the reread walk has
// advanced. One row each.

import { endedSql, type Lease, LeaseLostError, leaseEndSql } from '../platform/postgres/leases.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'

export type EventPullRow = {
  /** Earlier provider events are not relevant. */
  beginsAt: Date
  /** All events up to this one are stored permanently; null: none yet. */
  cursorEventId: string | null
  /** Also stores recent events, which their webhook may still deliver. */
  eager: boolean
  failures: number
  /** Raised by each replica that takes the pull. */
  fence: number
  /** The last event that the running pull has read; null: none yet. */
  readEventId: string | null
  /** Events and steps of the running pull that no webhook had delivered in time. */
  missed: number
  /** For a provider without an event log: earlier steps of deposits were read from the history of all accounts. */
  historyCoveredTo: Date | null
  /** The newest step of the running pull, and the last one read; null: the history is not being read. */
  historyNewestAt: Date | null
  historyReadId: string | null
}

/** Takes the pull when it is due. Crosses businesses. @returns undefined when nothing is due, or another replica has it */
export async function claimEventPull(tx: Tx, leaseMs: number): Promise<EventPullRow | undefined> {
  const rows = await tx<EventPullRow[]>`
    update event_pull set fence = fence + 1, lease_until = ${leaseEndSql(tx, leaseMs)},
      began_at = coalesce(began_at, now())
    where lease_until <= now() and (began_at is not null or due_at <= now())
    returning *`
  return rows[0]
}

/** The lease of a pull: what a page brings is applied by one replica at a time. */
export const leaseOfPull = ({ fence }: EventPullRow): Lease => ({
  lock: (tx) => tx`select 1 from event_pull where fence = ${fence} for share`,
  lost: () => new LeaseLostError('the pull of events'),
})

/** Saves what a page contained. @returns false if another replica has taken the pull */
export async function saveEventPull(tx: Tx, progress: EventPullRow): Promise<boolean> {
  const rows = await tx`
    update event_pull set cursor_event_id = ${progress.cursorEventId}, read_event_id = ${progress.readEventId},
      history_newest_at = ${progress.historyNewestAt}, history_read_id = ${progress.historyReadId},
      missed = ${progress.missed}, lease_until = ${endedSql(tx)}
    where fence = ${progress.fence} returning provider`
  return rows.length === 1
}

/** Ends the running pull, complete or not. Does nothing if another replica has taken it. */
export async function endEventPull(
  tx: Tx,
  fence: number,
  end: Pick<EventPullRow, 'eager' | 'failures'> & { nextInSeconds: number },
): Promise<void> {
  await tx`
    update event_pull set began_at = null, read_event_id = null, missed = 0,
      lease_until = ${endedSql(tx)}, due_at = now() + make_interval(secs => ${end.nextInSeconds}), eager = ${end.eager},
      failures = ${end.failures},
      history_covered_to = case when ${end.failures} = 0 then coalesce(history_newest_at, history_covered_to)
        else history_covered_to end,
      history_newest_at = null, history_read_id = null
    where fence = ${fence}`
}

/** Makes a pull due that leaves nothing to the webhook: after a start or an outage it is not known what was sent. */
export async function requestEventPull(tx: Tx): Promise<void> {
  await tx`update event_pull set due_at = least(due_at, now()), eager = true`
}

/** @returns the provider's ID of the newest signed event */
export async function latestProviderEventId(tx: Tx): Promise<string | null> {
  const rows = await tx<{ id: string }[]>`
    select provider_event_id as id from events
    where provider_event_id is not null and trust = 'verified' order by events.id desc limit 1`
  return rows[0]?.id ?? null
}

/** @returns milliseconds until a pull is due or its next page is free to be taken */
export async function nextEventPullDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number }[]>`
    select (extract(epoch from greatest(lease_until, case when began_at is null then due_at else lease_until end) - now())
      * 1000)::float8 as ms
    from event_pull`
  return rows[0]?.ms ?? null
}

export type RereadWalkRow = {
  stage: 'end_users' | 'virtual_accounts'
  afterBusinessId: string
  afterId: string
  /** Raised by each replica that takes the next step. */
  fence: number
  /** Consecutive steps for which the provider was unavailable. */
  failures: number
  /** When the last complete walk started: it has read everything before. */
  coveredTo: Date | null
}

/** Runs across businesses. @returns undefined if no step is due, or another replica has it */
export async function claimRereadStep(tx: Tx, leaseMs: number): Promise<RereadWalkRow | undefined> {
  const rows = await tx<RereadWalkRow[]>`
    update reread_walk set fence = fence + 1, lease_until = ${leaseEndSql(tx, leaseMs)},
      began_at = coalesce(began_at, now())
    where due_at <= now() and lease_until <= now()
    returning *`
  return rows[0]
}

/** The lease of a step of the walk: what the step has read is applied by one replica at a time. */
export const leaseOfStep = ({ fence }: RereadWalkRow): Lease => ({
  lock: (tx) => tx`select 1 from reread_walk where fence = ${fence} for share`,
  lost: () => new LeaseLostError('a step of the walk'),
})

/** Completes a step. Does nothing if another replica has taken it. */
export async function saveRereadStep(
  tx: Tx,
  fence: number,
  next: { stage: RereadWalkRow['stage']; after: { businessId: string; id: string } },
  nextInSeconds: number,
): Promise<void> {
  await tx`
    update reread_walk set stage = ${next.stage}, after_business_id = ${next.after.businessId}, after_id = ${next.after.id},
      lease_until = ${endedSql(tx)}, due_at = now() + make_interval(secs => ${nextInSeconds}), failures = 0
    where fence = ${fence}`
}

/** Retries the step later. */
export async function postponeRereadStep(tx: Tx, fence: number, delaySeconds: number): Promise<void> {
  await tx`
    update reread_walk set failures = failures + 1, lease_until = ${endedSql(tx)}, due_at = now() + make_interval(secs => ${delaySeconds})
    where fence = ${fence}`
}

/** Completes the walk. A walk that was requested in the meantime starts after `againInSeconds`. */
export async function endRereadWalk(
  tx: Tx,
  fence: number,
  { nextInSeconds, againInSeconds }: { nextInSeconds: number; againInSeconds: number },
): Promise<void> {
  await tx`
    update reread_walk set stage = 'end_users', after_business_id = '', after_id = '', lease_until = ${endedSql(tx)},
      due_at = now() + make_interval(secs => case when requested_at > began_at then ${againInSeconds}::float8 else ${nextInSeconds}::float8 end),
      covered_to = began_at, ended_at = now(), began_at = null, failures = 0
    where fence = ${fence}`
}

/** Makes a walk due; if one has just ended, only after `againInSeconds`. */
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
