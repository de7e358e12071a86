// Who changed what: append-only, written in the transaction of the change, numbered without gaps within a business.

import type { JsonObject } from '../domain/json.ts'
import type { PageRequest } from './paging.ts'
import type { Query, Tx } from './query.ts'

export type AuditAction =
  | 'end_user.erased'
  | 'virtual_account.destination.requested'
  | 'virtual_account.destination.cancelled'
  | 'virtual_account.destination.changed'
  | 'virtual_account.destination.refused'

export type AuditEntry = {
  businessId: string
  /** An API key's id, `provider` where the provider itself made the change, or `causeway` where nobody is known. */
  actor: string
  action: AuditAction
  subjectId: string
  details?: JsonObject
}

export type AuditRow = Required<AuditEntry> & { number: number; createdAt: Date }

/** Comes after every event of the transaction: whoever has this lock waits for no other, and nothing deadlocks. */
export async function appendAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  // Whoever comes next waits for this transaction: a number is given out exactly when its entry is there.
  await tx`select pg_advisory_xact_lock(hashtextextended(${`audit ${entry.businessId}`}, 0))`
  await tx`
    insert into audit_log (business_id, number, actor, action, subject_id, details)
    select ${entry.businessId}, coalesce(max(number), 0) + 1, ${entry.actor}, ${entry.action}, ${entry.subjectId},
      ${tx.json(entry.details ?? {})}
    from audit_log where business_id = ${entry.businessId}`
}

/** Newest first. */
export async function listAudit(
  query: Query,
  businessId: string,
  page: Pick<PageRequest, 'limit'>,
): Promise<AuditRow[]> {
  return await query<AuditRow[]>`
    select * from audit_log where business_id = ${businessId} order by number desc limit ${page.limit}`
}
