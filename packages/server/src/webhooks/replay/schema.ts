// Replays, and why an event has arrived or not, as the API describes them.

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
    description: '`done`: everything is queued; what is queued may still be on its way.',
  }),
  percent: Type.Integer({
    description: 'How much was looked through: of the stream, or of the deliveries that were not delivered.',
  }),
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

export const retriedDeliveries = named('RetriedDeliveries', {
  deliveryCount: Type.Integer({
    description: `How many deliveries are resent, or would be; counted among the first ${countedMax.toLocaleString('en')} of each endpoint.`,
  }),
  replays: Type.Array(replay, { description: 'One for each endpoint; empty if `dryRun` is true or nothing failed.' }),
})

export const newReplay = closed({
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
        '`failed`: attempted and not delivered (`retrying`, `exhausted` or `cancelled`). `missing`: never meant for this endpoint, because it was made or subscribed later. `undelivered` (the default): both. `delivered`: delivered before. `all`.',
    }),
  ),
})

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

export const explanation = named('EventExplanation', {
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
  { description: 'What is left out does not narrow the choice.' },
)
