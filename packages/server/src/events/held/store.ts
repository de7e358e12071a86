// Held events: tried once, and waiting for an owner, an account or the provider; or quarantined after the last attempt.
// Runs across businesses, for the operator.

import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import { type Page, type PageRequest, toPage } from '../../platform/postgres/paging.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import { momentSql } from '../work.store.ts'

export type HeldEventRow = {
  id: string
  state: 'pending' | 'quarantined'
  error: string
  attempts: number
  providerRefs: string[]
  dueAt: Date
  businessId: string | null
  externalUserId: string | null
  providerEventId: string | null
  trust: string
  type: string
  createdAt: Date
}

/** Uses the index on held events; each is joined to its event by the event's key. */
export async function listHeldEvents(
  query: Query,
  state: HeldEventRow['state'] | null,
  { limit, after }: PageRequest,
): Promise<Page<HeldEventRow>> {
  const rows = await query<HeldEventRow[]>`
    with held as materialized (
      select * from event_work where error is not null
        and ${state === null ? query`true` : query`state = ${state}`}
        and ${after ? query`event_id < ${after.id}` : query`true`}
      order by event_id desc limit ${limit + 1}
    )
    ${shownSql(query)} order by held.event_id desc`
  return toPage(rows, limit)
}

export async function findHeldEvent(query: Query, id: string): Promise<HeldEventRow | undefined> {
  const rows = await query<HeldEventRow[]>`
    with held as materialized (select * from event_work where event_id = ${id} and error is not null)
    ${shownSql(query)}`
  return rows[0]
}

const shownSql = (query: Query) => query`
  select e.id, held.state, held.error, held.attempts, held.provider_refs, held.due_at, e.business_id, e.external_user_id,
    e.provider_event_id, e.trust, e.type, e.created_at
  from held join events e on e.id = held.event_id`

/**
 * Makes a held event due, with all its retries available. The fence: an attempt in progress started before, and must
 * not postpone the event.
 * @returns whether the event is still held
 */
export async function retryHeldEvent(tx: Tx, id: string): Promise<boolean> {
  const { count } = await tx`
    update event_work set state = 'pending', attempts = 0, due_at = ${momentSql(tx)}, fence = fence + 1
    where event_id = ${id} and error is not null`
  if (count > 0) await wakeOnCommit(tx, 'apply')
  return count > 0
}
