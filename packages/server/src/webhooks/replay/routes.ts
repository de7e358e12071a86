// Replays: a range of events sent to one endpoint again, as a job that can be read and cancelled.

import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { businessRoutes } from '../../platform/http/route.ts'
import { shown } from '../../platform/http/schema/paging.ts'
import { closed, eventTypeFilter, idOf, isoTime, nullable, oneOf } from '../../platform/http/schema/schema.ts'
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

export function replayRoutes(app: App): void {
  const { route, list } = businessRoutes(app, 'Webhooks', 'webhooks')

  route('POST /v0/webhook-endpoints/:id/replay', {
    id: 'startReplay',
    summary: 'Send a range of events to an endpoint again',
    description:
      'In the background, in the order of the stream, beside the events that come meanwhile. One replay runs for an endpoint at a time.',
    body: newReplay,
    data: replay,
    errors: ['webhook_endpoint_not_found', 'replay_in_progress'],
    run: ({ deps, business, params, body: { types = null, status = 'undelivered', ...range } }) =>
      startReplay(deps, business, params.id, { ...range, types, status }),
  })

  list('GET /v0/webhook-endpoints/:id/replays', {
    id: 'listReplays',
    summary: 'List the replays of an endpoint',
    description: 'The running one and the last 100 that have ended.',
    items: replay,
    errors: ['webhook_endpoint_not_found'],
    run: async ({ deps, business, params, page }) =>
      shown(await listReplays(deps, business, params.id, page), replayView),
  })

  route('GET /v0/replays/:id', {
    id: 'getReplay',
    summary: 'Read a replay and how far it has come',
    data: replay,
    errors: ['replay_not_found'],
    run: ({ deps, business, params }) => getReplay(deps, business, params.id),
  })

  route('POST /v0/replays/:id/cancel', {
    id: 'cancelReplay',
    summary: 'Cancel a replay',
    description: 'Nothing more is queued; what is queued goes out. One that has ended stays as it ended.',
    data: replay,
    errors: ['replay_not_found'],
    run: ({ deps, business, params }) => cancelReplay(deps, business, params.id),
  })
}
