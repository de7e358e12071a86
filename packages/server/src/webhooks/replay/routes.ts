// Sending again: a range of events to one endpoint, as a job; one event; one delivery. And why an event has arrived or not.

import { Type } from 'typebox'
import { eventSources } from '../../events/catalogue.rules.ts'
import { delivery } from '../../events/schema.ts'
import type { App } from '../../platform/http/app.ts'
import { businessRoutes } from '../../platform/http/route.ts'
import { shown } from '../../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  eventTypeFilter,
  externalUserId,
  idOf,
  isoTime,
  listOf,
  named,
  nullable,
  oneOf,
} from '../../platform/http/schema/schema.ts'
import { endpointsMax } from '../endpoints/service.ts'
import { endpointCodes, verdicts } from './explain.rules.ts'
import { explainEvent, processingCodes } from './explain.ts'
import { replayStates, replayStatuses } from './replay.rules.ts'
import {
  cancelReplay,
  getReplay,
  listReplays,
  replayEvent,
  replayView,
  retryDeliveries,
  retryDelivery,
  startReplay,
} from './service.ts'

const replay = named('Replay', {
  id: idOf('replay'),
  webhookEndpointId: idOf('webhookEndpoint'),
  from: isoTime,
  to: isoTime,
  eventTypes: Type.Array(Type.String()),
  sources: Type.Array(oneOf('EventSource', eventSources)),
  externalUserId: nullable(Type.String({ description: 'Only events about this end-user; null for all.' })),
  status: oneOf('ReplaySelection', replayStatuses),
  state: oneOf('ReplayState', replayStates, {
    description: '`done`: everything is queued; what is queued may still be on its way.',
  }),
  percent: Type.Integer({ description: 'How much was looked through: of the stream, or of the failed deliveries.' }),
  matchedCount: Type.Integer({ description: 'Events of the range and of these types that were found so far.' }),
  queuedCount: Type.Integer({ description: 'Of these, those that are sent again.' }),
  skippedCount: Type.Integer({
    description: 'Of these, those that are not: already on their way, or not of the status.',
  }),
  error: nullable(Type.String({ description: 'Why it failed.' })),
  createdAt: isoTime,
  updatedAt: isoTime,
  endedAt: nullable(isoTime),
})

const newReplay = closed({
  from: { ...isoTime, description: 'Events received at this time or later …' },
  to: { ...isoTime, description: '… and before this one: at most 31 days in one replay.' },
  eventTypes: Type.Optional(
    Type.Array(eventTypeFilter, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Names, `prefix.*`, or `*` for all. Default: what the endpoint subscribes to now.',
    }),
  ),
  sources: Type.Optional(
    Type.Array(oneOf('EventSource', eventSources), {
      minItems: 1,
      uniqueItems: true,
      description: 'Whose events. Default: those that the endpoint takes now.',
    }),
  ),
  status: Type.Optional(
    oneOf('ReplaySelection', replayStatuses, {
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
    run: ({ deps, business, params, body: { eventTypes = null, sources = null, status = 'undelivered', ...range } }) =>
      startReplay(deps, business, params.id, { ...range, eventTypes, sources, status }),
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

const endpointExplanation = named('EndpointExplanation', {
  webhookEndpointId: idOf('webhookEndpoint'),
  webhookUrl: nullable(Type.String({ description: 'Null when the endpoint was deleted.' })),
  code: oneOf('EndpointExplanationCode', endpointCodes, {
    description: 'Never changes its meaning; others may be added.',
  }),
  message: Type.String({
    description: 'The same in a sentence, with what to do. For people: its wording may change.',
  }),
  since: nullable(isoTime),
  deliveryId: nullable(idOf('delivery')),
  sequence: nullable(Type.Integer()),
  attemptCount: nullable(Type.Integer()),
  lastOutcome: nullable(Type.String()),
  nextAttemptAt: nullable(isoTime),
  heldBy: nullable(idOf('delivery')),
  aheadCount: nullable(Type.Integer({ description: 'Deliveries before this one; counted up to 1,000.' })),
})

const explanation = named('EventExplanation', {
  eventId: idOf('event'),
  eventType: Type.String(),
  createdAt: isoTime,
  verdict: oneOf('EventVerdict', verdicts),
  message: Type.String(),
  processing: named(
    {
      title: 'EventProcessing',
      description: 'What our own objects still have to take from it. Deliveries never wait for it.',
    },
    { code: oneOf('EventProcessingCode', processingCodes), message: Type.String(), nextAttemptAt: nullable(isoTime) },
  ),
  endpoints: Type.Array(endpointExplanation, { maxItems: 100 }),
})

const retryFilter = closed(
  {
    webhookEndpointId: Type.Optional(anyId),
    eventType: Type.Optional(eventTypeFilter),
    externalUserId: Type.Optional(externalUserId),
    from: Type.Optional({
      ...isoTime,
      description: 'Events received at this time or later. Default: 31 days before `to`.',
    }),
    to: Type.Optional({ ...isoTime, description: 'Events received before this time. Default: now.' }),
  },
  { description: 'What is left out does not narrow the choice.' },
)

export function redeliveryRoutes(app: App): void {
  const { route } = businessRoutes(app, 'Events', 'events')

  route('GET /v0/events/:id/explain', {
    id: 'explainEvent',
    summary: 'Explain why an event has arrived or not',
    description:
      'Endpoint by endpoint. For an event that you know by the id of the provider: `GET /v0/events?providerEventId=…` first.',
    data: explanation,
    errors: ['event_not_found'],
    run: ({ deps, business, params }) => explainEvent(deps, business, params.id),
  })

  route('POST /v0/events/:id/replay', {
    id: 'replayEvent',
    summary: 'Send an event again',
    description:
      'To every endpoint that wants its type now, or to the one that is named, whatever that subscribes to. Answers with the deliveries: none when no endpoint wants it.',
    body: closed({ webhookEndpointId: Type.Optional(anyId) }),
    data: listOf(delivery),
    errors: ['event_not_found', 'webhook_endpoint_not_found'],
    run: ({ deps, business, params, body }) => replayEvent(deps, business, params.id, body.webhookEndpointId ?? null),
  })

  route('POST /v0/deliveries/retry', {
    id: 'retryDeliveries',
    summary: 'Send failed deliveries again',
    description:
      'Those that were given up or cancelled, in the background: one replay for each endpoint that has failed deliveries, all of them or none. Answers with the replays, none when nothing has failed; `GET /v0/replays/:id` tells how far one has come.',
    body: closed({ filter: retryFilter }),
    data: Type.Array(replay, { maxItems: endpointsMax }),
    errors: ['invalid_value', 'webhook_endpoint_not_found', 'holder_not_found', 'replay_in_progress'],
    run: ({ deps, business, body }) => retryDeliveries(deps, business, body.filter),
  })

  route('POST /v0/deliveries/:id/retry', {
    id: 'retryDelivery',
    summary: 'Send a delivery again now',
    description:
      'Whatever became of it: with the same `webhook-id` and `svc-sequence`, and a schedule that begins anew. One that was never tried keeps its turn; one for an endpoint that is paused or disabled waits for it.',
    data: delivery,
    errors: ['delivery_not_found', 'webhook_endpoint_deleted'],
    run: ({ deps, business, params }) => retryDelivery(deps, business, params.id),
  })
}
