// Whether the second wall between businesses stands (row-security.sql), and building it where it does not.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Database, only } from './db.ts'
import type { Query, Tx } from './query.ts'
import { isServerError } from './session.ts'

/** Who asks for one business does it as this role. */
export const businessRole = 'causeway_business'

/** The rules, as SQL. */
export const readRules = () => readFile(new URL('./row-security.sql', import.meta.url), 'utf8')

/**
 * Whether every table of a business is behind the wall. Looked at before anything is changed: rules of access are changed
 * under locks, so that is done once after an upgrade and not at each start.
 */
export async function isSecured(db: Database): Promise<boolean> {
  const rules = await readRules()
  return await db.read((query) => bearsMark(query, rules))
}

/**
 * Builds the wall.
 * @throws Error when this login may not make the role, or has not been given it: says what an administrator has to do
 */
export async function secureRows(tx: Tx): Promise<void> {
  const rules = await readRules()
  await tx`select pg_advisory_xact_lock(7238047)`
  if (await bearsMark(tx, rules)) return // another replica was first
  await tx.unsafe(rules).catch(refuse)
  await tx.unsafe(`comment on policy one_business on businesses is '${await markOf(tx, rules)}'`)
}

function refuse(error: unknown): never {
  if (!isServerError(error) || error.code !== '42501') throw error
  throw new Error(
    `Row security needs the role ${businessRole}, and the database's login may not make it or has not been given it. ` +
      `As an administrator of the database, once: create role ${businessRole} nologin; (unless it is there) ` +
      `grant ${businessRole} to <the login of DATABASE_URL>;`,
  )
}

async function bearsMark(query: Query, rules: string): Promise<boolean> {
  const rows = await query<{ mark: string | null }[]>`
    select obj_description(p.oid, 'pg_policy') as mark from pg_policy p join pg_roles r on r.rolname = ${businessRole}
    where p.polrelid = 'businesses'::regclass and p.polname = 'one_business'
      and pg_has_role(current_user, r.oid, 'member') and has_table_privilege(r.oid, 'businesses', 'select')`
  return rows[0]?.mark === (await markOf(query, rules))
}

/** Other rules, another owner or another table, and the mark is another one. */
async function markOf(query: Query, rules: string): Promise<string> {
  const { tables } = only(
    await query<{ tables: string }[]>`
      select current_user || ' ' || string_agg(c.relname, ' ' order by c.relname) as tables from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  return createHash('sha256').update(rules).update(tables).digest('hex')
}
