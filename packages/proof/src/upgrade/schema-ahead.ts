// The schema of a version that does not exist yet: one migration more, as expand and contract allow it, and one that the older
// version cannot work with.

import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import { type Migration, migrate, readMigrations } from '../../../server/src/platform/postgres/migrate.ts'

const expanding: Migration = {
  version: 9998,
  name: '9998_proof_of_upgrade.sql',
  breaking: false,
  sql: `
    alter table end_users add column if not exists nickname text;
    alter table webhook_endpoints add column if not exists tags text[] not null default '{}';
    create table if not exists proof_notes (
      business_id text not null references businesses (id), id text not null, primary key (business_id, id));`,
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
  const known = [...(await readMigrations()), expanding, ...(isBreaking ? [breaking] : [])]
  const wanted = isBreaking ? breaking.name : expanding.name
  const applied = await Promise.all(
    Array.from({ length: racers }, async () => {
      const db = openDatabase(connection, { poolMax: 2 })
      try {
        return await migrate(db, known)
      } finally {
        await db.close()
      }
    }),
  )
  return applied.flat().filter((name) => name === wanted).length
}
