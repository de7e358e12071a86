// What waits for an endpoint that is changed or deleted, rewritten in bounded pieces: whoever stores an event or settles a
// delivery never waits longer than one of them takes.

import { only } from '../../platform/postgres/db.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'

/** Some 100 ms: 50,000 rows are deleted in 1.2 s and reordered in 3. */
const pieceRows = 2_000

/**
 * Puts waiting deliveries under the endpoint's new ordering, in the order of the sequence.
 * @param after how far it has been done: 0 at first
 * @returns how far it is done now, or null when nothing is left
 */
export async function reorderPiece(
  tx: Tx,
  endpointId: string,
  isOrdered: boolean,
  after: number,
): Promise<number | null> {
  const rows = await tx<{ count: number; last: number | null }[]>`
    with piece as materialized (
      select sequence from deliveries
      where endpoint_id = ${endpointId} and sequence > ${after} and ordered <> ${isOrdered}
      order by sequence limit ${pieceRows} for no key update
    ), changed as (
      update deliveries d set ordered = ${isOrdered} from piece
      where d.endpoint_id = ${endpointId} and d.sequence = piece.sequence
    )
    select count(*)::int as count, max(sequence) as last from piece`
  const { count, last } = only(rows)
  return count === pieceRows ? last : null
}

/**
 * Moves what waited for a deleted endpoint to the history, as cancelled. Its note goes with the last piece.
 * @returns whether more may be left; false when somebody else is at it
 */
export async function cancelPiece(tx: Tx, endpointId: string): Promise<boolean> {
  const note = await tx`select 1 from deleted_endpoints where endpoint_id = ${endpointId} for update skip locked`
  if (note.length === 0) return false
  const { count } = await tx`
    with piece as materialized (
      select sequence from deliveries where endpoint_id = ${endpointId} order by sequence limit ${pieceRows} for update
    ), gone as (
      delete from deliveries d using piece where d.endpoint_id = ${endpointId} and d.sequence = piece.sequence returning d.*
    )
    insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts,
      last_outcome, created_at)
    select id, endpoint_id, sequence, business_id, event_id, end_user_id, 'cancelled', attempts, last_outcome, created_at
    from gone`
  if (count === pieceRows) return true
  await tx`delete from deleted_endpoints where endpoint_id = ${endpointId}`
  return false
}

/** Crosses businesses: deleted endpoints for which something may still wait, for the sweep. */
export async function listDeletedEndpoints(query: Query): Promise<string[]> {
  const rows = await query<{ endpointId: string }[]>`
    select endpoint_id from deleted_endpoints order by deleted_at limit 100`
  return rows.map(({ endpointId }) => endpointId)
}
