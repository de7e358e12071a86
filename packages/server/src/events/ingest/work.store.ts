// What stored events still have to do: move our state, or find an owner. One row for each event, deleted when done.

import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { EventRow } from '../store.ts'

/** An event with its work. `queueFrom`: when the first waiting event was due; another replica may hold that event. */
export type WorkRow = EventRow & { providerRefs: string[]; attempts: number; error: string | null; queueFrom: Date }

/** The reason of an event that names end-users of several businesses. The metrics and the doctor count these events. */
export const ambiguousOwner = 'owner is ambiguous'

/** Makes the events due that wait and name one of these provider ids: their owner, or their account, has become known. */
export async function makeWaitingEventsDue(tx: Tx, refs: string[]): Promise<void> {
  const [row] = await tx<{ isDue: boolean }[]>`select hurry_waiting_events(${refs}::text[]) as is_due`
  if (row?.isDue) await wakeOnCommit(tx, 'apply')
}

/**
 * Locks the event that is due first and that no other replica works on. Crosses businesses, for the apply loop.
 * @param from nothing was due before
 */
export async function lockDueEvent(tx: Tx, from: Date): Promise<WorkRow | undefined> {
  const rows = await tx<WorkRow[]>`
    with due as (
      select * from event_work where state = 'pending' and due_at >= ${from} and due_at <= now()
      order by due_at, event_id limit 1 for update skip locked
    )
    select e.*, due.provider_refs, due.attempts, due.error, (
        select due_at from event_work where state = 'pending' and due_at >= ${from} order by due_at limit 1
      ) as queue_from
    from due join events e on e.id = due.event_id`
  return rows[0]
}

/** @returns undefined when another replica holds it or has finished it */
export async function lockPendingEvent(tx: Tx, eventId: string): Promise<{ attempts: number } | undefined> {
  const rows = await tx<{ attempts: number }[]>`
    select attempts from event_work where event_id = ${eventId} and state = 'pending' for update skip locked`
  return rows[0]
}

/** Leases the event: when it is not finished by then, it is due again. */
export async function leaseEvent(tx: Tx, eventId: string, seconds: number): Promise<void> {
  await tx`update event_work set due_at = now() + make_interval(secs => ${seconds}) where event_id = ${eventId}`
}

/** Makes an event due whose owner has become known: it moves our state in the next turn of any replica. */
export async function makeEventDue(tx: Tx, eventId: string): Promise<void> {
  await tx`update event_work set due_at = now(), error = null where event_id = ${eventId}`
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
      attempts = attempts + ${failure.counts ? 1 : 0}
    where event_id = ${eventId}`
}

export async function finishEvent(tx: Tx, eventId: string): Promise<void> {
  await tx`delete from event_work where event_id = ${eventId}`
}

/** Ends the tries of an event, which stays visible. */
export async function quarantineEvent(tx: Tx, eventId: string, error: string): Promise<void> {
  await tx`
    update event_work set state = 'quarantined', error = ${error}, attempts = attempts + 1 where event_id = ${eventId}`
}

/** @returns milliseconds until the next event is due; null when none waits */
export async function nextEventDueMs(query: Query, from: Date): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from due_at - now()) * 1000)::float8 as ms from event_work
    where state = 'pending' and due_at >= ${from} order by due_at limit 1`
  return rows[0]?.ms ?? null
}
