// Reads events, deliveries and attempts, for the API and for other subjects.

import { providerOf } from '../platform/config.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Query } from '../platform/postgres/query.ts'
import { type JsonObject, parseWithoutRounding } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import { plainBody, plainResponse } from './bodies.ts'
import type { EventSource } from './catalogue.rules.ts'
import * as deliveries from './deliveries.store.ts'
import { attemptHeaders, stampOf } from './headers.rules.ts'
import * as store from './store.ts'

export async function listEvents(deps: Core, business: Business, filter: store.EventFilter, page: PageRequest) {
  const { items, next } = await deps.db.read((query) =>
    store.listEvents(query, providerOf(deps.config), business.id, filter, page),
  )
  return { items: items.map((row) => eventView(deps, row)), next }
}

/** @throws ApiError `event_not_found` */
export async function getEvent(deps: Core, business: Business, id: string): Promise<EventView> {
  return eventView(deps, await deps.db.read((query) => eventOf(query, business, id)))
}

/** @throws ApiError `event_not_found` */
export async function eventOf(query: Query, business: Business, id: string): Promise<store.EventRow> {
  const row = await store.findEvent(query, business.id, id)
  if (!row) throw fail('event_not_found')
  return row
}

export async function listDeliveries(
  deps: Core,
  business: Business,
  filter: deliveries.DeliveryFilter,
  page: PageRequest,
): Promise<Page<deliveries.ListedDeliveryRow>> {
  return await deps.db.read((query) => deliveries.listDeliveries(query, business.id, filter, page))
}

/** @throws ApiError `event_not_found` */
export async function listDeliveriesOfEvent(deps: Core, business: Business, eventId: string) {
  return await deps.db.read(async (query) => {
    await eventOf(query, business, eventId)
    return await deliveriesOf(query, business, eventId)
  })
}

/** Lists the deliveries of an event, at most 100. @returns API objects, oldest first */
export async function deliveriesOf(query: Query, business: Business, eventId: string) {
  const rows = await deliveries.listDeliveriesOfEvent(query, business.id, eventId)
  return rows.map(deliveryView)
}

/** Reads a delivery with its attempts, oldest first. @throws ApiError `delivery_not_found` */
export async function getDelivery(deps: Core, business: Business, id: string) {
  return await deps.db.read(async (query) => {
    const delivery = await deliveryOf(query, business, id)
    const attempts = await deliveries.listAttempts(query, business.id, id)
    const event = await store.findEvent(query, business.id, delivery.eventId)
    return { ...delivery, attempts: attempts.map((attempt) => attemptView(deps, { delivery, event }, attempt)) }
  })
}

/** @returns the API object @throws ApiError `delivery_not_found` */
export async function deliveryOf(query: Query, business: Business, id: string) {
  const row = await deliveries.findDelivery(query, business.id, id)
  if (!row) throw fail('delivery_not_found')
  return deliveryView(row)
}

export function sourceOf({ trust }: Pick<store.EventRow, 'trust'>): EventSource {
  return trust === 'verified' || trust === 'unverified' ? 'provider' : 'causeway'
}

export type EventView = ReturnType<typeof eventView>

/** @throws Error if no deployment secret decrypts the body */
export function eventView(deps: Pick<Core, 'secrets'>, row: store.EventRow) {
  const rawBody = plainBody(deps, row).toString('utf8')
  return {
    id: row.id,
    position: row.position ?? 0, // only an event without an owner has no position
    eventType: row.type,
    externalUserId: row.externalUserId,
    providerEventId: row.providerEventId,
    source: sourceOf(row),
    verified: row.trust !== 'unverified',
    test: row.trust === 'test',
    createdAt: isoTime(row.createdAt),
    payload: JSON.parse(rawBody) as JsonObject, // validated as a JSON object before it was stored
    rawBody,
  }
}

/**
 * Parses the body of a stored event in order to apply it. A number that the JSON parser would round is null.
 * @throws Error if no deployment secret decrypts the body
 */
export function exactBodyOf(deps: Pick<Core, 'secrets'>, row: store.EventRow): JsonObject {
  return parseWithoutRounding(plainBody(deps, row).toString('utf8')) as JsonObject
}

export function deliveryView(row: deliveries.DeliveryRow) {
  return {
    id: row.id,
    eventId: row.eventId,
    webhookEndpointId: row.endpointId,
    sequence: row.sequence,
    status: row.status,
    attemptCount: row.attempts,
    lastOutcome: row.lastOutcome,
    nextAttemptAt: row.nextAttemptAt ? isoTime(row.nextAttemptAt) : null,
    createdAt: isoTime(row.createdAt),
    finishedAt: row.finishedAt ? isoTime(row.finishedAt) : null,
  }
}

export function listedDeliveryView(row: deliveries.ListedDeliveryRow) {
  return {
    ...deliveryView(row),
    eventType: row.eventType,
    externalUserId: row.externalUserId,
    lastAttempt:
      row.startedAt === null
        ? null
        : {
            attempt: row.attempts,
            outcome: row.lastOutcome ?? '',
            httpStatus: row.httpStatus,
            detail: row.detail,
            durationMs: row.durationMs ?? 0,
            startedAt: isoTime(row.startedAt),
          },
  }
}

type AttemptOf = { delivery: ReturnType<typeof deliveryView>; event: store.EventRow | undefined }

/** @throws Error if no deployment secret decrypts the receiver's response */
function attemptView(deps: Pick<Core, 'secrets'>, of: AttemptOf, row: deliveries.AttemptRow) {
  const { responseSealed: _, sentAs, ...shown } = row
  const { responseHeaders, responseBody } = plainResponse(deps, of.delivery.id, row)
  return {
    ...shown,
    startedAt: isoTime(row.startedAt),
    requestHeaders: sentAs === null ? null : requestHeadersOf(of, row.attempt, sentAs),
    responseHeaders: responseHeaders === null ? null : (JSON.parse(responseHeaders) as Record<string, string>), // as Causeway wrote it
    responseBody,
  }
}

function requestHeadersOf({ delivery, event }: AttemptOf, attempt: number, sentAs: string) {
  if (!event) return null
  const { type: eventType, externalUserId, trust } = event
  const id = `${delivery.eventId}_${delivery.webhookEndpointId}`
  const { sequence } = delivery
  return attemptHeaders(
    { id, eventType, externalUserId, sequence, attempt, isVerified: trust !== 'unverified' },
    stampOf(sentAs),
  )
}
