// Webhook endpoints and the webhook URL, as the API describes them.

import { Type } from 'typebox'
import { eventSources } from '../../events/catalogue.rules.ts'
import {
  closed,
  eventTypeFilter,
  idOf,
  isoTime,
  lineOf,
  named,
  nullable,
  oneOf,
} from '../../platform/http/schema/schema.ts'

const urlFields = {
  id: idOf('webhookEndpoint'),
  webhookUrl: Type.String(),
  status: oneOf('WebhookEndpointStatus', ['enabled', 'paused', 'disabled']),
  disabledReason: nullable(Type.String()),
  createdAt: isoTime,
  updatedAt: isoTime,
}

export const webhookUrl = named('WebhookUrl', {
  ...urlFields,
  signingSecret: Type.Optional(
    Type.String({ description: '`whsec_…`, for checking signatures. Only in the answer that creates the endpoint.' }),
  ),
})

export const webhookUrlText = Type.String({
  minLength: 1,
  errorCode: 'invalid_webhook_url',
  description: 'Absolute https address of a public host.',
})

export const newWebhookUrl = closed({ webhookUrl: webhookUrlText })

const eventSource = oneOf('EventSource', eventSources)

const eventTypesMax = 50

const ordering = oneOf('DeliveryOrdering', ['best_effort', 'per_end_user'], {
  description:
    '`best_effort`: a failed event holds up no other. `per_end_user`: it holds up later events of its end-user until it is over. Default: `best_effort`.',
})
const eventTypes = Type.Array(eventTypeFilter, {
  minItems: 1,
  maxItems: eventTypesMax,
  uniqueItems: true,
  description: 'Which events it gets: names, `prefix.*`, or `*` for all. Default: `["*"]`.',
})

export const webhookEndpoint = named('WebhookEndpoint', {
  id: idOf('webhookEndpoint'),
  webhookUrl: Type.String(),
  description: nullable(Type.String()),
  isDefault: Type.Boolean({ description: 'Whether it is the one that `PUT /v0/webhook-url` sets.' }),
  status: oneOf('WebhookEndpointStatus', ['enabled', 'paused', 'disabled']),
  disabledReason: nullable(Type.String({ description: 'Why we switched it off. `PATCH` its status to go on.' })),
  eventTypes: Type.Array(Type.String()),
  sources: Type.Array(eventSource),
  ordering: oneOf('DeliveryOrdering', ['best_effort', 'per_end_user']),
  sequence: Type.Integer({ description: 'The last `svc-sequence` given out. Compare it with the last you have seen.' }),
  failingSince: nullable(isoTime),
  previousSecretExpiresAt: nullable(isoTime),
  createdAt: isoTime,
  updatedAt: isoTime,
  warnings: Type.Optional(
    Type.Array(
      named('Warning', {
        param: Type.String(),
        code: oneOf('WarningCode', ['unknown_event_type']),
        message: Type.String(),
      }),
      {
        description:
          'Only where the endpoint is created or changed: names in `eventTypes` that no event has today. They are taken all the same, because new types may come.',
      },
    ),
  ),
})

export const endpointWithSecret = named('WebhookEndpointWithSecret', {
  ...webhookEndpoint.properties,
  signingSecret: Type.String({ description: '`whsec_…`, for checking signatures. Only this response contains it.' }),
})
export const testSent = named('WebhookEndpointTest', { eventId: idOf('event'), deliveryId: idOf('delivery') })

export const settings = {
  sources: Type.Optional(
    Type.Array(eventSource, {
      minItems: 1,
      uniqueItems: true,
      description: 'Whose events it gets. Default: both.',
    }),
  ),
  description: Type.Optional(nullable(lineOf(200))),
  eventTypes: Type.Optional(eventTypes),
  ordering: Type.Optional(ordering),
}
