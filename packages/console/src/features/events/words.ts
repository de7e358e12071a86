// How an event stands with an endpoint, in the words of the pages.

import type { EndpointExplanationCode, EventVerdict } from '@causeway/sdk'
import type { Tone } from '../../components/ui/badge.tsx'

export const outcomeWords: Readonly<Record<EndpointExplanationCode, readonly [tone: Tone, words: string]>> = {
  delivered: ['good', 'Delivered'],
  due: ['busy', 'Being sent'],
  waiting_turn: ['busy', 'Waits for its turn'],
  held_back: ['warn', 'Held back'],
  retry_scheduled: ['warn', 'Retry planned'],
  probing: ['warn', 'Endpoint is failing'],
  paused: ['off', 'Endpoint is paused'],
  disabled: ['bad', 'Endpoint is disabled'],
  exhausted: ['bad', 'Failed'],
  cancelled: ['off', 'Cancelled'],
  filtered: ['off', 'Not subscribed'],
  endpoint_newer: ['off', 'Endpoint is newer'],
  never_queued: ['off', 'Was not subscribed'],
  not_addressed: ['off', 'Not for this endpoint'],
  endpoint_deleted: ['off', 'Endpoint is deleted'],
}

export const verdictWords: Readonly<Record<EventVerdict, readonly [tone: Tone, words: string]>> = {
  delivered: ['good', 'Delivered'],
  under_way: ['busy', 'Under way'],
  stopped: ['bad', 'Stopped'],
  unwanted: ['off', 'No subscriber'],
  no_endpoint: ['off', 'No endpoint'],
}

/** Which states may be sent again from here: what is under way comes by itself. */
export const isSendable = (code: EndpointExplanationCode): boolean => code !== 'due' && code !== 'endpoint_deleted'
