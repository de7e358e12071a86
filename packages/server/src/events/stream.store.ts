// A business's events as one stream, read forward by their places. Places are given out under a lock that lasts until the
// commit, so a reader sees the beginning of the stream without gaps, except where retention has dropped events.

import type { Query } from '../platform/postgres/query.ts'
import type { EventRow } from './store.ts'

/** Where the reading of a stream begins: behind a place, with the oldest event that is kept, behind the newest. */
export type StreamStart = number | 'oldest' | 'newest'

export type StreamPiece = {
  /** The place behind which it was read. */
  after: number
  /** The last place given out. */
  last: number
  events: EventRow[]
}

type PieceRow = { after: number; last: number } & (EventRow | { [Member in keyof EventRow]: null })

/** Reads the next events, and the end of the stream at the same moment: one statement. */
export async function readStream(
  query: Query,
  businessId: string,
  start: StreamStart,
  limit: number,
): Promise<StreamPiece> {
  const after =
    start === 'oldest'
      ? query`coalesce((select min(position) - 1 from events where business_id = ${businessId}), s.last)`
      : start === 'newest'
        ? query`s.last`
        : query`${start}::bigint`
  const rows = await query<PieceRow[]>`
    with stream as materialized (
      select s.last, ${after} as after
      from (select coalesce(max(position), 0) as last from event_streams where business_id = ${businessId}) s
    )
    select stream.after, stream.last, e.* from stream left join lateral (
      select * from events where business_id = ${businessId} and position > stream.after order by position limit ${limit}
    ) e on true order by e.position`
  const [first] = rows
  if (!first) throw new Error('a stream has an end, even an empty one')
  return { after: first.after, last: first.last, events: rows.flatMap((row) => (row.id === null ? [] : row)) }
}
