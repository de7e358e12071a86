// Erasure of an end-user: deletes its rows at once, and the content of its events and deliveries in steps.

import { willLock } from '../platform/postgres/lock-order.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'

export type Erasure = { businessId: string; endUserId: string; position: number }

/**
 * Reasons against an erasure: an account that takes deposits or may be resumed, money in transit, or an open call to
 * the provider.
 */
export type ErasureObstacle = { kind: 'account' | 'deposit' | 'operation'; id: string; state: string }

// Deposits that the provider may still report on. A deposit without changes for 30 days counts as finished.
const openDepositStatuses = ['scheduled', 'received', 'in_review', 'payout_submitted', 'refund_pending']

export async function listErasureObstacles(tx: Tx, businessId: string, endUserId: string): Promise<ErasureObstacle[]> {
  return await tx<ErasureObstacle[]>`
    select 'account' as kind, id, status as state from virtual_accounts
      where business_id = ${businessId} and end_user_id = ${endUserId} and status in ('active', 'suspended')
    union all
    select 'deposit', id, status from deposits
      where business_id = ${businessId} and end_user_id = ${endUserId} and status = any(${openDepositStatuses}::text[])
        and updated_at > now() - interval '30 days'
    union all
    select 'operation', subject_id, kind from operations
      where business_id = ${businessId} and state in ('running', 'unknown')
        and (subject_id = ${endUserId} or subject_id in (
          select id from virtual_accounts where business_id = ${businessId} and end_user_id = ${endUserId}))
    limit 20`
}

/**
 * Locks an end-user and its accounts.
 * @returns the stream position after which every event of the end-user is; undefined if the end-user has been erased
 */
export async function lockPresent(tx: Tx, businessId: string, endUserId: string) {
  willLock(tx, 'endUser')
  const rows = await tx<{ streamFrom: number }[]>`
    select stream_from from end_users where business_id = ${businessId} and id = ${endUserId} for update`
  willLock(tx, 'account')
  await tx`
    select 1 from virtual_accounts where business_id = ${businessId} and end_user_id = ${endUserId} order by id for update`
  return rows[0]
}

/** Removes the rows about an end-user, and stores that its events are still to be emptied. */
export async function deleteEndUser(tx: Tx, { businessId, endUserId, position }: Erasure): Promise<void> {
  const ofUser = tx`business_id = ${businessId} and end_user_id = ${endUserId}`
  await tx`delete from deposits where ${ofUser}`
  await tx`
    delete from operations where business_id = ${businessId} and (subject_id = ${endUserId}
      or subject_id in (select id from virtual_accounts where ${ofUser}))`
  await tx`delete from virtual_accounts where ${ofUser}`
  // The digest of a used agreement stays, so that nobody else can use the agreement.
  await tx`update signed_agreements set end_user_id = null where ${ofUser}`
  // deletes its ToS links by cascade
  await tx`delete from end_users where business_id = ${businessId} and id = ${endUserId}`
  await tx`
    insert into erasures (business_id, end_user_id, position) values (${businessId}, ${endUserId}, ${position})
    on conflict do nothing`
}

/** Lists unfinished erasures of all businesses. */
export async function listErasures(query: Query, limit: number): Promise<Erasure[]> {
  return await query<Erasure[]>`
    select business_id, end_user_id, position from erasures order by created_at limit ${limit}`
}

/**
 * Empties the events at the next places of the stream, and the stored responses of their receivers. The IDs, types and
 * numbers stay, so that a receiver sees no gap. A transaction that began before the erasure may still append an event,
 * so the erasure stays listed for a minute.
 * @returns the position to continue from; null at the end of the stream
 */
export async function eraseEvents(tx: Tx, erasure: Erasure, places: number): Promise<number | null> {
  const { businessId, endUserId, position } = erasure
  const [stream] = await tx<{ last: number }[]>`
    select coalesce(max(position), 0) as last from event_streams where business_id = ${businessId}`
  const last = stream?.last ?? 0
  const through = Math.min(position + places, last)
  await tx`
    with found as materialized (
      select id from events
      where business_id = ${businessId} and position > ${position} and position <= ${through} and end_user_id = ${endUserId}
      order by id for no key update
    ), emptied as (
      update events set external_user_id = null, body = convert_to(json_build_object(
        'event_id', coalesce(provider_event_id, id), 'event_type', type, 'erased', true)::text, 'UTF8')
      where id in (select id from found) and business_id = ${businessId}
      returning id, 'dlv_' || substr(id, 5) as first_delivery
    ), idle as (
      delete from event_work w using emptied e where w.event_id = e.id
    ), finished as (
      update finished_deliveries f set response_body = null, response_headers = null, response_sealed = null, detail = null
      from emptied e
      where f.business_id = ${businessId} and f.id >= e.first_delivery and f.id < e.first_delivery || '~'
    )
    update delivery_attempts a set response_body = null, response_headers = null, response_sealed = null, detail = null
    from emptied e
    where a.business_id = ${businessId} and a.delivery_id >= e.first_delivery and a.delivery_id < e.first_delivery || '~'`
  await tx`
    update erasures set position = ${through} where business_id = ${businessId} and end_user_id = ${endUserId}`
  if (through < last) return through
  await tx`
    delete from erasures
    where business_id = ${businessId} and end_user_id = ${endUserId} and created_at < now() - interval '1 minute'`
  return null
}
