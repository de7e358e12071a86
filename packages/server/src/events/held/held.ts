// What the operator sees of events that are held back, and how an event is tried again. The body is not shown: it may tell of people.

import type { Core } from '../../platform/core.ts'
import { fail } from '../../platform/errors.ts'
import type { Page, PageRequest } from '../../platform/postgres/paging.ts'
import { isoTime } from '../../platform/values/time.ts'
import * as store from './store.ts'

const stateOf = { pending: 'waiting', quarantined: 'quarantined' } as const
const storedStateOf = { waiting: 'pending', quarantined: 'quarantined' } as const

export const heldStates = ['waiting', 'quarantined'] as const

/** Operator: crosses businesses. */
export async function listHeldEvents(
  deps: Core,
  { state }: { state?: (typeof heldStates)[number] },
  page: PageRequest,
): Promise<Page<store.HeldEventRow>> {
  const stored = state === undefined ? null : storedStateOf[state]
  return await deps.db.read((query) => store.listHeldEvents(query, stored, page))
}

/** Operator: reads any held event. @throws ApiError `event_not_found` */
export async function getHeldEvent(deps: Core, id: string) {
  const row = await deps.db.read((query) => store.findHeldEvent(query, id))
  if (!row) throw fail('event_not_found')
  return heldEventView(row)
}

/**
 * Operator: tries a held event again now, whatever its tries were. The event stays held until it is applied.
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
