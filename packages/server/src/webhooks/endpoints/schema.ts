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
    Type.String({
      description: '`whsec_…`, for verifying signatures. Only the response that creates the endpoint contains it.',
    }),
  ),
})

export const webhookUrlText = Type.String({
  minLength: 1,
  errorCode: 'invalid_webhook_url',
  description: 'An absolute `https` URL with a public host.',
})

export const newWebhookUrl = closed({ webhookUrl: webhookUrlText })

const eventSource = oneOf('EventSource', eventSources)

const eventTypesMax = 50

const ordering = oneOf('DeliveryOrdering', ['best_effort', 'per_end_user'], {
  description:
    '`best_effort`: a failed event does not block other events, and a response that takes more than one second does not hold back the next event of the end-user. `per_end_user`: a failed event blocks later events of the same end-user until it is delivered or given up, and a slow response holds them back until it arrives: a receiver that takes 2 seconds gets half an event per second for each end-user. Default: `best_effort`.',
})
const eventTypes = Type.Array(eventTypeFilter, {
  minItems: 1,
  maxItems: eventTypesMax,
  uniqueItems: true,
  description: 'Which event types the endpoint receives: names, `prefix.*`, or `*` for all. Default: `["*"]`.',
})

export const webhookEndpoint = named('WebhookEndpoint', {
  id: idOf('webhookEndpoint'),
  webhookUrl: Type.String(),
  description: nullable(Type.String()),
  isDefault: Type.Boolean({ description: 'Whether this is the endpoint that `PUT /v0/webhook-url` sets.' }),
  status: oneOf('WebhookEndpointStatus', ['enabled', 'paused', 'disabled']),
  disabledReason: nullable(
    Type.String({ description: 'Why Causeway disabled the endpoint. To resume, `PATCH` its status.' }),
  ),
  eventTypes: Type.Array(Type.String()),
  sources: Type.Array(eventSource),
  ordering: oneOf('DeliveryOrdering', ['best_effort', 'per_end_user']),
  sequence: Type.Integer({
    description: 'The last `svc-sequence` assigned. Compare it with the last one that you received.',
  }),
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
          'Only in the response that creates or changes the endpoint: names in `eventTypes` that match no current event type. They are accepted, because new types may be added.',
      },
    ),
  ),
})

export const endpointWithSecret = named('WebhookEndpointWithSecret', {
  ...webhookEndpoint.properties,
  signingSecret: Type.String({ description: '`whsec_…`, for verifying signatures. Only this response contains it.' }),
})
export const testSent = named('WebhookEndpointTest', { eventId: idOf('event'), deliveryId: idOf('delivery') })

export const settings = {
  sources: Type.Optional(
    Type.Array(eventSource, {
      minItems: 1,
      uniqueItems: true,
      description: 'Which event sources the endpoint receives. Default: both.',
    }),
  ),
  description: Type.Optional(nullable(lineOf(200))),
  eventTypes: Type.Optional(eventTypes),
  ordering: Type.Optional(ordering),
}
