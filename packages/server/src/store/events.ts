// Events: stored before they are acknowledged, given to their owner, fanned out to endpoints, applied to our state.

import type { OwnerHints } from '../domain/event.ts'
import type { Query, Tx } from './db.ts'
import { only } from './db.ts'
import { wakeOnCommit } from './notify.ts'
import { type Page, type PageRequest, pageOf, type TimeRange, toPage } from './paging.ts'

export type EventTrust = 'verified' | 'unverified' | 'own'

export type EventRow = {
  id: string
  position: number
  businessId: string | null
  endUserId: string | null
  virtualAccountId: string | null
  externalUserId: string | null
  providerEventId: string | null
  trust: EventTrust
  type: string
  body: Buffer
  providerRefs: string[]
  applyState: 'pending' | 'applied' | 'ignored' | 'quarantined'
  applyAttempts: number
  applyError: string | null
  dueAt: Date
  createdAt: Date
}

export type EventOwner = {
  businessId: string
  endUserId: string | null
  virtualAccountId: string | null
  externalUserId: string | null
}

export type NewEvent = Pick<
  EventRow,
  'id' | 'providerEventId' | 'trust' | 'type' | 'body' | 'providerRefs' | 'applyState'
> & {
  owner: EventOwner | null
}

/** @returns undefined when this provider event is here already, at this level of trust */
export async function insertEvent(tx: Tx, event: NewEvent): Promise<EventRow | undefined> {
  const owner = event.owner
  const rows = await tx<EventRow[]>`
    insert into events (id, business_id, end_user_id, virtual_account_id, external_user_id, provider_event_id, trust, type, body,
      provider_refs, apply_state)
    values (${event.id}, ${owner?.businessId ?? null}, ${owner?.endUserId ?? null}, ${owner?.virtualAccountId ?? null},
      ${owner?.externalUserId ?? null}, ${event.providerEventId}, ${event.trust}, ${event.type}, ${event.body},
      ${event.providerRefs}, ${event.applyState})
    on conflict (provider_event_id, trust) where provider_event_id is not null do nothing
    returning *`
  return rows[0]
}

/**
 * Crosses businesses: an event from the provider names provider ids, and this finds whose they are.
 * A bare external user id counts only when no other business uses the same one, or when the business is named too.
 */
export async function findOwner(query: Query, hints: OwnerHints): Promise<EventOwner | undefined> {
  const rows = await query<EventOwner[]>`
    select business_id, end_user_id, virtual_account_id, external_user_id from (
      select v.business_id, v.end_user_id, v.id as virtual_account_id, u.external_user_id, 1 as rank
      from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id
      where v.provider_virtual_account_id = any(${hints.refs}::text[])
      union all
      select u.business_id, u.id, null, u.external_user_id, 2 from end_users u
      where u.provider_customer_id = any(${hints.refs}::text[])
      union all
      select u.business_id, u.id, null, u.external_user_id, 2 from end_users u
      where u.provider_kyc_link->>'id' = any(${hints.refs}::text[])
      union all
      select u.business_id, u.id, null, u.external_user_id, 2 from end_users u
      where u.id = any(${hints.refs}::text[])
      union all
      select min(u.business_id), min(u.id), null, min(u.external_user_id), 3 from end_users u
      where u.external_user_id = ${hints.externalUserId}
        and (u.business_id = any(${hints.refs}::text[])
          or not exists (select 1 from businesses b where b.id = any(${hints.refs}::text[])))
      having count(*) = 1
    ) found order by rank limit 1`
  return rows[0]
}

export async function setEventOwner(tx: Tx, eventId: string, owner: EventOwner): Promise<EventRow> {
  return only(
    await tx<EventRow[]>`
      update events set business_id = ${owner.businessId}, end_user_id = ${owner.endUserId},
        virtual_account_id = ${owner.virtualAccountId}, external_user_id = ${owner.externalUserId}
      where id = ${eventId} returning *`,
  )
}

/**
 * Makes the events due that were held back and name one of these provider ids: their owner, or the account they are
 * about, has just become known.
 */
export async function hurryWaiting(tx: Tx, refs: string[]): Promise<void> {
  const rows = await tx`
    update events set due_at = now()
    where provider_refs && ${refs}::text[] and apply_state = 'pending' and apply_error is not null returning id`
  if (rows.length > 0) await wakeOnCommit(tx, 'apply')
}

/** Crosses businesses: locks the event that is due first and that no other replica works on, for the apply loop. */
export async function lockDueEvent(tx: Tx): Promise<EventRow | undefined> {
  const rows = await tx<EventRow[]>`
    select * from events where apply_state = 'pending' and due_at <= now()
    order by due_at, position limit 1 for update skip locked`
  return rows[0]
}

/** @returns undefined when another replica holds it or has finished it */
export async function lockPendingEvent(tx: Tx, id: string): Promise<EventRow | undefined> {
  const rows = await tx<EventRow[]>`
    select * from events where id = ${id} and apply_state = 'pending' for update skip locked`
  return rows[0]
}

/** Takes the event for this long; when it is not finished by then, it is due again. */
export async function leaseEvent(tx: Tx, id: string, seconds: number): Promise<void> {
  await tx`update events set due_at = now() + make_interval(secs => ${seconds}) where id = ${id}`
}

export async function postponeEvent(
  tx: Tx,
  id: string,
  delaySeconds: number,
  failure: { error: string; counts: boolean },
): Promise<void> {
  await tx`
    update events set due_at = now() + make_interval(secs => ${delaySeconds}), apply_error = ${failure.error},
      apply_attempts = apply_attempts + ${failure.counts ? 1 : 0}
    where id = ${id}`
}

export async function finishEvent(
  tx: Tx,
  id: string,
  state: 'applied' | 'ignored' | 'quarantined',
  error: string | null = null,
): Promise<void> {
  await tx`update events set apply_state = ${state}, apply_error = ${error} where id = ${id}`
}

/** Milliseconds until the next event is due; null when none waits. */
export async function nextEventDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms from events where apply_state = 'pending'`
  return rows[0]?.ms ?? null
}

export type EventFilter = { externalUserId?: string; type?: string } & TimeRange

export async function listEvents(
  query: Query,
  businessId: string,
  filter: EventFilter,
  page: PageRequest,
): Promise<Page<EventRow>> {
  const rows = await query<EventRow[]>`
    select * from events
    where business_id = ${businessId}
      and ${filter.externalUserId === undefined ? query`true` : query`external_user_id = ${filter.externalUserId}`}
      and ${filter.type === undefined ? query`true` : query`type = ${filter.type}`}
      ${pageOf(query, 'events', page, filter)}`
  return toPage(rows, page.limit)
}

export async function findEvent(query: Query, businessId: string, id: string): Promise<EventRow | undefined> {
  const rows = await query<EventRow[]>`select * from events where business_id = ${businessId} and id = ${id}`
  return rows[0]
}
