// Webhook endpoints and the webhook URL, as the API describes them.

import { Type } from 'typebox'
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
  ordering: oneOf('DeliveryOrdering', ['best_effort', 'per_end_user']),
  sequence: Type.Integer({ description: 'The last `svc-sequence` given out. Compare it with the last you have seen.' }),
  failingSince: nullable(isoTime),
  previousSecretExpiresAt: nullable(isoTime),
  createdAt: isoTime,
  updatedAt: isoTime,
})

export const endpointWithSecret = named('WebhookEndpointWithSecret', {
  ...webhookEndpoint.properties,
  signingSecret: Type.String({ description: '`whsec_…`, for checking signatures. It is shown this once.' }),
})
export const testSent = named('WebhookEndpointTest', { eventId: idOf('event'), deliveryId: idOf('delivery') })

export const settings = {
  description: Type.Optional(nullable(lineOf(200))),
  eventTypes: Type.Optional(eventTypes),
  ordering: Type.Optional(ordering),
}
