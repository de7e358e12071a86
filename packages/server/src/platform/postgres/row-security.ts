// Row-level security (row-security.sql), the second check between businesses: reads whether it is in place, and creates
// it.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { only } from './database.ts'
import type { Query, Tx } from './query.ts'
import { isServerError } from './session.ts'

/** The role for work of one business. */
export const businessRole = 'causeway_business'

export const readRules = () => readFile(new URL('./row-security.sql', import.meta.url), 'utf8')

/**
 * Returns whether every table of a business is secured. Changing access rules needs locks, so they are changed once
 * after an upgrade and not at each start.
 */
export async function isSecured(query: Query): Promise<boolean> {
  const rows = await query<{ digest: string | null }[]>`
    select obj_description(p.oid, 'pg_policy') as digest from pg_policy p join pg_roles r on r.rolname = ${businessRole}
    where p.polrelid = 'businesses'::regclass and p.polname = 'one_business'
      and pg_has_role(current_user, r.oid, 'member') and has_table_privilege(r.oid, 'businesses', 'select')`
  return rows[0]?.digest === (await digestOf(query))
}

/**
 * Creates the access rules, in one replica at a time.
 * @throws Error if this login may not create the role, or is not a member of it: says what an administrator has to do
 */
export async function secureRows(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(7238047)`
  if (await isSecured(tx)) return // another replica was first
  await tx.unsafe(await readRules()).catch(refuse)
  await tx.unsafe(`comment on policy one_business on businesses is '${await digestOf(tx)}'`)
}

function refuse(error: unknown): never {
  if (!isServerError(error) || error.code !== '42501') throw error
  throw new Error(
    `Row security needs the role ${businessRole}, and the database's login may not make it or has not been given it. ` +
      `As an administrator of the database, once: create role ${businessRole} nologin; (unless it is there) ` +
      `grant ${businessRole} to <the login of DATABASE_URL>;`,
  )
}

/** Digest of everything the rules depend on: their text, the owner, the tables. */
async function digestOf(query: Query): Promise<string> {
  const { tables } = only(
    await query<{ tables: string }[]>`
      select current_user || ' ' || string_agg(c.relname, ' ' order by c.relname) as tables from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  return createHash('sha256')
    .update(await readRules())
    .update(tables)
    .digest('hex')
}
