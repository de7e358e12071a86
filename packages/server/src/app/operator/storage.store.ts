// Sizes of the tables, from the catalog of PostgreSQL: no table row is read.

import { only } from '../../platform/postgres/database.ts'
import { type HistoryTable, historyTables } from '../../platform/postgres/partitions/partitions.ts'
import type { Query } from '../../platform/postgres/query.ts'

/** `rows` is the planner's estimate: null before the first `analyze`. */
export type TableRow = { name: string; parent: HistoryTable['name'] | null; bytes: number; rows: number | null }

export async function readDatabaseBytes(query: Query): Promise<number> {
  const rows = await query<{ bytes: number }[]>`select pg_database_size(current_database())::float8 as bytes`
  return only(rows).bytes
}

/** Lists tables and partitions, the largest first. */
export async function listTables(query: Query): Promise<TableRow[]> {
  return await query<TableRow[]>`
    select c.relname as name, p.relname as parent, pg_total_relation_size(c.oid)::float8 as bytes,
      case when c.reltuples >= 0 then c.reltuples::float8 end as rows
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_inherits i on i.inhrelid = c.oid
      left join pg_class p on p.oid = i.inhparent and p.relname = any(${historyTables.map(({ name }) => name)}::text[])
    where n.nspname = current_schema() and c.relkind = 'r'
    order by bytes desc, c.relname limit 500`
}
