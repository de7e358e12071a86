// Replays: a range of events sent to one endpoint again, as a job that can be read and cancelled.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../../platform/http/app.ts'
import { pageRequestOf, sendPage } from '../../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  dataOf,
  eventTypeFilter,
  idOf,
  isoTime,
  listQuery,
  nullable,
  oneOf,
  pageOf,
  responses,
} from '../../platform/http/schema/schema.ts'
import { replayStates, replayStatuses } from './replay.rules.ts'
import { cancelReplay, getReplay, listReplays, replayView, startReplay } from './service.ts'

const replay = Type.Object(
  {
    id: idOf('replay'),
    webhookEndpointId: idOf('webhookEndpoint'),
    from: isoTime,
    to: isoTime,
    types: Type.Array(Type.String()),
    status: oneOf(replayStatuses),
    state: oneOf(replayStates, {
      description: '`done`: everything is queued; what is queued may still be on its way.',
    }),
    percent: Type.Integer({ description: 'How much of the stream was looked through.' }),
    matchedCount: Type.Integer({ description: 'Events of the range and types that were found so far.' }),
    queuedCount: Type.Integer({ description: 'Of these, those that are sent again.' }),
    skippedCount: Type.Integer({
      description: 'Of these, those that are not: already on their way, or not of the status.',
    }),
    error: nullable(Type.String({ description: 'Why it failed.' })),
    createdAt: isoTime,
    updatedAt: isoTime,
    endedAt: nullable(isoTime),
  },
  { title: 'Replay' },
)

const newReplay = closed({
  from: { ...isoTime, description: 'Events received at this time or later …' },
  to: { ...isoTime, description: '… and before this one: at most 31 days in one replay.' },
  types: Type.Optional(
    Type.Array(eventTypeFilter, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Names, `prefix.*`, or `*` for all. Default: what the endpoint subscribes to now.',
    }),
  ),
  status: Type.Optional(
    oneOf(replayStatuses, {
      description:
        '`failed`: given up or cancelled. `missing`: never meant for this endpoint, because it was made or subscribed later. `undelivered` (the default): both. `delivered`: delivered before. `all`.',
    }),
  ),
})

const byId = closed({ id: anyId })

export function replayRoutes(app: App): void {
  app.post(
    '/v0/webhook-endpoints/:id/replay',
    {
      config: { auth: 'business', scope: 'webhooks:write' },
      schema: {
        operationId: 'startReplay',
        summary: 'Send a range of events to an endpoint again',
        description:
          'In the background, in the order of the stream, beside the events that come meanwhile. One replay runs for an endpoint at a time.',
        tags: ['Webhooks'],
        params: byId,
        body: newReplay,
        response: responses(dataOf(replay), 'webhook_endpoint_not_found', 'replay_in_progress'),
      },
    },
    async (request) => {
      const { from, to, types = null, status = 'undelivered' } = request.body
      const asked = { from, to, types, status }
      return { data: await startReplay(depsOf(request), businessOf(request), request.params.id, asked) }
    },
  )

  app.get(
    '/v0/webhook-endpoints/:id/replays',
    {
      config: { auth: 'business', scope: 'webhooks:read' },
      schema: {
        operationId: 'listReplays',
        summary: 'List the replays of an endpoint',
        description: 'The running one and the last 100 that have ended.',
        tags: ['Webhooks'],
        params: byId,
        querystring: listQuery({}),
        response: responses(pageOf(replay), 'webhook_endpoint_not_found'),
      },
    },
    async (request, reply) => {
      const page = await listReplays(
        depsOf(request),
        businessOf(request),
        request.params.id,
        pageRequestOf(request.query),
      )
      return sendPage(reply, { ...page, items: page.items.map(replayView) })
    },
  )

  app.get(
    '/v0/replays/:id',
    {
      config: { auth: 'business', scope: 'webhooks:read' },
      schema: {
        operationId: 'getReplay',
        summary: 'Read a replay and how far it has come',
        tags: ['Webhooks'],
        params: byId,
        response: responses(dataOf(replay), 'replay_not_found'),
      },
    },
    async (request) => ({ data: await getReplay(depsOf(request), businessOf(request), request.params.id) }),
  )

  app.post(
    '/v0/replays/:id/cancel',
    {
      config: { auth: 'business', scope: 'webhooks:write' },
      schema: {
        operationId: 'cancelReplay',
        summary: 'Cancel a replay',
        description: 'Nothing more is queued; what is queued goes out. One that has ended stays as it ended.',
        tags: ['Webhooks'],
        params: byId,
        response: responses(dataOf(replay), 'replay_not_found'),
      },
    },
    async (request) => ({ data: await cancelReplay(depsOf(request), businessOf(request), request.params.id) }),
  )
}
