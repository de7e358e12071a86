// The audit log of a business, for callers that may read its API keys.

import { Type } from 'typebox'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { auditActions } from './audit.rules.ts'
import { listOwnAudit } from './own.ts'

const action = oneOf('AuditAction', auditActions)

const person = named(
  { title: 'AuditPerson', description: 'The staff member, as the OpenID Connect issuer named them at that time.' },
  {
    subject: Type.String({ description: 'The `sub` claim.' }),
    email: nullable(Type.String({ description: 'The `email` claim.' })),
  },
)

const entry = named('AuditEntry', {
  number: Type.Integer({ description: 'The number of the entry within the business, from 1, without gaps.' }),
  createdAt: isoTime,
  action,
  actor: Type.String({
    description: 'The ID of an API key or staff member, `operator`, `provider`, or `causeway` for automatic changes.',
    examples: ['operator'],
  }),
  person: nullable(person),
  consoleSessionId: nullable(
    Type.String({ description: 'The console session that made the change; null outside of the console.' }),
  ),
  subjectId: Type.String({
    description: 'The changed object: the ID of a key, an endpoint, an end-user, an account …',
  }),
  details: Type.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: true,
    description: 'Details of the change. Neither secrets nor identity data.',
  }),
  requestId: nullable(Type.String({ description: 'The `X-Request-Id` of the request that made the change.' })),
})

const filters = {
  action,
  actor: lineOf(64, {
    description: 'An API key or a staff member with all console sessions, `operator`, `provider` or `causeway`.',
    examples: ['operator'],
  }),
  ...timeRange,
}

/** A page of the audit log, for the business itself and for the operator. */
export const auditLog = {
  filters,
  items: entry,
  example: { query: () => ({ limit: 1, action: 'api_key.rolled' }) },
  unindexed: [['actor', 'action']],
} as const

const { list } = operationsOf<Core>('API keys', 'api_keys')

export const auditOperations = [
  list('GET /v0/audit-log', {
    id: 'listAuditLog',
    summary: 'List the audit log, newest first',
    sdk: 'auditLog.list(query)',
    command: 'audit-log list',
    description:
      'Shows who changed what. Each entry is written in the transaction of the change, so no change is missing. Entries are stored permanently.',
    ...auditLog,
    run: ({ deps, scope, filter, page }) => listOwnAudit(deps, scope.business, filter, page, 'business'),
  }),
]
