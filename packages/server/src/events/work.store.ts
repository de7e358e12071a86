// The open work of stored events, to update objects or to find an owner: one row of event_work for each event, deleted
// when done.

import { only } from '../platform/postgres/database.ts'
import { type Lease, LeaseLostError, leaseEndSql } from '../platform/postgres/leases.ts'
import { wakeOnCommit } from '../platform/postgres/notify.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { DueEvent, Place } from './ingest/due-events.rules.ts'
import type { EventRow } from './store.ts'

/** An event with its work. */
export type WorkRow = EventRow &
  EventHold & {
    providerRefs: string[]
    attempts: number
    error: string | null
    /** By the database's clock, when the event was taken. */
    ageSeconds: number
    /** When the first waiting event was due; another replica may hold that event. */
    queueFrom: Date
  }

/**
 * The reason of an event that names end-users of several businesses. The metrics and `causeway doctor` count these
 * events.
 */
export const ambiguousOwner = 'owner is ambiguous'

/** Makes waiting events due that name one of these provider IDs, because their owner or account is now known. */
export async function makeWaitingEventsDue(tx: Tx, refs: string[]): Promise<void> {
  const [row] = await tx<{ isDue: boolean }[]>`select hurry_waiting_events(${refs}::text[]) as is_due`
  if (row?.isDue) await wakeOnCommit(tx, 'apply')
}

/**
 * Locks the event that is due first and that no other replica holds. Runs across businesses, for the apply loop.
 * @param from nothing was due before
 */
export async function lockDueEvent(tx: Tx, from: Date): Promise<WorkRow | undefined> {
  const rows = await tx<WorkRow[]>`
    with due as (
      select * from event_work where state = 'pending' and due_at >= ${from} and due_at <= now()
      order by due_at, event_id limit 1 for update skip locked
    )
    select ${workSql(tx)}, (
        select due_at from event_work where state = 'pending' and due_at >= ${from} order by due_at limit 1
      ) as queue_from
    from due join events e on e.id = due.event_id`
  return rows[0]
}

/**
 * Locks this event for the apply loop. Runs across businesses.
 * @returns undefined if the event is no longer due, or another replica holds it
 */
export async function lockEventIfDue(tx: Tx, eventId: string): Promise<WorkRow | undefined> {
  const rows = await tx<WorkRow[]>`
    with due as (
      select * from event_work where state = 'pending' and event_id = ${eventId} and due_at <= now() for update skip locked
    )
    select ${workSql(tx)}, due.due_at as queue_from
    from due join events e on e.id = due.event_id`
  return rows[0]
}

/** The columns of a work row, of an event `e` and its work `due`. */
const workSql = (query: Query) => query`
  e.*, due.provider_refs, due.attempts, due.error, due.fence, extract(epoch from now() - e.created_at)::float8 as age_seconds`

/** Lists due events after a place with their businesses, oldest first. Runs across businesses, for the apply loop. */
export async function listDueEvents(query: Query, { dueAt, eventId }: Place, limit: number): Promise<DueEvent[]> {
  return await query<DueEvent[]>`
    select w.event_id, w.due_at, e.business_id from (
      select event_id, due_at from event_work where state = 'pending' and (due_at, event_id) > (${dueAt}, ${eventId}) and due_at <= now()
      order by due_at, event_id limit ${limit}
    ) w join events e on e.id = w.event_id order by w.due_at, w.event_id`
}

/** An event and the fence of the replica that leased it. */
export type EventHold = { id: string; fence: number }

const heldEventSql = (tx: Tx, { id, fence }: EventHold) =>
  tx`event_id = ${id} and fence = ${fence} and state = 'pending'`

/** The lease of an event while the provider is being read. */
export const leaseOfEvent = (held: EventHold): Lease => ({
  // The holder of the row has taken the event, and may wait for a row of this transaction.
  lock: (tx) => tx`select 1 from event_work where ${heldEventSql(tx, held)} for share skip locked`,
  lost: () => new LeaseLostError('an event'),
})

/** @returns undefined if another replica has taken or finished the event */
export async function lockHeldEvent(tx: Tx, held: EventHold): Promise<PendingEvent | undefined> {
  const rows = await tx<PendingEvent[]>`
    select attempts, (select business_id from events e where e.id = w.event_id) as business_id
    from event_work w where ${heldEventSql(tx, held)} for update skip locked`
  return rows[0]
}

export type PendingEvent = { attempts: number; businessId: string | null }

/** Leases the event: if it is not finished by then, it is due again. @returns the hold of the new holder */
export async function leaseEvent(tx: Tx, eventId: string, leaseMs: number): Promise<EventHold> {
  return only(
    await tx<EventHold[]>`
      update event_work set due_at = ${leaseEndSql(tx, leaseMs)}, fence = fence + 1 where event_id = ${eventId}
      returning event_id as id, fence`,
  )
}

// Not the start of the transaction: the queue is read from where it was last seen, less two seconds.
export const momentSql = (query: Query) => query`date_trunc('milliseconds', clock_timestamp())`

/** Makes an event due after its owner is known: the next turn of any replica applies the event. */
export async function makeEventDue(tx: Tx, eventId: string): Promise<void> {
  await tx`update event_work set due_at = ${momentSql(tx)}, error = null where event_id = ${eventId}`
  await wakeOnCommit(tx, 'apply')
}

export async function postponeEvent(
  tx: Tx,
  eventId: string,
  delaySeconds: number,
  failure: { error: string; counts: boolean },
): Promise<void> {
  await tx`
    update event_work set due_at = now() + make_interval(secs => ${delaySeconds}), error = ${failure.error},
      fence = fence + 1, attempts = attempts + ${failure.counts ? 1 : 0}
    where event_id = ${eventId}`
}

export async function finishEvent(tx: Tx, eventId: string): Promise<void> {
  await tx`delete from event_work where event_id = ${eventId}`
}

/** Ends the retries of an event, which remains visible. */
export async function quarantineEvent(tx: Tx, eventId: string, error: string): Promise<void> {
  await tx`
    update event_work set state = 'quarantined', error = ${error}, attempts = attempts + 1 where event_id = ${eventId}`
}

/** @returns milliseconds until the next event is due; null if none is waiting */
export async function nextEventDueMs(query: Query, from: Date): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from due_at - now()) * 1000)::float8 as ms from event_work
    where state = 'pending' and due_at >= ${from} order by due_at limit 1`
  return rows[0]?.ms ?? null
}
