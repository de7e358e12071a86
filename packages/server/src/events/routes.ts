// Events as a business reads them, their deliveries, and the attempts of each.

import type { Deps } from '../app/context.ts'
import type { App } from '../platform/http/app.ts'
import { businessRoutes } from '../platform/http/route.ts'
import { encodeCursor, filterOf, linkNext, pageRequestOf, timeRange } from '../platform/http/schema/paging.ts'
import { externalUserId, lineOf, listOf, listQuery } from '../platform/http/schema/schema.ts'
import { delivery, deliveryWithAttempts, event } from './schema.ts'
import { getDelivery, getEvent, listDeliveries, listEvents } from './service.ts'
import { isPull, pullQuery, pullRequestOf, sendPulled } from './stream.routes.ts'
import { pullEvents } from './stream.ts'

export function eventRoutes(app: App, { eventReaders }: Pick<Deps, 'eventReaders'>): void {
  const { route } = businessRoutes(app, 'Events', 'events')
  app.addHook('preClose', (done) => {
    eventReaders.close()
    done()
  })

  route('GET /v0/events', {
    id: 'listEvents',
    summary: 'List events, newest first; or pull them, oldest first',
    description:
      'With `after` or `wait` the stream is pulled: each event once, in its order, for a reader that goes on by the `Link` header, which is always there.',
    query: listQuery({
      externalUserId,
      type: lineOf(256),
      providerEventId: lineOf(256, { description: "The provider's own id of an event." }),
      ...pullQuery,
      ...timeRange,
    }),
    data: listOf(event),
    errors: ['cursor_expired', 'too_many_readers'],
    run: async ({ deps, business, query, request, reply }) => {
      if (isPull(query)) {
        const asked = pullRequestOf(query, business.id, reply)
        if (asked.waitMs > 0) request.turn?.end()
        return sendPulled(reply, await pullEvents(deps, business, asked), business.id)
      }
      const { items, next } = await listEvents(deps, business, filterOf(query), pageRequestOf(query))
      if (next) linkNext(reply, 'cursor', encodeCursor(next))
      return items
    },
  })

  route('GET /v0/events/:id', {
    id: 'getEvent',
    summary: 'Read an event',
    data: event,
    errors: ['event_not_found'],
    run: ({ deps, business, params }) => getEvent(deps, business, params.id),
  })

  route('GET /v0/events/:id/deliveries', {
    id: 'listDeliveriesOfEvent',
    summary: 'List the deliveries of an event',
    data: listOf(delivery),
    errors: ['event_not_found'],
    run: ({ deps, business, params }) => listDeliveries(deps, business, params.id),
  })

  route('GET /v0/deliveries/:id', {
    id: 'getDelivery',
    summary: 'Read a delivery with its attempts',
    data: deliveryWithAttempts,
    errors: ['delivery_not_found'],
    run: ({ deps, business, params }) => getDelivery(deps, business, params.id),
  })
}
