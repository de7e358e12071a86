// Sending one event or one delivery again, and why an event has arrived or not.

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
    summary: 'Explain why an event has arrived or not',
    sdk: 'events.explain(at)',
    description:
      'Endpoint by endpoint. For an event that you know by the id of the provider: `GET /v0/events?providerEventId=…` first.',
    data: explanation,
    errors: ['event_not_found'],
    run: ({ deps, scope, params }) => explainEvent(deps, scope.business, params.id),
  }),

  write('POST /v0/events/:id/replay', {
    id: 'replayEvent',
    summary: 'Send an event again',
    sdk: 'events.replay(at, body)',
    command: 'events resend',
    example: { body: () => ({}) },
    audit: { none: sentAgain },
    assistant: 'may',
    description:
      'To every endpoint that wants its type now, or to the one that is named, whatever that subscribes to. Answers with the deliveries: none when no endpoint wants it.',
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
    assistant: 'may',
    description:
      'Deliveries that were attempted and not delivered: `retrying`, `exhausted` or `cancelled`. Each becomes due now, on a new retry schedule. One replay for each endpoint sends them in the background; all replays start, or none. `GET /v0/replays/:id` returns the progress. A `pending` delivery keeps its turn.',
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
    summary: 'Send a delivery again now',
    sdk: 'deliveries.retry(at)',
    command: 'deliveries retry',
    audit: { none: sentAgain },
    assistant: 'may',
    description:
      'Whatever became of it: with the same `webhook-id` and `svc-sequence`, and a schedule that begins anew. One that was never tried keeps its turn; one for an endpoint that is paused or disabled waits for it.',
    data: delivery,
    errors: ['delivery_not_found', 'webhook_endpoint_deleted'],
    run: ({ deps, scope, params }) => retryDelivery(deps, scope, params.id),
  }),
]
