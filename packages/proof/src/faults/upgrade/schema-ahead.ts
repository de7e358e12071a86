// The schema of a version that does not exist yet: a migration that only adds, one that builds an index on a table of a million
// rows, and one that the older versions cannot work with.

import type { Database } from '../../rig/databases/database.ts'

/** The first migration counts how often it was applied. Without the index the next version would read all rows of the business. */
export const adding = {
  '9997_proof_of_upgrade.sql': `
    alter table end_users add column if not exists nickname text;
    alter table webhook_endpoints add column if not exists tags text[] not null default '{}';
    create table if not exists proof_notes (
      business_id text not null references businesses (id), id text not null, primary key (business_id, id));
    create table if not exists proof_applied (at timestamptz not null);
    insert into proof_applied values (now());`,
  '9998_proof_of_upgrade.concurrently.sql':
    'create index concurrently if not exists end_users_nicknamed on end_users (business_id, nickname);',
}
export const breakingName = '9999_proof_of_upgrade.breaking.sql'
export const breaking = { [breakingName]: 'create table if not exists proof_breaks (id text primary key);' }

const rowsOfLargeTable = 1_000_000
const largeBusiness = 'biz_proof_of_upgrade'

/** Fills the table on which the next version builds its index. Triggers are off: no counter includes the rows. */
export async function fillLargeTable({ ask }: Database): Promise<void> {
  await ask(`begin; set local session_replication_role = replica;
    insert into businesses (id, name, search_name) values ('${largeBusiness}', 'Large', 'large');
    insert into end_users (business_id, id, external_user_id, provider, search_name, type)
      select '${largeBusiness}', 'eu_proof_' || n, 'user-' || n, 'bridge', 'user-' || n, 'individual'
      from generate_series(1, ${rowsOfLargeTable}) n;
    commit`)
}

/** @returns how often the first migration of the next version was applied; a process that claims a migration first applies it once */
export async function timesApplied({ ask }: Database): Promise<number> {
  return (await ask<{ count: number }>('select count(*)::int as count from proof_applied'))[0]?.count ?? 0
}

/** Writes the new column and finds its row, as only the next version does. @returns whether the new index found the row */
export async function usesNextSchema({ ask }: Database): Promise<boolean> {
  const select = `select id from end_users where business_id = '${largeBusiness}' and nickname = 'ada'`
  await ask(`update end_users set nickname = 'ada' where business_id = '${largeBusiness}' and id = 'eu_proof_7'`)
  const found = await ask<{ id: string }>(select)
  return found[0]?.id === 'eu_proof_7' && JSON.stringify(await ask(`explain ${select}`)).includes('end_users_nicknamed')
}
