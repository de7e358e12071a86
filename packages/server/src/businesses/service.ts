// Businesses, the operator's customers: create, list, rename, suspend. api-keys.ts has their API keys.

import { appendAudit } from '../audit/log.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import { type Actor, operator } from '../platform/http/caller.ts'
import { emailConflicts } from '../platform/observe/metrics.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import { makeId } from '../platform/values/ids.ts'
import { isoTime } from '../platform/values/time.ts'
import { changingKeys } from './api-keys.ts'
import type { ApiKeys } from './ports.ts'
import * as store from './store.ts'

export function businessView({ emailConflicts, emailConflictLastAt, ...row }: store.BusinessRow) {
  const lastAt = emailConflictLastAt && isoTime(emailConflictLastAt)
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    emailConflicts: { count: emailConflicts, lastAt },
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/**
 * Counts, for the operator, that the provider has refused an email address of this business because it belongs to a
 * customer of another one. A high count may be a caller that guesses addresses.
 */
export async function noteEmailConflict(deps: Core, businessId: string): Promise<void> {
  emailConflicts.inc()
  const count = await deps.db.transaction((tx) => store.countEmailConflict(tx, businessId))
  deps.log.warn({ business: businessId, count }, 'email address of another business rejected')
}

/** Operator: creates a business. */
export async function createBusiness(deps: Core, input: { name: string }, by: Actor = operator) {
  const id = makeId('business', deps.randomBytes(16))
  return await deps.db.transaction(async (tx) => {
    const row = await store.insertBusiness(tx, { id, name: input.name })
    await appendAudit(deps, tx, by, { businessId: id, action: 'customer.created', subjectId: id })
    return businessView(row)
  })
}

/** Operator: crosses businesses. */
export async function listAllBusinesses(
  deps: Core,
  filter: store.BusinessFilter,
  page: PageRequest,
): Promise<Page<store.BusinessRow>> {
  return await deps.db.read((query) => store.listAllBusinesses(query, filter, page))
}

/**
 * Operator: reads any business.
 * @throws ApiError `customer_not_found`
 */
export async function getAnyBusiness(deps: Core, id: string) {
  const row = await deps.db.read((query) => store.findBusiness(query, id))
  if (!row) throw fail('customer_not_found')
  return businessView(row)
}

/**
 * Operator: renames, suspends or reactivates any business.
 * @throws ApiError `customer_not_found`
 */
export async function changeAnyBusiness(
  deps: ApiKeys,
  id: string,
  change: { name?: string; status?: 'active' | 'suspended' },
  by: Actor = operator,
) {
  return await changingKeys(deps, null, id, async (tx) => {
    const before = await store.lockBusiness(tx, id)
    const row = await store.updateBusiness(tx, id, change)
    if (!before || !row) throw fail('customer_not_found')
    const act = { businessId: id, subjectId: id }
    if (row.name !== before.name) await appendAudit(deps, tx, by, { ...act, action: 'customer.renamed' })
    if (row.status !== before.status) {
      const action = row.status === 'suspended' ? 'customer.suspended' : 'customer.resumed'
      await appendAudit(deps, tx, by, { ...act, action })
    }
    return businessView(row)
  })
}
