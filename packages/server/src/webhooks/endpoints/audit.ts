// Audit entries about webhook endpoints. They hold only the origin of a URL: its path may hold a token of the receiver.

import type { AuditAction } from '../../audit/audit.rules.ts'
import { type AuditDeps, appendAudit } from '../../audit/log.ts'
import type { Actor } from '../../platform/http/caller.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type { WebhookEndpointRow } from './store.ts'

type EndpointAct = Extract<AuditAction, `webhook_endpoint.${string}`> extends `webhook_endpoint.${infer A}` ? A : never

export async function auditEndpoint(
  deps: AuditDeps,
  tx: Tx,
  by: Actor,
  { businessId, id }: Pick<WebhookEndpointRow, 'businessId' | 'id'>,
  act: EndpointAct,
  details: JsonObject = {},
): Promise<void> {
  await appendAudit(deps, tx, by, { businessId, action: `webhook_endpoint.${act}`, subjectId: id, details })
}

/** Appends an entry for changed fields and an entry for a new status. */
export async function auditChange(
  deps: AuditDeps,
  tx: Tx,
  by: Actor,
  before: WebhookEndpointRow,
  after: WebhookEndpointRow,
): Promise<void> {
  const fields = (['url', 'description', 'eventTypes', 'ordering'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  if (fields.length > 0) {
    const move = fields.includes('url') ? { from: originOf(before.url), to: originOf(after.url) } : {}
    await auditEndpoint(deps, tx, by, after, 'changed', { fields, ...move })
  }
  if (before.status !== after.status) await auditEndpoint(deps, tx, by, after, after.status)
}

export function originOf(url: string): string {
  return new URL(url).origin
}
