// Send one delivery or one event again; explain why an event has arrived or not.

import { Type } from 'typebox'
import { delivery } from '../../events/schema.ts'
import type { App } from '../../platform/http/app.ts'
import { businessRoutes } from '../../platform/http/route.ts'
import { anyId, closed, idOf, isoTime, listOf, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { endpointCodes, verdicts } from './explain.rules.ts'
import { explainEvent, processingCodes } from './explain.ts'
import { replayEvent, retryDelivery } from './service.ts'

const endpointExplanation = Type.Object(
  {
    webhookEndpointId: idOf('webhookEndpoint'),
    webhookUrl: nullable(Type.String({ description: 'Null when the endpoint was deleted.' })),
    code: oneOf(endpointCodes, { description: 'Never changes its meaning; others may be added.' }),
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
  },
  { title: 'EndpointExplanation' },
)

const explanation = Type.Object(
  {
    eventId: idOf('event'),
    type: Type.String(),
    createdAt: isoTime,
    verdict: oneOf(verdicts),
    message: Type.String(),
    processing: Type.Object(
      { code: oneOf(processingCodes), message: Type.String(), nextAttemptAt: nullable(isoTime) },
      {
        title: 'EventProcessing',
        description: 'What our own objects still have to take from it. Deliveries never wait for it.',
      },
    ),
    endpoints: Type.Array(endpointExplanation, { maxItems: 100 }),
  },
  { title: 'EventExplanation' },
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
