// The audit log as a business reads its own.

import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import { isoTime } from '../platform/values/time.ts'
import * as store from './store.ts'

/**
 * Lists what was done in a business, newest first.
 * @throws ApiError `invalid_cursor`
 */
export async function listOwnAudit(
  deps: Core,
  business: Pick<Business, 'id'>,
  filter: store.OwnAuditFilter,
  page: PageRequest,
) {
  if (page.after && !/^[1-9]\d{0,14}$/.test(page.after.id)) throw fail('invalid_cursor', { param: 'cursor' })
  const { items, next } = await deps.db.read((query) => store.listOwnAudit(query, business.id, filter, page))
  return { items: items.map(entryView), next } satisfies Page<unknown>
}

function entryView({ number, createdAt, action, actor, subjectId, details, requestId }: store.AuditRow) {
  const [actorId = '', consoleSessionId = null] = actor.split('/')
  return {
    number,
    createdAt: isoTime(createdAt),
    action,
    actor: actorId,
    consoleSessionId,
    subjectId,
    details,
    requestId,
  }
}
