// The public endpoint for provider events.

import { Type } from 'typebox'
import type { ServerCore } from '../../platform/core.ts'
import { rawBodyOf } from '../../platform/http/body/json-body.ts'
import { providerEventBody } from '../../platform/http/limits.ts'
import { publicOperations } from '../../platform/http/operation.ts'
import { named } from '../../platform/http/schema/schema.ts'
import { receiveProviderEvent } from './ingest.ts'
import type { Ingests } from './ports.ts'

const eventName = Type.String({ minLength: 1, maxLength: 256 })
const providerEvent = Type.Object(
  { event_id: eventName, event_type: eventName },
  {
    title: 'ProviderEvent',
    additionalProperties: true,
    description: 'More properties depend on the event type.',
  },
)

const acknowledgement = named('WebhookAcknowledgement', {
  received: Type.Boolean(),
  event_id: Type.String(),
  message: Type.String(),
})

const { write } = publicOperations<Ingests & ServerCore>('Provider')

export const ingestOperations = [
  write('POST /v0/webhooks/provider', {
    id: 'receiveProviderWebhook',
    summary: 'Receive a provider event',
    command: null,
    example: { body: () => ({ event_id: 'wh_matrix', event_type: 'customer.updated' }) },
    audit: { none: 'the event is kept, with the verdict on its signature' },
    description:
      'For the payment provider only. The body is `{event_id, event_type, …}`. A 200 response means that the event is stored. Causeway verifies `X-Webhook-Signature` over the raw bytes, and its format and timestamp before it reads the body.',
    onRequest: (request) => request.server.eventDoor.admit(request),
    config: { rawBody: true, bodyLimits: providerEventBody, describedBody: providerEvent },
    data: acknowledgement,
    errors: [
      'invalid_json',
      'json_too_deep',
      'body_required',
      'missing_field',
      'invalid_type',
      'invalid_length',
      'invalid_value',
      'payload_too_large',
      'too_many_members',
      'unsupported_media_type',
      'webhook_signature_stale',
      'webhook_signature_missing',
      'webhook_signature_invalid',
      'rate_limited',
      'database_unavailable',
    ],
    run: ({ deps, request }) =>
      receiveProviderEvent(deps, rawBodyOf(request), request.headers).catch((error) =>
        request.server.eventDoor.count(request, error),
      ),
  }),
]
