// Held events for the operator, and their retry. The body is not shown, because it may contain data about people.

import type { Core } from '../../platform/core.ts'
import { fail } from '../../platform/errors.ts'
import type { Page, PageRequest } from '../../platform/postgres/paging.ts'
import { isoTime } from '../../platform/values/time.ts'
import * as store from './store.ts'

const stateOf = { pending: 'waiting', quarantined: 'quarantined' } as const
const storedStateOf = { waiting: 'pending', quarantined: 'quarantined' } as const

export const heldStates = ['waiting', 'quarantined'] as const

/** For the operator: runs across businesses. */
export async function listHeldEvents(
  deps: Core,
  { state }: { state?: (typeof heldStates)[number] },
  page: PageRequest,
): Promise<Page<store.HeldEventRow>> {
  const stored = state === undefined ? null : storedStateOf[state]
  return await deps.db.read((query) => store.listHeldEvents(query, stored, page))
}

/** For the operator: reads any held event. @throws ApiError `event_not_found` */
export async function getHeldEvent(deps: Core, id: string) {
  const row = await deps.db.read((query) => store.findHeldEvent(query, id))
  if (!row) throw fail('event_not_found')
  return heldEventView(row)
}

/**
 * For the operator: retries a held event now, whatever its earlier attempts. The event is held until it is applied.
 * @throws ApiError `event_not_found`
 */
export async function retryHeldEvent(deps: Core, id: string) {
  return await deps.db.transaction(async (tx) => {
    if (!(await store.retryHeldEvent(tx, id))) throw fail('event_not_found')
    const row = await store.findHeldEvent(tx, id)
    if (!row) throw fail('event_not_found')
    return heldEventView(row)
  })
}

export function heldEventView({ state, error, businessId, dueAt, createdAt, ...row }: store.HeldEventRow) {
  return {
    ...row,
    state: stateOf[state],
    reason: error,
    customerId: businessId,
    nextTryAt: state === 'pending' ? isoTime(dueAt) : null,
    createdAt: isoTime(createdAt),
  }
}
