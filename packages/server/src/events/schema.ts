// API schemas of events, deliveries and attempts.

import { Type } from 'typebox'
import { idOf, isoTime, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { eventSources } from './catalogue.rules.ts'
import { deliveryStatuses } from './deliveries.rules.ts'

export const event = named('Event', {
  id: idOf('event'),
  position: Type.Integer({
    description: 'The position in your event stream: without gaps, in the order of arrival.',
  }),
  eventType: Type.String(),
  externalUserId: nullable(Type.String()),
  providerEventId: nullable(Type.String()),
  source: oneOf('EventSource', eventSources),
  verified: Type.Boolean({ description: 'False for a provider event that arrived without a signature.' }),
  test: Type.Boolean({ description: 'True for a test event: its `data` is an example.' }),
  createdAt: isoTime,
  payload: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'The parsed body. JSON parsers round long numbers and drop properties with duplicate names: verify a signature over `rawBody`.',
    },
  ),
  rawBody: Type.String({ description: 'The body as text, exactly as Causeway delivers and signs it.' }),
})

export const deliveryStatus = oneOf('DeliveryStatus', deliveryStatuses, {
  description:
    '`pending`: not attempted yet. `retrying`: attempted, and scheduled for its next attempt. `exhausted`: failed, with no attempts left. `cancelled`: the endpoint was deleted.',
})

export const delivery = named('Delivery', {
  id: idOf('delivery'),
  eventId: idOf('event'),
  webhookEndpointId: idOf('webhookEndpoint'),
  sequence: Type.Integer({ description: 'Without gaps for each endpoint; sent as `svc-sequence`.' }),
  status: deliveryStatus,
  attemptCount: Type.Integer(),
  lastOutcome: nullable(Type.String({ description: '`http_<status>`, or the reason why there was no response.' })),
  nextAttemptAt: nullable(isoTime),
  createdAt: isoTime,
  finishedAt: nullable(isoTime),
})

const attemptFields = {
  attempt: Type.Integer(),
  outcome: Type.String(),
  httpStatus: nullable(Type.Integer()),
  detail: nullable(Type.String()),
  durationMs: Type.Integer(),
  startedAt: isoTime,
}

const headers = Type.Record(Type.String(), Type.String())

const attempt = named('DeliveryAttempt', {
  ...attemptFields,
  requestHeaders: nullable({
    ...headers,
    description:
      'The request headers, with the signature. Null when the event is no longer stored. The body is `rawBody` of the event.',
  }),
  responseHeaders: nullable({
    ...headers,
    description:
      'Response headers of a failed attempt: the first ones that fit into 1 KiB, without cookies. Null otherwise.',
  }),
  responseBody: nullable(Type.String({ description: 'At most 4 KiB of the receiver’s response body.' })),
})

export const deliveryWithAttempts = named('DeliveryWithAttempts', {
  ...delivery.properties,
  attempts: Type.Array(attempt),
})

export const listedDelivery = named('ListedDelivery', {
  ...delivery.properties,
  eventType: Type.String(),
  externalUserId: nullable(Type.String()),
  lastAttempt: nullable(
    Type.Object(attemptFields, { description: 'Null before the first attempt. Read the delivery for all attempts.' }),
  ),
})
