// The audit log of one business, for the business and for the operator.

import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import { type Business, operator } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import { isoTime } from '../platform/values/time.ts'
import * as store from './store.ts'

/**
 * Lists what was done in a business, newest first.
 * @param reader a business does not see which person of the operator made a change
 * @throws ApiError `invalid_cursor`
 */
export async function listOwnAudit(
  deps: Core,
  business: Pick<Business, 'id'>,
  filter: store.OwnAuditFilter,
  page: PageRequest,
  reader: 'business' | 'operator',
) {
  if (page.after && !/^[1-9]\d{0,14}$/.test(page.after.id)) throw fail('invalid_cursor', { param: 'cursor' })
  const { items, next } = await deps.db.read((query) => store.listOwnAudit(query, business.id, filter, page))
  return { items: items.map((row) => entryView(row, reader)), next } satisfies Page<unknown>
}

function entryView(row: store.AuditRow, reader: 'business' | 'operator') {
  const { number, createdAt, action, actor, subjectId, details, requestId } = row
  const [actorId = '', consoleSessionId = null] = actor.split('/')
  return {
    number,
    createdAt: isoTime(createdAt),
    action,
    actor: actorId,
    person: reader === 'business' && actorId === operator.name ? null : row.person,
    consoleSessionId,
    subjectId,
    details,
    requestId,
  }
}
