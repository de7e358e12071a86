// Reads how a session has found its rows, for tests of queries that must use an index.

import type { Query } from '../src/platform/postgres/query.ts'

type Scans = { whole: number; byIndex: number; rows: number }

/**
 * How often this session has read a whole table, and an index of it, and how many rows by index. Since PostgreSQL 15 the counters
 * of a transaction hold what earlier ones of the session have not passed on yet, for up to a second: compare two readings.
 */
export async function scansOf(query: Query, table: string): Promise<Scans> {
  const [scans] = await query<Scans[]>`
    select seq_scan::int as whole, idx_scan::int as "byIndex", idx_tup_fetch::int as rows
    from pg_stat_xact_user_tables where relname = ${table}`
  return scans ?? { whole: 0, byIndex: 0, rows: 0 }
}
