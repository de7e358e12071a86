// The waiting deliveries of an endpoint that is changed or deleted, rewritten in bounded pieces: a transaction that stores an
// event or an outcome waits for one piece at most.

import { only } from '../../platform/postgres/db.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'

/** Some 100 ms: 50,000 rows are deleted in 1.2 s and reordered in 3. */
const pieceRows = 2_000

/**
 * Marks a piece of the waiting deliveries for another ordering, by sequence.
 * @param after the sequence where the last piece ended; 0 at first
 * @returns the sequence where this piece ended, or null when nothing is left
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
 * Moves a piece of the waiting deliveries of a deleted endpoint to the history, as cancelled.
 * @returns whether more may be left; false while another transaction does it
 */
export async function cancelPiece(tx: Tx, endpointId: string): Promise<boolean> {
  const locked = await tx`select 1 from deleted_endpoints where endpoint_id = ${endpointId} for update skip locked`
  if (locked.length === 0) return false
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

/** Lists deleted endpoints that may have waiting deliveries. Crosses businesses, for the sweep. */
export async function listDeletedEndpoints(query: Query): Promise<string[]> {
  const rows = await query<{ endpointId: string }[]>`
    select endpoint_id from deleted_endpoints order by deleted_at limit 100`
  return rows.map(({ endpointId }) => endpointId)
}
