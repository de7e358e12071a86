// Who changed what: append-only, written in the transaction of the change, numbered without gaps within a business, each
// entry chained to the one before it. What the codes are made of is the services' to know.

import { only } from '../platform/postgres/db.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { AuditAction, AuditEntry, AuditHead } from './audit.rules.ts'

/** `hash` and `keyId` are null in an entry that is no part of its chain yet. */
export type AuditRow = AuditEntry & { hash: Buffer | null; keyId: number | null }

export type SignedHead = AuditHead & { signature: Buffer }

export type AuditKeyRow = { id: number; sealed: Buffer }

/** Whoever comes next waits for this transaction. Comes after every event of it: who has this waits for no other. */
export async function lockChain(tx: Tx, businessId: string): Promise<{ head: SignedHead | undefined; now: Date }> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`audit ${businessId}`}, 0))`
  const { now } = only(await tx<{ now: Date }[]>`select now()::timestamptz(3) as now`)
  return { head: await findHead(tx, businessId), now }
}

/** One transaction at a time makes or replaces keys. */
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
    insert into audit_log (business_id, number, actor, action, subject_id, details, request_id, created_at, key_id, hash)
    values (${entry.businessId}, ${entry.number}, ${entry.actor}, ${entry.action}, ${entry.subjectId},
      ${tx.json(entry.details)}, ${entry.requestId}, ${entry.createdAt}, ${chained.keyId}, ${chained.hash})`
}

/** Takes an entry of a version before the chain into it. */
export async function chainEntry(
  tx: Tx,
  { businessId, number }: AuditEntry,
  chained: { keyId: number; hash: Buffer },
): Promise<void> {
  await tx`
    update audit_log set key_id = ${chained.keyId}, hash = ${chained.hash}
    where business_id = ${businessId} and number = ${number} and hash is null`
}

/** Oldest first. */
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

/** Newest first. @param businessId null for all: for the operator only */
export async function listAudit(query: Query, businessId: string | null, filter: AuditFilter): Promise<AuditRow[]> {
  return await query<AuditRow[]>`
    select * from audit_log
    where (${businessId}::text is null or business_id = ${businessId})
      and (${filter.action ?? null}::text is null or action = ${filter.action ?? null})
      and (${filter.since ?? null}::timestamptz is null or created_at >= ${filter.since ?? null})
    order by created_at desc, business_id, number desc limit ${filter.limit}`
}

/** Oldest first; the last one writes. */
export async function listAuditKeys(query: Query): Promise<AuditKeyRow[]> {
  return await query<AuditKeyRow[]>`select id, sealed from audit_keys order by id`
}

export async function saveAuditKey(tx: Tx, { id, sealed }: AuditKeyRow): Promise<void> {
  await tx`
    insert into audit_keys (id, sealed) values (${id}, ${sealed}) on conflict (id) do update set sealed = excluded.sealed`
}

/** Crosses businesses. Every chain there ought to be: of each business, and whatever else has entries or a head. */
export async function listChains(query: Query, after: string, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select id from (
      (select id from businesses where id > ${after} order by id limit ${limit})
      union (select distinct business_id from audit_log where business_id > ${after} order by business_id limit ${limit})
      union (select business_id from audit_heads where business_id > ${after} order by business_id limit ${limit})
    ) chains order by id limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Crosses businesses: those whose chain has not begun, or has entries that are no part of it. */
export async function listUnchained(query: Query, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    (select id from businesses b where not exists (select from audit_heads h where h.business_id = b.id) limit ${limit})
    union (select distinct business_id from audit_log where hash is null limit ${limit})`
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
