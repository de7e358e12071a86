// The states of a webhook endpoint, in words: several subjects show endpoints, each state in one color.

import type { WebhookEndpoint } from '@causeway/sdk'
import type { Tone } from '../components/ui/badge.tsx'

type State = readonly [tone: Tone, words: string]

export function endpointState({ status, failingSince }: Pick<WebhookEndpoint, 'status' | 'failingSince'>): State {
  if (status === 'disabled') return ['bad', 'Disabled']
  if (status === 'paused') return ['off', 'Paused']
  return failingSince === null ? ['good', 'Enabled'] : ['bad', 'Failing']
}
