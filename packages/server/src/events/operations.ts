// Events by page or by polling; their deliveries, and the attempts of each delivery.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fail } from '../platform/errors.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { encodeCursor, filterOf, linkNext, pageRequestOf, shown, timeRange } from '../platform/http/schema/paging.ts'
import { anyId, externalUserId, lineOf, listOf, listQuery, oneOf } from '../platform/http/schema/schema.ts'
import { type EventSource, eventSources } from './catalogue.rules.ts'
import { delivery, deliveryStatus, deliveryWithAttempts, event, listedDelivery } from './schema.ts'
import {
  getDelivery,
  getEvent,
  listDeliveries,
  listDeliveriesOfEvent,
  listEvents,
  listedDeliveryView,
} from './service.ts'
import type { Streams } from './stream/ports.ts'
import { type PullRequest, type PullResult, pullEvents } from './stream/stream.ts'

/** Well below the 60 s after which load balancers usually close an idle connection. */
const waitSecondsMax = 30

const pullQuery = {
  after: Type.String({
    minLength: 1,
    maxLength: 512,
    description:
      'Poll: read forward, oldest first, from after this cursor of a `Link` header. `now`: from now on. With `wait` alone: from the oldest stored event.',
  }),
  wait: Type.Integer({
    minimum: 0,
    maximum: waitSecondsMax,
    description: 'Poll: the seconds to wait for an event if there is none. Default: 0.',
  }),
}

const { read, list } = operationsOf<Streams>('Events', 'events')

export const eventOperations = [
  read('GET /v0/events', {
    id: 'listEvents',
    summary: 'List events, newest first; or poll for events, oldest first',
    sdk: 'events.list(query)',
    example: { query: () => ({ limit: 1, eventType: 'virtual_account.payment.received' }) },
    description:
      'With `after` or `wait`, you poll the event stream: each event once, oldest first. Continue from the URL in the `Link` header, which is always present.',
    query: listQuery({
      externalUserId,
      virtualAccountId: anyId,
      eventType: lineOf(256),
      sources: Type.Array(oneOf('EventSource', eventSources), {
        minItems: 1,
        uniqueItems: true,
        description: 'Event sources, separated by commas. Also applies to polling. Default: both.',
      }),
      providerEventId: lineOf(256, { description: 'The provider’s own ID of an event.' }),
      ...pullQuery,
      ...timeRange,
    }),
    data: listOf(event),
    errors: ['cursor_expired', 'too_many_readers'],
    run: async ({ deps, scope: { business }, query, request, reply }) => {
      if (query.after !== undefined || query.wait !== undefined) {
        const asked = pullRequestOf(query, business.id, request, reply)
        if (asked.waitMs > 0) request.turn?.end()
        return sendPulled(reply, await pullEvents(deps, business, asked), business.id)
      }
      const { items, next } = await listEvents(deps, business, filterOf(query), pageRequestOf(query))
      if (next) linkNext(reply, 'cursor', encodeCursor(next))
      return items
    },
  }),

  read('GET /v0/events/:id', {
    id: 'getEvent',
    summary: 'Read an event',
    sdk: 'events.get(at)',
    data: event,
    errors: ['event_not_found'],
    run: ({ deps, scope, params }) => getEvent(deps, scope.business, params.id),
  }),

  read('GET /v0/events/:id/deliveries', {
    id: 'listDeliveriesOfEvent',
    summary: 'List the deliveries of an event',
    sdk: 'events.deliveries(at)',
    data: listOf(delivery),
    errors: ['event_not_found'],
    run: ({ deps, scope, params }) => listDeliveriesOfEvent(deps, scope.business, params.id),
  }),

  list('GET /v0/deliveries', {
    id: 'listDeliveries',
    summary: 'List deliveries, newest first',
    sdk: 'deliveries.list(query)',
    example: { query: () => ({ limit: 1, eventType: 'virtual_account.payment.received', status: 'delivered' }) },
    description:
      'Each delivery with its event and its last attempt. The times refer to when the event was received. One page searches at most 2,000 deliveries or events: if few deliveries match a filter, a page can have fewer than `limit` items, or none. The list ends where there is no `Link` header.',
    filters: { status: deliveryStatus, webhookEndpointId: anyId, eventType: lineOf(256), externalUserId, ...timeRange },
    items: listedDelivery,
    run: async ({ deps, scope, filter, page }) =>
      shown(await listDeliveries(deps, scope.business, filter, page), listedDeliveryView),
  }),

  read('GET /v0/deliveries/:id', {
    id: 'getDelivery',
    summary: 'Read a delivery with its attempts',
    sdk: 'deliveries.get(at)',
    data: deliveryWithAttempts,
    errors: ['delivery_not_found'],
    run: ({ deps, scope, params }) => getDelivery(deps, scope.business, params.id),
  }),
]

type Query = { after?: string; wait?: number; limit: number; sources?: EventSource[] } & Record<string, unknown>

const ownMembers = new Set(['after', 'wait', 'limit', 'sources'])

/**
 * Parses the query of a poll.
 * @param businessId the business of the stream: a cursor of another stream would silently skip events
 * @throws ApiError `invalid_query`, `invalid_cursor`
 */
function pullRequestOf(
  query: Query,
  businessId: string,
  { admitAgain }: FastifyRequest,
  reply: FastifyReply,
): PullRequest {
  const stray = Object.keys(query).find((name) => !ownMembers.has(name))
  if (stray !== undefined) {
    const message = `${stray} cannot be combined with after or wait: polling returns the whole event stream.`
    throw fail('invalid_query', { message, details: [{ param: stray, code: 'invalid_query', message }] })
  }
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const { after, wait = 0, limit, sources = eventSources } = query
  return { start: startOf(after, businessId), limit, sources, waitMs: wait * 1_000, gone: gone.signal, admitAgain }
}

function startOf(after: string | undefined, businessId: string): PullRequest['start'] {
  if (after === undefined) return 'oldest'
  return after === 'now' ? 'newest' : decodePlace(after, businessId)
}

/**
 * Sends the events with the URL to continue from, which is present even if there was no event.
 * @throws ApiError `cursor_expired`, with the URL after the gap
 */
function sendPulled(reply: FastifyReply, pulled: PullResult, businessId: string): PullResult['events'] {
  linkNext(reply, 'after', encodePlace(pulled.next, businessId))
  if (pulled.lost === 0) return pulled.events
  const message = `${pulled.lost} ${pulled.lost === 1 ? 'event' : 'events'} after this cursor are no longer stored.`
  throw fail('cursor_expired', { message })
}

const version = 's1'

/** IDs are random: their end distinguishes the cursors of businesses. */
function markOf(businessId: string): string {
  return businessId.slice(-8)
}

function encodePlace(position: number, businessId: string): string {
  return Buffer.from(`${version}.${markOf(businessId)}.${position}`).toString('base64url')
}

/** @throws ApiError `invalid_cursor` */
function decodePlace(cursor: string, businessId: string): number {
  const [given, mark, position = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.')
  if (given !== version || mark !== markOf(businessId) || !/^\d{1,15}$/.test(position))
    throw fail('invalid_cursor', { param: 'after' })
  return Number(position)
}
