// How far the provider's record of events has been taken in, and which numbers of events came by whatever way. One row.

import { only } from '../../platform/postgres/db.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { SequenceRanges } from './sequence-ranges.rules.ts'

export type EventPullRow = {
  /** The provider's events made before concern nobody here. */
  beginsAt: Date
  /** All events up to this one are taken in for good; null: none yet. */
  cursorEventId: string | null
  /** Takes in also what was made just now, and what its webhook may still bring. */
  eager: boolean
  failures: number
  /** Fencing token: raised by whoever takes the pull. */
  run: number
  /** The last event that the running pull has read; null: none yet. */
  readEventId: string | null
  missed: number
  fresh: number
  /** The last number that had come when the pull began: gaps below it are closed by its end. */
  coversSequence: number | null
  seen: SequenceRanges
  gapAfter: number | null
  gapsInVain: number
  /** Of a provider without a record: steps of deposits that happened before were read from the history of all accounts. */
  historyCoveredTo: Date | null
  /** Of the running pull: the newest step, and the last that was read; null: the history is not being read. */
  historyNewestAt: Date | null
  historyReadId: string | null
}

/** Crosses businesses. @returns undefined when nothing is due, or another replica has it */
export async function claimEventPull(tx: Tx, leaseMs: number): Promise<EventPullRow | undefined> {
  const rows = await tx<EventPullRow[]>`
    update event_pull set run = run + 1, lease_until = now() + make_interval(secs => ${leaseMs / 1000}),
      began_at = coalesce(began_at, now()),
      eager = eager or gap_after is not null,
      covers_sequence = case when began_at is null then (seen->-1->>1)::bigint else covers_sequence end
    where lease_until <= now() and (began_at is not null or due_at <= now() or gap_due_at <= now())
    returning *`
  return rows[0]
}

/** @returns false when another replica has taken the pull meanwhile */
export async function saveEventPull(
  tx: Tx,
  run: number,
  progress: Pick<EventPullRow, 'cursorEventId' | 'readEventId' | 'missed' | 'fresh'>,
): Promise<boolean> {
  const rows = await tx`
    update event_pull set cursor_event_id = ${progress.cursorEventId}, read_event_id = ${progress.readEventId},
      missed = ${progress.missed}, fresh = ${progress.fresh}, lease_until = now()
    where run = ${run} returning id`
  return rows.length === 1
}

/** @returns false when another replica has taken the pull meanwhile */
export async function saveHistoryPull(
  tx: Tx,
  run: number,
  progress: Pick<EventPullRow, 'historyNewestAt' | 'historyReadId' | 'missed' | 'fresh'>,
): Promise<boolean> {
  const rows = await tx`
    update event_pull set history_newest_at = ${progress.historyNewestAt}, history_read_id = ${progress.historyReadId},
      missed = ${progress.missed}, fresh = ${progress.fresh}, lease_until = now()
    where run = ${run} returning id`
  return rows.length === 1
}

export type PullEnd = Pick<EventPullRow, 'eager' | 'failures' | 'gapsInVain'> & { nextInSeconds: number }

/** The running pull is over, at its goal or not. @returns false when another replica has taken it meanwhile */
export async function endEventPull(tx: Tx, run: number, end: PullEnd): Promise<boolean> {
  const rows = await tx`
    update event_pull set began_at = null, read_event_id = null, missed = 0, fresh = 0, covers_sequence = null,
      lease_until = now(), due_at = now() + make_interval(secs => ${end.nextInSeconds}), eager = ${end.eager},
      failures = ${end.failures}, gaps_in_vain = ${end.gapsInVain},
      history_covered_to = case when ${end.failures} = 0 then coalesce(history_newest_at, history_covered_to)
        else history_covered_to end,
      history_newest_at = null, history_read_id = null,
      gap_due_at = case when ${end.failures} > 0 and gap_due_at is not null
        then greatest(gap_due_at, now() + make_interval(secs => ${end.nextInSeconds})) else gap_due_at end
    where run = ${run} returning id`
  return rows.length === 1
}

/** Makes a pull due that leaves nothing to the webhook. */
export async function requestEventPull(tx: Tx): Promise<void> {
  await tx`update event_pull set due_at = least(due_at, now()), eager = true`
}

export async function lockSeenSequences(tx: Tx): Promise<Pick<EventPullRow, 'seen' | 'gapAfter' | 'gapsInVain'>> {
  return only(await tx<EventPullRow[]>`select seen, gap_after, gaps_in_vain from event_pull for update`)
}

/** @param gap the lowest one; another than before is looked into after `delaySeconds`, the same one when it was due anyway */
export async function saveSeenSequences(
  tx: Tx,
  seen: SequenceRanges,
  gap: { after: number; delaySeconds: number } | null,
): Promise<void> {
  const after = gap?.after ?? null
  const dueAt = gap ? tx`now() + make_interval(secs => ${gap.delaySeconds})` : tx`null`
  await tx`
    update event_pull set seen = ${tx.json(seen as never)}, gap_after = ${after},
      gap_due_at = case when gap_after is not distinct from ${after} then gap_due_at else ${dueAt} end`
}

/** The provider's id of the newest event that came signed. */
export async function latestProviderEventId(tx: Tx): Promise<string | null> {
  const rows = await tx<{ id: string }[]>`
    select provider_event_id as id from events
    where provider_event_id is not null and trust = 'verified' order by events.id desc limit 1`
  return rows[0]?.id ?? null
}

/** @returns false when this was done less than `secondsMin` ago */
export async function claimResend(tx: Tx, secondsMin: number): Promise<boolean> {
  const rows = await tx`
    update event_pull set resent_at = now()
    where resent_at is null or resent_at <= now() - make_interval(secs => ${secondsMin}) returning id`
  return rows.length === 1
}

/** Milliseconds until a pull is due or its next page is free to be taken. */
export async function nextEventPullDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number }[]>`
    select (extract(epoch from greatest(lease_until,
      case when began_at is null then least(due_at, gap_due_at) else lease_until end) - now()) * 1000)::float8 as ms
    from event_pull`
  return rows[0]?.ms ?? null
}
