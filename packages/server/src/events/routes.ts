// Events as a business reads them, their deliveries, and the attempts of each.

import { Type } from 'typebox'
import type { EdgeDeps } from '../app/context.ts'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { filterOf, pageRequestOf, sendPage, timeRange } from '../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  dataOf,
  externalUserId,
  lineOf,
  listQuery,
  pageOf,
  responses,
} from '../platform/http/schema/schema.ts'
import { delivery, deliveryWithAttempts, event } from './schema.ts'
import { getDelivery, getEvent, listDeliveries, listEvents } from './service.ts'
import { isPull, pullQuery, pullRequestOf, sendPulled } from './stream.routes.ts'
import { pullEvents } from './stream.ts'

const read = { auth: 'business', scope: 'events:read' } as const
const byId = closed({ id: anyId })

export function eventRoutes(app: App, deps: EdgeDeps): void {
  app.addHook('preClose', (done) => {
    deps.eventReaders.close()
    done()
  })
  app.get(
    '/v0/events',
    {
      config: read,
      schema: {
        operationId: 'listEvents',
        summary: 'List events, newest first; or pull them, oldest first',
        description:
          'With `after` or `wait` the stream is pulled: each event once, in its order, for a reader that goes on by the `Link` header, which is always there.',
        tags: ['Events'],
        querystring: listQuery({
          externalUserId: Type.Optional(externalUserId),
          type: Type.Optional(lineOf(256)),
          providerEventId: Type.Optional(lineOf(256, { description: "The provider's own id of an event." })),
          ...pullQuery,
          ...timeRange,
        }),
        response: responses(pageOf(event), 'cursor_expired', 'too_many_readers'),
      },
    },
    async (request, reply) => {
      const business = businessOf(request)
      if (isPull(request.query)) {
        const asked = pullRequestOf(request.query, business.id, reply)
        if (asked.waitMs > 0) request.turn?.end()
        return sendPulled(reply, await pullEvents(depsOf(request), business, asked), business.id)
      }
      const { query } = request
      return sendPage(reply, await listEvents(depsOf(request), business, filterOf(query), pageRequestOf(query)))
    },
  )

  app.get(
    '/v0/events/:id',
    {
      config: read,
      schema: {
        operationId: 'getEvent',
        summary: 'Read an event',
        tags: ['Events'],
        params: byId,
        response: responses(dataOf(event), 'event_not_found'),
      },
    },
    async (request) => ({ data: await getEvent(depsOf(request), businessOf(request), request.params.id) }),
  )

  app.get(
    '/v0/events/:id/deliveries',
    {
      config: read,
      schema: {
        operationId: 'listDeliveriesOfEvent',
        summary: 'List the deliveries of an event',
        tags: ['Events'],
        params: byId,
        response: responses(pageOf(delivery), 'event_not_found'),
      },
    },
    async (request) => ({ data: await listDeliveries(depsOf(request), businessOf(request), request.params.id) }),
  )

  app.get(
    '/v0/deliveries/:id',
    {
      config: read,
      schema: {
        operationId: 'getDelivery',
        summary: 'Read a delivery with its attempts',
        tags: ['Events'],
        params: byId,
        response: responses(dataOf(deliveryWithAttempts), 'delivery_not_found'),
      },
    },
    async (request) => ({ data: await getDelivery(depsOf(request), businessOf(request), request.params.id) }),
  )
}
