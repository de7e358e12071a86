// The audit log of a business, for those who may read its API keys.

import { Type } from 'typebox'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { auditActions } from './audit.rules.ts'
import { listOwnAudit } from './own.ts'

const action = oneOf('AuditAction', auditActions)

const entry = named('AuditEntry', {
  number: Type.Integer({ description: 'Counts the entries of the business, from 1, without a gap.' }),
  createdAt: isoTime,
  action,
  actor: Type.String({
    description: 'The id of an API key, `operator`, `provider`, or `causeway` for what the service does by itself.',
    examples: ['operator'],
  }),
  consoleSessionId: nullable(
    Type.String({ description: 'The session of the console in which it was done; null outside of the console.' }),
  ),
  subjectId: Type.String({ description: 'What was changed: the id of a key, an endpoint, an end-user, an account …' }),
  details: Type.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: true,
    description: 'What else is known of the act. Neither a secret nor identity data.',
  }),
  requestId: nullable(Type.String({ description: 'The `X-Request-Id` of the request that did it.' })),
})

const filters = {
  action,
  actor: lineOf(64, {
    description: 'An API key with all its sessions of the console, `operator`, `provider` or `causeway`.',
    examples: ['operator'],
  }),
  ...timeRange,
}

const { list } = operationsOf<Core>('API keys', 'api_keys')

export const auditOperations = [
  list('GET /v0/audit-log', {
    id: 'listAuditLog',
    summary: 'List who changed what, newest first',
    sdk: 'auditLog.list(query)',
    example: { query: () => ({ limit: 1, action: 'api_key.rolled' }) },
    unindexed: [['actor', 'action']],
    description:
      'Each entry is written in the transaction of the change: a change without an entry did not happen. Entries are kept for good.',
    filters,
    items: entry,
    run: ({ deps, scope, filter, page }) => listOwnAudit(deps, scope.business, filter, page),
  }),
]
