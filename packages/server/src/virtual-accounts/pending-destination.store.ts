// Pending destination changes: stored with the account, one at a time.

import type { Actor } from '../platform/http/caller.ts'
import { willLock } from '../platform/postgres/lock-order.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { Destination } from './terms/destination.rules.ts'

/** The actor who asked for a change that is made later. */
type Asker = Pick<Actor, 'name' | 'person'>

/** Saves a pending destination. @param pending null: removes it */
export async function saveDestination(
  tx: Tx,
  businessId: string,
  id: string,
  pending: { destination: Destination; actor: Asker; delayMinutes: number } | null,
): Promise<void> {
  const { destination = null, actor = null, delayMinutes = null } = pending ?? {}
  await tx`
    update virtual_accounts set updated_at = now(), pending_destination = ${destination && tx.json(destination)},
      pending_destination_actor = ${actor && tx.json(actor)}, pending_destination_at = now() + make_interval(mins => ${delayMinutes}::int)
    where business_id = ${businessId} and id = ${id}`
}

/**
 * Lists accounts with a due destination change; suspended accounts are skipped. Crosses businesses, for the resume
 * loop.
 */
export async function listDueDestinations(query: Query, limit: number) {
  return await query<{ businessId: string; id: string }[]>`
    select business_id, id from virtual_accounts where pending_destination_at <= now() and suspended_reason is null
    order by pending_destination_at limit ${limit}`
}

/** @returns milliseconds until the next destination change is due; null if none is pending */
export async function nextDestinationDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(pending_destination_at) - now()) * 1000)::float8 as ms
    from virtual_accounts where pending_destination_at is not null and suspended_reason is null`
  return rows[0]?.ms ?? null
}

/** Begins a due destination change, which removes its time. @returns undefined if the change is no longer due */
export async function beginDestination(tx: Tx, businessId: string, id: string) {
  willLock(tx, 'account')
  const rows = await tx<{ destination: Destination; actor: Asker }[]>`
    update virtual_accounts set pending_destination_at = null
    where business_id = ${businessId} and id = ${id} and pending_destination_at <= now() and suspended_reason is null
    returning pending_destination as destination, pending_destination_actor as actor`
  return rows[0]
}

/** Deletes a destination change that has been applied. A newer one stays pending. @returns whether there was one */
export async function endDestination(tx: Tx, businessId: string, id: string): Promise<boolean> {
  const rows = await tx`
    update virtual_accounts set pending_destination = null, pending_destination_actor = null, updated_at = now()
    where business_id = ${businessId} and id = ${id} and pending_destination is not null and pending_destination_at is null
    returning id`
  return rows.length > 0
}

/** Postpones a destination change because another change of the account is in progress. */
export async function deferDestination(tx: Tx, businessId: string, id: string): Promise<void> {
  await tx`
    update virtual_accounts set pending_destination_at = now() + interval '5 seconds'
    where business_id = ${businessId} and id = ${id}`
}
