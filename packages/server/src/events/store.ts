// Events as they are kept: stored before they are acknowledged, each with its place in its business's stream.

import { willLock } from '../platform/postgres/lock-order.ts'
import { type Page, type PageRequest, type TimeRange, toPage } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { deliveriesSql, notifySql, placesSql } from './fan-out.sql.ts'

export type EventOwner = {
  businessId: string
  endUserId: string | null
  virtualAccountId: string | null
  externalUserId: string | null
}

export type EventRow = { [Member in keyof EventOwner]: EventOwner[Member] | null } & {
  id: string
  /** Gapless within the business, in the order of commits; null until the owner is known. */
  position: number | null
  providerEventId: string | null
  /** `own`: written by this service. A provider event is `verified` when its signature is. */
  trust: 'verified' | 'unverified' | 'own'
  type: string
  body: Buffer
  createdAt: Date
}

/** Locks the stream: no other transaction stores an event of this business before this one ends. Comes before any lock on a lane. */
export async function lockStream(tx: Tx, businessId: string): Promise<void> {
  willLock(tx, 'stream')
  await tx`
    select 1 from event_streams where business_id = ${businessId} order by position desc limit 1 for no key update`
}

/**
 * Stores an event of this service with its deliveries.
 * @param target only this endpoint, which gets the event whatever it subscribed to
 */
export async function insertBusinessEvent(
  tx: Tx,
  event: { id: string; type: string; body: Buffer; owner: EventOwner },
  target: string | null = null,
): Promise<void> {
  const { owner } = event
  willLock(tx, 'stream')
  await tx`
    with routed as (
      select ${event.id}::text as id, 1 as place, ${owner.businessId}::text as business_id, ${owner.endUserId}::text as end_user_id,
        ${event.type}::text as type
    ), ${placesSql(tx)}, ${deliveriesSql(tx, target)}, stored as (
      insert into events (id, business_id, end_user_id, virtual_account_id, external_user_id, position, trust, type, body)
      select id, business_id, end_user_id, ${owner.virtualAccountId}, ${owner.externalUserId}, position, 'own', type,
        ${event.body} from placed
    )
    ${notifySql(tx)}`
}

/** Gives an event that came without an owner its place and its deliveries. */
export async function routeEvent(tx: Tx, eventId: string, owner: EventOwner): Promise<void> {
  willLock(tx, 'stream')
  await tx`
    with routed as materialized (
      select id, 1 as place, ${owner.businessId}::text as business_id, ${owner.endUserId}::text as end_user_id, type
      from events where id = ${eventId} and business_id is null
    ), ${placesSql(tx)}, ${deliveriesSql(tx)}, owned as (
      update events e set business_id = p.business_id, end_user_id = p.end_user_id, position = p.position,
        virtual_account_id = ${owner.virtualAccountId}, external_user_id = ${owner.externalUserId}
      from placed p where e.id = p.id
    )
    ${notifySql(tx)}`
}

/** The dedupe keys of a provider's event: a forged event is kept beside the real one. */
const trustLevels = ['verified', 'unverified'] as const satisfies readonly EventRow['trust'][]

export type EventFilter = { externalUserId?: string; type?: string; providerEventId?: string } & TimeRange

/** Lists events in the order of the business's stream, the last one first. */
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
      and ${
        filter.providerEventId === undefined
          ? query`true`
          : query`id in (select event_id from received_events where key = any(${trustLevels.map(
              (trust) => `${trust}:${filter.providerEventId}`,
            )}::text[]))`
      }
      and ${filter.createdAfter ? query`created_at > ${filter.createdAfter}` : query`true`}
      and ${filter.createdBefore ? query`created_at < ${filter.createdBefore}` : query`true`}
      and ${page.after ? query`position < (select position from events where id = ${page.after.id})` : query`true`}
    order by position desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

export async function findEvent(query: Query, businessId: string, id: string): Promise<EventRow | undefined> {
  const rows = await query<EventRow[]>`select * from events where business_id = ${businessId} and id = ${id}`
  return rows[0]
}
