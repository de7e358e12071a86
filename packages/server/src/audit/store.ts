// Who changed what: append-only, written in the transaction of the change, numbered without gaps within a business.

import { only } from '../platform/postgres/database.ts'
import {
  allOf,
  type Page,
  type PageRequest,
  placesOf,
  type Row,
  readPage,
  type TimeRange,
} from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { AuditAction, AuditEntry, AuditHead } from './audit.rules.ts'

/** `hash` and `keyId` are null in a row that Causeway did not write. */
export type AuditRow = AuditEntry & { hash: Buffer | null; keyId: number | null }

export type SignedHead = AuditHead & { signature: Buffer }

export type AuditKeyRow = { id: number; sealed: Buffer }

/** Locks a chain until the end of the transaction, behind every other lock of the transaction. */
export async function lockChain(
  tx: Tx,
  businessId: string,
): Promise<{ head: SignedHead | undefined; last: { number: number; hash: Buffer | null }; now: Date }> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`audit ${businessId}`}, 0))`
  const { now, ...last } = only(
    await tx<{ number: number; hash: Buffer | null; now: Date }[]>`
      select now()::timestamptz(3) as now, coalesce(l.number, 0) as number, l.hash from (select 1) one left join lateral (
        select number, hash from audit_log where business_id = ${businessId} order by number desc limit 1) l on true`,
  )
  return { head: await findHead(tx, businessId), last, now }
}

/** Lets one transaction at a time make or replace keys. */
export async function lockKeys(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('audit keys', 0))`
}

export async function findHead(query: Query, businessId: string): Promise<SignedHead | undefined> {
  const rows = await query<SignedHead[]>`
    select business_id, number, hash, key_id, signature from audit_heads where business_id = ${businessId}`
  return rows[0]
}

export async function saveHead(tx: Tx, head: SignedHead): Promise<void> {
  await tx`
    insert into audit_heads (business_id, number, hash, key_id, signature)
    values (${head.businessId}, ${head.number}, ${head.hash}, ${head.keyId}, ${head.signature})
    on conflict (business_id) do update set number = excluded.number, hash = excluded.hash, key_id = excluded.key_id,
      signature = excluded.signature, updated_at = now()`
}

export async function insertEntry(tx: Tx, entry: AuditEntry, chained: { keyId: number; hash: Buffer }): Promise<void> {
  await tx`
    insert into audit_log (business_id, number, actor, person, action, subject_id, details, request_id, created_at, key_id, hash)
    values (${entry.businessId}, ${entry.number}, ${entry.actor}, ${entry.person && tx.json(entry.person)}, ${entry.action}, ${entry.subjectId},
      ${tx.json(entry.details)}, ${entry.requestId}, ${entry.createdAt}, ${chained.keyId}, ${chained.hash})`
}

/** Lists entries behind a number, oldest first. */
export async function listEntriesAfter(
  query: Query,
  businessId: string,
  number: number,
  limit: number,
): Promise<AuditRow[]> {
  return await query<AuditRow[]>`
    select * from audit_log where business_id = ${businessId} and number > ${number} order by number limit ${limit}`
}

export type AuditFilter = { limit: number; action?: AuditAction; since?: Date }

/** Lists entries, newest first: those of a business by their numbers. @param businessId null for all: for the operator only */
export async function listAudit(query: Query, businessId: string | null, filter: AuditFilter): Promise<AuditRow[]> {
  const { limit, action, since } = filter
  return await query<AuditRow[]>`
    select * from audit_log
    where ${businessId === null ? query`true` : query`business_id = ${businessId}`}
      and ${action === undefined ? query`true` : query`action = ${action}`}
      and ${since === undefined ? query`true` : query`created_at >= ${since}`}
    order by ${businessId === null ? query`created_at desc, business_id, number desc` : query`number desc`} limit ${limit}`
}

export type OwnAuditFilter = TimeRange & { action?: AuditAction; actor?: string }

/** An actor has many acts, of which few may be of one kind. */
const scannedMax = 10_000

/** Lists the entries of one business, newest first. The id in a key of a page is the number of an entry. */
export async function listOwnAudit(
  query: Query,
  businessId: string,
  { action, actor, ...range }: OwnAuditFilter,
  page: PageRequest,
): Promise<Page<AuditRow>> {
  const state = actor === undefined ? action && (['action', action] as const) : (['actor_id', actor] as const)
  const scan = query`
    select * from (select *, number as id from audit_log) entries
    where business_id = ${businessId} ${placesOf(query, 'entries', page, range, state ?? null)}`
  const fits = allOf(query, [actor !== undefined && action !== undefined ? query`r.action = ${action}` : null])
  const { items, next } = await readPage<AuditRow & Row>(query, { scan, scannedMax, fits }, page)
  return { items, next: next && { ...next, id: String(next.id) } }
}

/** Lists the keys, oldest first: the last one signs. */
export async function listAuditKeys(query: Query): Promise<AuditKeyRow[]> {
  return await query<AuditKeyRow[]>`select id, sealed from audit_keys order by id`
}

export async function saveAuditKey(tx: Tx, { id, sealed }: AuditKeyRow): Promise<void> {
  await tx`
    insert into audit_keys (id, sealed) values (${id}, ${sealed}) on conflict (id) do update set sealed = excluded.sealed`
}

/** Crosses businesses. Lists every chain that ought to exist: of each business, and of each entry and head. */
export async function listChains(query: Query, after: string, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select id from (
      (select id from businesses where id > ${after} order by id limit ${limit})
      union (select distinct business_id from audit_log where business_id > ${after} order by business_id limit ${limit})
      union (select business_id from audit_heads where business_id > ${after} order by business_id limit ${limit})
    ) chains order by id limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Crosses businesses: heads signed with an older key. */
export async function listOldHeads(query: Query, keyId: number, limit: number): Promise<string[]> {
  const rows = await query<{ businessId: string }[]>`
    select business_id from audit_heads where key_id < ${keyId} order by business_id limit ${limit}`
  return rows.map(({ businessId }) => businessId)
}

/** Crosses businesses. */
export async function listHeads(query: Query, after: string, limit: number): Promise<AuditHead[]> {
  return await query<AuditHead[]>`
    select business_id, number, hash, key_id from audit_heads where business_id > ${after} order by business_id limit ${limit}`
}
