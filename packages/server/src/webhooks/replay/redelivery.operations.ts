// Resending one event or one delivery, and explaining deliveries.

import { Type } from 'typebox'
import { delivery } from '../../events/schema.ts'
import type { Core } from '../../platform/core.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { anyId, closed, listOf } from '../../platform/http/schema/schema.ts'
import { explainEvent } from './explain.ts'
import { explanation, retriedDeliveries, retryFilter } from './schema.ts'
import { replayEvent, retryDeliveries, retryDelivery } from './service.ts'

const sentAgain = 'sends to the same address what was sent before'

const { read, write } = operationsOf<Core>('Events', 'events')

export const redeliveryOperations = [
  read('GET /v0/events/:id/explain', {
    id: 'explainEvent',
    summary: 'Explain why an event was delivered or not',
    sdk: 'events.explain(at)',
    description:
      'One explanation for each endpoint. If you know the event by the provider’s ID, find it first with `GET /v0/events?providerEventId=…`.',
    data: explanation,
    errors: ['event_not_found'],
    run: ({ deps, scope, params }) => explainEvent(deps, scope.business, params.id),
  }),

  write('POST /v0/events/:id/replay', {
    id: 'replayEvent',
    summary: 'Resend an event',
    sdk: 'events.replay(at, body)',
    command: 'events resend',
    example: { body: () => ({}) },
    audit: { none: sentAgain },
    assistant: 'may',
    description:
      'Resends the event to every endpoint that currently subscribes to its type, or to the named endpoint regardless of its event types. Returns the deliveries: an empty list if no endpoint subscribes to the type.',
    body: closed({ webhookEndpointId: Type.Optional(anyId) }),
    data: listOf(delivery),
    errors: ['event_not_found', 'webhook_endpoint_not_found'],
    run: ({ deps, scope, params, body }) => replayEvent(deps, scope, params.id, body.webhookEndpointId ?? null),
  }),

  write('POST /v0/deliveries/retry', {
    id: 'retryDeliveries',
    summary: 'Resend everything that was not delivered',
    sdk: 'deliveries.retryFailed(body)',
    command: 'deliveries retry-all',
    example: { body: ({ webhookEndpoint }) => ({ filter: { webhookEndpointId: webhookEndpoint } }) },
    audit: { none: sentAgain },
    sensitive: true,
    assistant: 'may',
    description:
      'Resends deliveries that were attempted and not delivered: `retrying`, `exhausted` or `cancelled`. Each becomes due now, on a new retry schedule. One replay for each endpoint sends them in the background; either all replays start, or none. `GET /v0/replays/:id` returns the progress. A `pending` delivery keeps its place in the queue.',
    body: closed({
      filter: retryFilter,
      dryRun: Type.Optional(Type.Boolean({ description: 'Count the deliveries, and resend nothing. Default: false.' })),
    }),
    data: retriedDeliveries,
    errors: ['invalid_value', 'webhook_endpoint_not_found', 'holder_not_found', 'replay_in_progress'],
    run: ({ deps, scope, body }) => retryDeliveries(deps, scope, body.filter, { dryRun: body.dryRun ?? false }),
  }),

  write('POST /v0/deliveries/:id/retry', {
    id: 'retryDelivery',
    summary: 'Resend a delivery',
    sdk: 'deliveries.retry(at)',
    command: 'deliveries retry',
    audit: { none: sentAgain },
    assistant: 'may',
    description:
      'Resends the delivery now, whatever its status, with the same `webhook-id` and `svc-sequence` and a new retry schedule. A delivery that was never attempted keeps its place in the queue. A delivery for a paused or disabled endpoint stays queued until the endpoint is enabled.',
    data: delivery,
    errors: ['delivery_not_found', 'webhook_endpoint_deleted'],
    run: ({ deps, scope, params }) => retryDelivery(deps, scope, params.id),
  }),
]
