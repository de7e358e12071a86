// API schemas of replays, and of explanations of deliveries.

import { Type } from 'typebox'
import { eventSources } from '../../events/catalogue.rules.ts'
import {
  anyId,
  closed,
  eventTypeFilter,
  externalUserId,
  idOf,
  isoTime,
  named,
  nullable,
  oneOf,
} from '../../platform/http/schema/schema.ts'
import { endpointCodes, verdicts } from './explain.rules.ts'
import { processingCodes } from './explain.ts'
import { countedMax, replayStates, replayStatuses } from './replay.rules.ts'

export const replay = named('Replay', {
  id: idOf('replay'),
  webhookEndpointId: idOf('webhookEndpoint'),
  from: isoTime,
  to: isoTime,
  eventTypes: Type.Array(Type.String()),
  sources: Type.Array(oneOf('EventSource', eventSources)),
  externalUserId: nullable(Type.String({ description: 'Only events about this end-user; null for all.' })),
  status: oneOf('ReplaySelection', replayStatuses),
  state: oneOf('ReplayState', replayStates, {
    description: '`done`: all events are queued; some may still be in delivery.',
  }),
  percent: Type.Integer({
    description: 'The progress: through the stream, or through the undelivered deliveries.',
  }),
  matchedCount: Type.Integer({ description: 'Events of the range and of these types that were found so far.' }),
  queuedCount: Type.Integer({ description: 'How many of these events are resent.' }),
  skippedCount: Type.Integer({
    description: 'How many of these events are skipped: already queued, or not of the status.',
  }),
  error: nullable(Type.String({ description: 'Why the replay failed.' })),
  createdAt: isoTime,
  updatedAt: isoTime,
  endedAt: nullable(isoTime),
})

export const retriedDeliveries = named('RetriedDeliveries', {
  deliveryCount: Type.Integer({
    description: `How many deliveries are resent, or would be; counted among the first ${countedMax.toLocaleString('en')} of each endpoint.`,
  }),
  replays: Type.Array(replay, { description: 'One for each endpoint; empty if `dryRun` is true or nothing failed.' }),
})

export const newReplay = closed({
  from: { ...isoTime, description: 'The start of the range: events received at this time or later.' },
  to: {
    ...isoTime,
    description: 'The end of the range: events received before this time. At most 31 days after `from`.',
  },
  eventTypes: Type.Optional(
    Type.Array(eventTypeFilter, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Names, `prefix.*`, or `*` for all. Default: the endpoint’s current event types.',
    }),
  ),
  sources: Type.Optional(
    Type.Array(oneOf('EventSource', eventSources), {
      minItems: 1,
      uniqueItems: true,
      description: 'The event sources to replay. Default: the endpoint’s current sources.',
    }),
  ),
  status: Type.Optional(
    oneOf('ReplaySelection', replayStatuses, {
      description:
        '`failed`: attempted and not delivered (`retrying`, `exhausted` or `cancelled`). `missing`: never queued for this endpoint, because the endpoint was created or subscribed later. `undelivered` (the default): both. `delivered`: delivered before. `all`: all of these.',
    }),
  ),
})

const endpointExplanation = named('EndpointExplanation', {
  webhookEndpointId: idOf('webhookEndpoint'),
  webhookUrl: nullable(Type.String({ description: 'Null after the endpoint was deleted.' })),
  code: oneOf('EndpointExplanationCode', endpointCodes, {
    description: 'A code never changes its meaning; new codes may be added.',
  }),
  message: Type.String({
    description: 'The explanation in a sentence, with what to do. For people: its wording may change.',
  }),
  since: nullable(isoTime),
  deliveryId: nullable(idOf('delivery')),
  sequence: nullable(Type.Integer()),
  attemptCount: nullable(Type.Integer()),
  lastOutcome: nullable(Type.String()),
  nextAttemptAt: nullable(isoTime),
  heldBy: nullable(idOf('delivery')),
  aheadCount: nullable(Type.Integer({ description: 'Deliveries ahead of this one; counted up to 1,000.' })),
})

export const explanation = named('EventExplanation', {
  eventId: idOf('event'),
  eventType: Type.String(),
  createdAt: isoTime,
  verdict: oneOf('EventVerdict', verdicts),
  message: Type.String(),
  processing: named(
    {
      title: 'EventProcessing',
      description: 'Whether Causeway has applied the event to its own objects. Deliveries never wait for it.',
    },
    { code: oneOf('EventProcessingCode', processingCodes), message: Type.String(), nextAttemptAt: nullable(isoTime) },
  ),
  endpoints: Type.Array(endpointExplanation, { maxItems: 100 }),
})

export const retryFilter = closed(
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
  { description: 'Which deliveries to resend. A filter that you leave out matches all.' },
)
