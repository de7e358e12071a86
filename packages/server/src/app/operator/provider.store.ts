// How far the provider's event log was read, and when its last event arrived. Runs across businesses.

import { only } from '../../platform/postgres/database.ts'
import type { Query } from '../../platform/postgres/query.ts'

export type ReconciliationRow = {
  failures: number
  dueAt: Date
  rereadCoveredTo: Date | null
  requestsCoveredTo: Date | null
  requestsRefusedSince: Date | null
  lastEventAt: Date | null
  operationsUnknown: number
}

const eventsReadMax = 1_000
const operationsCountedMax = 10_000

/** Searches for the newest provider event among the newest events of all. */
export async function readReconciliation(query: Query): Promise<ReconciliationRow> {
  return only(
    await query<ReconciliationRow[]>`
      select p.failures, p.due_at, (select covered_to from reread_walk) as reread_covered_to,
        i.covered_to as requests_covered_to, i.refused_since as requests_refused_since,
        (select max(created_at) from (select created_at, trust from events order by id desc limit ${eventsReadMax}) newest
          where trust in ('verified', 'unverified')) as last_event_at,
        (select count(*)::int from (
          select 1 from operations where state in ('running', 'unknown') and lease_until < now() limit ${operationsCountedMax}) open
        ) as operations_unknown
      from event_pull p, information_request_pull i`,
  )
}
