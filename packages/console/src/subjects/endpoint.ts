// Webhook endpoints, which several subjects show: their names, and their states in words, each in one color.

import type { WebhookEndpoint } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import type { Tone } from '../components/ui/badge.tsx'
import { causeway } from '../session/client.ts'

/** A business has at most 20: one page holds them all. */
const endpointsMax = 100

export const endpointsQuery = queryOptions({
  queryKey: ['endpoints', 'list'],
  queryFn: async ({ signal }) => (await causeway.webhookEndpoints.list({ limit: endpointsMax }, { signal })).data,
})

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** The name of an endpoint where there is no room for its URL. */
export const endpointName = ({ description, webhookUrl }: Pick<WebhookEndpoint, 'description' | 'webhookUrl'>) =>
  description ?? hostOf(webhookUrl)

type State = readonly [tone: Tone, words: string]

export function endpointState({ status, failingSince }: Pick<WebhookEndpoint, 'status' | 'failingSince'>): State {
  if (status === 'disabled') return ['bad', 'Disabled']
  if (status === 'paused') return ['off', 'Paused']
  return failingSince === null ? ['good', 'Enabled'] : ['bad', 'Failing']
}
