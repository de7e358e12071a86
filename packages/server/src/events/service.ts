// What a business may read of its events, deliveries and attempts.

import type { Deps } from '../app/context.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import * as deliveries from './deliveries.store.ts'
import * as store from './store.ts'
import { attemptView, deliveryView, eventView } from './view.ts'

export async function listEvents(
  deps: Deps,
  business: Business,
  filter: store.EventFilter,
  page: PageRequest,
): Promise<Page<store.EventRow>> {
  return await deps.db.read((query) => store.listEvents(query, business.id, filter, page))
}

/** @throws ApiError `event_not_found` */
export async function getEvent(deps: Deps, business: Business, id: string) {
  const row = await deps.db.read((query) => store.findEvent(query, business.id, id))
  if (!row) throw fail('event_not_found')
  return eventView(deps, row)
}

/** @throws ApiError `event_not_found` */
export async function listDeliveries(deps: Deps, business: Business, eventId: string) {
  return await deps.db.read(async (query) => {
    if (!(await store.findEvent(query, business.id, eventId))) throw fail('event_not_found')
    const rows = await deliveries.listDeliveriesOfEvent(query, business.id, eventId)
    return rows.map(deliveryView)
  })
}

/** A delivery with its attempts, oldest first. @throws ApiError `delivery_not_found` */
export async function getDelivery(deps: Deps, business: Business, id: string) {
  return await deps.db.read(async (query) => {
    const row = await deliveries.findDelivery(query, business.id, id)
    if (!row) throw fail('delivery_not_found')
    const attempts = await deliveries.listAttempts(query, business.id, id)
    return { ...deliveryView(row), attempts: attempts.map((attempt) => attemptView(deps, id, attempt)) }
  })
}
