// The schema of a version that does not exist yet: a migration that only adds, one that builds an index on a table of a million
// rows, which that version needs, and one that the older version cannot work with.

import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import { type Migration, migrate, readMigrations } from '../../../server/src/platform/postgres/migrate.ts'

const expanding: Migration = {
  version: 9997,
  name: '9997_proof_of_upgrade.sql',
  breaking: false,
  sql: `
    alter table end_users add column if not exists nickname text;
    alter table webhook_endpoints add column if not exists tags text[] not null default '{}';
    create table if not exists proof_notes (
      business_id text not null references businesses (id), id text not null, primary key (business_id, id));`,
}

/** Without it the next version would read all rows of the business to find one of its end-users. */
const indexing: Migration = {
  version: 9998,
  name: '9998_proof_of_upgrade.concurrently.sql',
  breaking: false,
  sql: 'create index concurrently if not exists end_users_nicknamed on end_users (business_id, nickname);',
}

const breaking: Migration = {
  version: 9999,
  name: '9999_proof_of_upgrade.breaking.sql',
  breaking: true,
  sql: 'create table if not exists proof_breaks (id text primary key);',
}

export const breakingName = breaking.name

/**
 * Brings the database ahead of both versions, by as many processes of the next version as would start at once.
 * @returns how often the migration was applied; a runner that claims first applies it once
 */
export async function bringAhead(
  connection: ConnectionOptions,
  { isBreaking }: { isBreaking: boolean },
  racers = 3,
): Promise<number> {
  const known = [...(await readMigrations()), expanding, indexing, ...(isBreaking ? [breaking] : [])]
  const wanted = isBreaking ? [breaking.name] : [expanding.name, indexing.name]
  const applied = await Promise.all(
    Array.from({ length: racers }, () => withDatabase(connection, (db) => migrate(db, known))),
  )
  const counts = wanted.map((name) => applied.flat().filter((one) => one === name).length)
  return Math.max(...counts) === Math.min(...counts) ? (counts[0] ?? 0) : counts.reduce((sum, count) => sum + count, 0)
}

const rowsOfLargeTable = 1_000_000
const largeBusiness = 'biz_proof_of_upgrade'

/** Fills the table that the index of the next version is built on. Triggers are off: the rows are counted nowhere. */
export async function fillLargeTable(connection: ConnectionOptions): Promise<void> {
  await withDatabase(connection, (db) =>
    db.transaction(
      async (tx) => {
        await tx`set local session_replication_role = replica`
        await tx`insert into businesses (id, name, search_name) values (${largeBusiness}, 'Large', 'large')`
        await tx`
          insert into end_users (business_id, id, external_user_id, provider, search_name, type)
          select ${largeBusiness}, 'eu_proof_' || n, 'user-' || n, 'bridge', 'user-' || n, 'individual'
          from generate_series(1, ${rowsOfLargeTable}::int) n`
      },
      { statementMs: 0 },
    ),
  )
}

/**
 * Does what the next version does and the older one does not know: writes the new column, and finds a row by the new index.
 * @returns whether the row was found by the index
 */
export async function useNextSchema(connection: ConnectionOptions): Promise<boolean> {
  return await withDatabase(connection, async (db) => {
    await db.transaction(
      (tx) => tx`update end_users set nickname = 'ada' where business_id = ${largeBusiness} and id = 'eu_proof_7'`,
    )
    const plan = await db.read(
      (query) => query<{ 'QUERY PLAN': string }[]>`
      explain select id from end_users where business_id = ${largeBusiness} and nickname = 'ada'`,
    )
    const found = await db.read(
      (query) => query`
      select id from end_users where business_id = ${largeBusiness} and nickname = 'ada' and id = 'eu_proof_7'`,
    )
    return found.length === 1 && JSON.stringify(plan).includes('end_users_nicknamed')
  })
}

async function withDatabase<T>(connection: ConnectionOptions, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(connection, { poolMax: 2 })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
