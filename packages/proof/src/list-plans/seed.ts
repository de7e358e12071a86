// As many rows in every table that is listed, in the order in which a deployment of a month would have written them. Indexes
// are made afterwards and triggers do not run: only the rows count.

import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { makeWeeks, weeksFrom } from '../../../server/src/platform/postgres/partitions/partitions.ts'
import type { Part } from './list-cases.ts'
import { writeBusinesses } from './rows/businesses.ts'
import { writeCounts } from './rows/counts.ts'
import { writeHistory } from './rows/history.ts'
import { type Businesses, dayMs, firstMs, moments, spanDays } from './rows/ids.ts'
import { writeObjects } from './rows/objects.ts'

const rowsAtOnce = 1_000_000

const objects = ['end_users', 'virtual_accounts', 'deposits', 'lookup_terms']
const history = ['events', 'received_events', 'deliveries', 'finished_deliveries', 'requests']
const few = ['businesses', 'api_keys', 'audit_log', 'webhook_endpoints', 'replays', 'counts', 'count_changes']
const tables = [...objects, ...history]

/** @param objects end-users, accounts and deposits, the newest ones; as many as `rows` where it is left out */
export async function seedRows(
  db: Database,
  businesses: Businesses,
  { rows, objects: objectsMax = rows, part }: { rows: number; objects?: number; part: Part | null },
  say: (line: string) => void,
): Promise<void> {
  await makeWeeks(db, weeksFrom(firstMs, Math.ceil(spanDays / 7) + 1))
  const indexes = await db.read(
    (query) => query<{ name: string; made: string }[]>`
      select c.relname as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as made
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
      where t.relname = any(${tables}::text[]) and not exists (select from pg_constraint where conindid = i.indexrelid)`,
  )
  for (const { name } of indexes) await db.statement((query) => query`drop index ${query.names(name)}`)
  // Its terms are hashes: each row would go to another page of the index.
  await db.statement((query) => query`alter table lookup_terms drop constraint lookup_terms_pkey`)
  for (let from = 1; from <= rows; from += rowsAtOnce) {
    const to = Math.min(rows, from + rowsAtOnce - 1)
    await db.transaction(async (tx) => {
      await tx`set local statement_timeout = 0`
      await tx`set local session_replication_role = replica`
      await tx`
        create temporary table seeded (n int, place text, business_id text, position bigint, moment text, made_at timestamptz(3)) on commit drop`
      await tx`
        insert into seeded
        select n, lpad(n::text, 22, '0'), case when n % 10 = 0 then ${businesses.small} else ${businesses.large} end,
          case when n % 10 = 0 then n / 10 else n - n / 10 end,
          (${moments}::text[])[1 + (n::bigint - 1) * ${moments.length}::int / ${rows}::int],
          ${new Date(firstMs)}::timestamptz + make_interval(secs => ${(spanDays * dayMs) / 1_000}::float8 * n / ${rows}::int)
        from generate_series(${from}::int, ${to}::int) n`
      if (part !== 'objects') await writeHistory(tx)
      await tx`delete from seeded where n <= ${rows - objectsMax}::int`
      if (part !== 'history') await writeObjects(tx)
    })
    say(`${to} rows of each table`)
  }
  await db.statement((query) => query`alter table lookup_terms add primary key (business_id, term, created_at, id)`)
  for (const { made } of indexes) await db.statement((query) => query.unsafe(made))
  await writeBusinesses(db, businesses, rows)
  await writeCounts(db)
  for (const table of [...tables, ...few]) await db.statement((query) => query`vacuum (analyze) ${query.names(table)}`)
}
