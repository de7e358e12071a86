// Changes a restored database so that nothing is assigned or done a second time. Runs across businesses: for the
// operator, while no server runs. Touches event_streams, endpoint_sequences, console_links, console_sessions,
// onboarding_links, virtual_accounts, operations, event_pull, reread_walk, open_deposit_walk, information_request_pull,
// api_keys and businesses.

import { only } from '../../platform/postgres/database.ts'
import { willLock } from '../../platform/postgres/lock-order.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'

/** Counts sessions of Causeway on this database that began before a time: those of other processes. */
export async function countOlderSessions(query: Query, seconds: number): Promise<number> {
  return only(
    await query<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = 'causeway' and pid <> pg_backend_pid()
        and backend_start < now() - make_interval(secs => ${seconds})`,
  ).count
}

/** @returns the time of the newest event, request or audit entry: later data is missing */
export async function readNewestTime(query: Query): Promise<{ eventId: string | null; actAt: Date | null }> {
  return only(
    await query<{ eventId: string | null; actAt: Date | null }[]>`
      select (select max(id) from events) as event_id, (select max(created_at) from audit_log) as act_at`,
  )
}

export type DroppedChange = { businessId: string; id: string; kind: string; subjectId: string }

/**
 * Ends account changes in progress: repeating one would undo a change made after the backup. The provider's data is
 * read afterwards.
 */
export async function dropOpenChanges(tx: Tx): Promise<DroppedChange[]> {
  willLock(tx, 'account')
  await tx`
    update virtual_accounts set pending_destination = null, pending_destination_actor = null, updated_at = now()
    where pending_destination is not null and pending_destination_at is null`
  willLock(tx, 'operation')
  return await tx<DroppedChange[]>`
    update operations set state = 'failed', error_code = 'restored', updated_at = now(),
      request = request #- '{destination,travelRuleData}'
    where state in ('running', 'unknown') and kind in ('virtual_account.update', 'virtual_account.deactivate', 'virtual_account.reactivate')
    returning business_id, id, kind, subject_id`
}

/** Restarts the full delay of each pending destination change. @returns how many */
export async function postponeDestinations(tx: Tx, delayMinutes: number): Promise<number> {
  willLock(tx, 'account')
  const { count } = await tx`
    update virtual_accounts set
      pending_destination_at = greatest(pending_destination_at, now() + make_interval(mins => ${delayMinutes}::int))
    where pending_destination_at is not null`
  return count
}

/** Advances every stream and every endpoint, so that no place and no number is assigned twice. */
export async function skipNumbers(tx: Tx, by: number): Promise<{ streams: number; endpoints: number }> {
  willLock(tx, 'stream')
  const { count: streams } = await tx`update event_streams set position = position + ${by}::bigint`
  willLock(tx, 'lane')
  const { count: endpoints } = await tx`update endpoint_sequences set sequence = sequence + ${by}::bigint`
  return { streams, endpoints }
}

/** Revokes console links and sessions: a link that was used after the backup could be used again. */
export async function endConsoleAccess(tx: Tx): Promise<{ links: number; sessions: number }> {
  const { count: links } = await tx`
    update console_links set revoked_at = now() where revoked_at is null and expires_at > now()`
  const { count: sessions } = await tx`delete from console_sessions`
  return { links, sessions }
}

/** Revokes open onboarding links: a link that was revoked after the backup would work again. @returns how many */
export async function endOnboardingLinks(tx: Tx): Promise<number> {
  const { count } = await tx`
    update onboarding_links set revoked_at = now(), session_digest = null
    where completed_at is null and abandoned_at is null and revoked_at is null`
  return count
}

/** Schedules an immediate read of the provider's event log, and then of every object. */
export async function requestReconciliation(tx: Tx): Promise<void> {
  await tx`
    update event_pull set due_at = least(due_at, now()), eager = true, began_at = null, read_event_id = null,
      lease_until = least(lease_until, now()), history_newest_at = null, history_read_id = null, missed = 0`
  await tx`
    update reread_walk set stage = 'end_users', after_business_id = '', after_id = '', began_at = null, requested_at = now(),
      due_at = now(), lease_until = least(lease_until, now()), failures = 0`
  await tx`
    update information_request_pull set stage = 'listed', after_id = null, pages = 0, began_at = null, due_at = now(),
      lease_until = least(lease_until, now()), failures = 0`
  await tx`
    update open_deposit_walk set due_at = now(), lease_until = least(lease_until, now()), failures = 0`
}

export type LiveKey = { businessId: string; id: string }

export async function countLiveKeys(query: Query): Promise<number> {
  return only(
    await query<{ count: number }[]>`
      select count(*)::int as count from api_keys where revoked_at is null and (expires_at is null or expires_at > now())`,
  ).count
}

export async function listLiveKeys(query: Query, businessId: string): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select id from api_keys
    where business_id = ${businessId} and revoked_at is null and (expires_at is null or expires_at > now())
    order by id limit 1000`
  return rows.map(({ id }) => id)
}

/** Lists businesses by ID, after a given one. */
export async function listBusinessIds(query: Query, after: string, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }[]>`select id from businesses where id > ${after} order by id limit ${limit}`
  return rows.map(({ id }) => id)
}
