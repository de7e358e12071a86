// How an event stands with an endpoint, in the words of the pages.

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

/** Which states may be sent again from here: what is under way comes by itself. */
export const isSendable = (code: EndpointExplanationCode): boolean => code !== 'due' && code !== 'endpoint_deleted'
