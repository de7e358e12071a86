// What a business, and other subjects, may read of events, deliveries and attempts.

import type { Deps } from '../app/context.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Query } from '../platform/postgres/query.ts'
import * as deliveries from './deliveries.store.ts'
import * as store from './store.ts'
import { attemptView, deliveryView, type EventView, eventView } from './view.ts'

/** Lists events, the newest first. */
export async function listEvents(
  deps: Deps,
  business: Business,
  filter: store.EventFilter,
  page: PageRequest,
): Promise<Page<EventView>> {
  const { items, next } = await deps.db.read((query) => store.listEvents(query, business.id, filter, page))
  return { items: items.map((row) => eventView(deps, row)), next }
}

/** Reads an event as the API shows it. @throws ApiError `event_not_found` */
export async function getEvent(deps: Deps, business: Business, id: string): Promise<EventView> {
  return eventView(deps, await deps.db.read((query) => eventOf(query, business, id)))
}

/** Reads an event of a business. @throws ApiError `event_not_found` */
export async function eventOf(query: Query, business: Business, id: string): Promise<store.EventRow> {
  const row = await store.findEvent(query, business.id, id)
  if (!row) throw fail('event_not_found')
  return row
}

/** Lists the deliveries of an event. @throws ApiError `event_not_found` */
export async function listDeliveries(deps: Deps, business: Business, eventId: string) {
  return await deps.db.read(async (query) => {
    await eventOf(query, business, eventId)
    return await deliveriesOf(query, business, eventId)
  })
}

/** Lists the deliveries of an event, at most 100. @returns them as the API shows them, the oldest first */
export async function deliveriesOf(query: Query, business: Business, eventId: string) {
  const rows = await deliveries.listDeliveriesOfEvent(query, business.id, eventId)
  return rows.map(deliveryView)
}

/** Reads a delivery with its attempts, the oldest first. @throws ApiError `delivery_not_found` */
export async function getDelivery(deps: Deps, business: Business, id: string) {
  return await deps.db.read(async (query) => {
    const delivery = await deliveryOf(query, business, id)
    const attempts = await deliveries.listAttempts(query, business.id, id)
    return { ...delivery, attempts: attempts.map((attempt) => attemptView(deps, id, attempt)) }
  })
}

/** Reads a delivery of a business. @returns it as the API shows it @throws ApiError `delivery_not_found` */
export async function deliveryOf(query: Query, business: Business, id: string) {
  const row = await deliveries.findDelivery(query, business.id, id)
  if (!row) throw fail('delivery_not_found')
  return deliveryView(row)
}
