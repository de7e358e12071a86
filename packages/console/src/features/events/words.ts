// Texts for the state of an event at an endpoint.

import type { EndpointExplanationCode, EventVerdict } from '@causeway/sdk'
import type { Tone } from '../../components/ui/badge.tsx'

export const outcomeWords: Readonly<Record<EndpointExplanationCode, readonly [tone: Tone, words: string]>> = {
  delivered: ['good', 'Delivered'],
  due: ['busy', 'Sending'],
  waiting_turn: ['busy', 'Queued'],
  held_back: ['warn', 'Blocked by an earlier event'],
  retry_scheduled: ['warn', 'Retry scheduled'],
  probing: ['bad', 'Endpoint failing'],
  paused: ['off', 'Endpoint paused'],
  disabled: ['bad', 'Endpoint disabled'],
  exhausted: ['bad', 'Failed'],
  cancelled: ['off', 'Canceled'],
  filtered: ['off', 'Not subscribed'],
  endpoint_newer: ['off', 'Endpoint created later'],
  never_queued: ['off', 'Not subscribed at the time'],
  not_addressed: ['off', 'Not for this endpoint'],
  endpoint_deleted: ['off', 'Endpoint deleted'],
}

export const verdictWords: Readonly<Record<EventVerdict, readonly [tone: Tone, words: string]>> = {
  delivered: ['good', 'Delivered'],
  under_way: ['busy', 'Pending'],
  stopped: ['bad', 'Stopped'],
  unwanted: ['off', 'No subscriber'],
  no_endpoint: ['off', 'No endpoint'],
}

/** States that can be resent from here. Deliveries in progress need no resend. */
export const isSendable = (code: EndpointExplanationCode): boolean => code !== 'due' && code !== 'endpoint_deleted'
