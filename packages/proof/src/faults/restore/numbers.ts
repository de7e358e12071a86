// Numbers that a database has given out: sequence numbers of endpoints, and positions of the event stream.

import type { Database } from '../../rig/databases/database.ts'
import type { Business } from '../../rig/world.ts'

export type Numbers = {
  /** By the names of endpoints. */
  sequences: ReadonlyMap<string, number>
  position: number
}

export async function readNumbers({ ask }: Database, { id, endpoints }: Business): Promise<Numbers> {
  const rows = await ask<{ id: string; sequence: number }>(
    'select endpoint_id as id, max(sequence) as sequence from endpoint_sequences group by 1',
  )
  const [stream] = await ask<{ last: number }>(
    'select max(position) as last from event_streams where business_id = $1',
    [id],
  )
  const last = new Map(rows.map((row) => [row.id, row.sequence]))
  return {
    sequences: new Map(endpoints.map((endpoint) => [endpoint.name, last.get(endpoint.id) ?? 0])),
    position: stream?.last ?? 0,
  }
}
