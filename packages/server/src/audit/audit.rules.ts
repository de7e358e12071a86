// Content of the audit log: who did what, to which object. Contains no secrets and no identity data of end-users.

import type { Person } from '../platform/http/caller.ts'
import { canonicalJson, type JsonObject } from '../platform/values/json.ts'

/** The chain of actions that belong to no business. */
export const deploymentChain = 'deployment'

export const auditActions = [
  'customer.created',
  'customer.renamed',
  'customer.suspended',
  'customer.resumed',
  'api_key.created',
  'api_key.rolled',
  'api_key.revoked',
  'console_link.created',
  'console_link.revoked',
  'console_session.opened',
  'console_session.ended',
  'sign_in.changed',
  'sign_in.removed',
  'staff.signed_out',
  'webhook_endpoint.created',
  'webhook_endpoint.changed',
  'webhook_endpoint.enabled',
  'webhook_endpoint.paused',
  'webhook_endpoint.disabled',
  'webhook_endpoint.deleted',
  'webhook_endpoint.secret_rotated',
  'end_user.deleted',
  'onboarding_link.created',
  'onboarding_link.revoked',
  'branding.changed',
  'virtual_account.deactivated',
  'virtual_account.reactivated',
  'virtual_account.destination.requested',
  'virtual_account.destination.cancelled',
  'virtual_account.destination.changed',
  'virtual_account.destination.refused',
  'virtual_account.destination.unconfirmed',
  'virtual_account.bank_details.changed',
  'alert_channel.created',
  'alert_channel.changed',
  'alert_channel.deleted',
  'provider.connected',
  'deployment_secret.rotated',
  'database.restored',
] as const

export type AuditAction = (typeof auditActions)[number]

export type AuditEntry = {
  /** The business of the entry, or `deploymentChain`. */
  businessId: string
  number: number
  actor: string
  person: Person | null
  action: AuditAction
  subjectId: string
  details: JsonObject
  requestId: string | null
  createdAt: Date
}

/** The canonical text of an entry at its position: its content, and the hash of the entry before it. */
export function entryText(entry: AuditEntry, keyId: number, previous: Buffer): string {
  const { businessId, number, actor, person, action, subjectId, details, requestId, createdAt } = entry
  return canonicalJson({
    kind: 'audit entry',
    businessId,
    number,
    actor,
    ...(person && { person }),
    action,
    subjectId,
    details,
    requestId,
    createdAt: createdAt.toISOString(),
    keyId,
    previous: previous.toString('hex'),
  })
}

export type AuditHead = { businessId: string; number: number; hash: Buffer; keyId: number }

export function headText({ businessId, number, hash, keyId }: AuditHead): string {
  return canonicalJson({ kind: 'audit head', businessId, number, hash: hash.toString('hex'), keyId })
}

/** The hash before the first entry of a chain. */
export const noHash = Buffer.alloc(32)
